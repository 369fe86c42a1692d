import { expect, fitsItsWidth, test } from "./freshet";

const PAGES = [
  "queue",
  "scrapers",
  "roles",
  "decisions",
  "keys",
  "listings",
  "hand-in",
  "dead-letters",
  "api",
];

for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [390, 1280]) {
    test(`every page fits and can be read: ${colorScheme}, ${width} px`, async ({ quiet: page, freshet }) => {
      test.setTimeout(120_000);
      const [first, second] = [
        await freshet.scraper("a-scraper-with-a-name-that-has-no-room-anywhere-and-no-place-to-break"),
        await freshet.scraper("second"),
      ];
      await freshet.candidate("Orthodontic Assistant", "Orthodontics Assistant", "Sr. Glazier (m/f/d)");
      await freshet.role("Donaudampfschifffahrtsgesellschaftskapitänsanwärterausbilder", "urgent");
      await first.post(await first.next(), freshet.freshJobs(12));
      await second.post(await second.next(), freshet.freshJobs(1));
      await second.fail(await second.next(), `no answer from https://example.com/${"x".repeat(120)}`);
      await first.next();
      freshet.sql(`insert into dead_letters (queue, message_id, group_id, body, receive_count, died_at)
        values ('crawl', 'm', 'example.com', '{"task_id":"${"0".repeat(200)}"}', 3, now())`);

      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 844 });
      await page.goto(`${freshet.url}/#token=${freshet.token()}`);
      for (const name of PAGES) {
        await page.goto(`${freshet.url}/#/${name}`);
        await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
        await page.waitForLoadState("networkidle");
        await expect(page.getByText("Loading …")).toHaveCount(0);
        for (const closed of await page.locator("details:not([open]) > summary").all()) {
          if (name !== "api") await closed.click();
        }
        await fitsItsWidth(page);
        expect(await unreadable(page), name).toEqual([]);
        expect(await unnamed(page), name).toEqual([]);
        if (process.env.SCREENSHOTS) {
          await page.screenshot({
            path: `${process.env.SCREENSHOTS}/${name}-${colorScheme}-${width}.png`,
            fullPage: true,
          });
        }
      }
      // Dialogs too.
      await page.goto(`${freshet.url}/#/roles`);
      await page.getByRole("button", { name: "Merge Orthodontics Assistant" }).click();
      await expect(page.getByText("This cannot be undone.")).toBeVisible();
      await fitsItsWidth(page);
      expect(await unreadable(page)).toEqual([]);
      if (width < 500) {
        await page.getByRole("button", { name: "Cancel" }).click();
        await page.getByRole("button", { name: "Menu" }).click();
        await page.getByRole("link", { name: "Keys" }).click();
        await expect(page.getByRole("heading", { name: "Keys", level: 1 })).toBeVisible();
        await expect(page.getByRole("link", { name: "Scrapers" })).toBeHidden();
      }
    });
  }
}

/** Texts whose contrast with what is behind them is below WCAG AA. */
function unreadable(page: import("@playwright/test").Page): Promise<string[]> {
  return page.evaluate(() => {
    const parse = (text: string) =>
      (/rgba?\(([^)]+)\)/.exec(text)?.[1] ?? "0,0,0,0").split(/[ ,/]+/).map(Number);
    const light = ([r = 0, g = 0, b = 0]: number[]) => {
      const [x = 0, y = 0, z = 0] = [r, g, b].map((value) => {
        const part = value / 255;
        return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * x + 0.7152 * y + 0.0722 * z;
    };
    const behind = (node: Element | null): number[] => {
      for (let at = node; at; at = at.parentElement) {
        const ground = parse(getComputedStyle(at).backgroundColor);
        if ((ground[3] ?? 1) === 1) return ground;
      }
      return [255, 255, 255];
    };
    const found: string[] = [];
    for (const node of document.querySelectorAll("main *, header *, dialog *")) {
      const text = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent?.trim());
      const box = node.getBoundingClientRect();
      if (!text || box.width < 2 || node.closest(":disabled, .dim, option")) continue;
      const style = getComputedStyle(node);
      const ink = parse(node instanceof SVGElement ? style.fill : style.color);
      const [a, b] = [light(ink), light(behind(node))].sort((x, y) => y - x) as [number, number];
      const ratio = (a + 0.05) / (b + 0.05);
      if (ratio < 4.5) found.push(`${ratio.toFixed(2)} ${node.outerHTML.slice(0, 100)}`);
    }
    return found;
  });
}

/** Things to press or to fill in that say nothing to a screen reader. */
function unnamed(page: import("@playwright/test").Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll("button, a[href], input, select, textarea")]
      .filter((node) => {
        const labels = "labels" in node ? [...(node.labels as NodeListOf<HTMLElement>)] : [];
        const name =
          node.getAttribute("aria-label") ||
          node.textContent ||
          labels.map((one) => one.textContent).join("");
        return (
          !name?.trim() ||
          (node.matches("input, select, textarea") && !node.getAttribute("aria-label") && !labels.length)
        );
      })
      .map((node) => node.outerHTML.slice(0, 100)),
  );
}
