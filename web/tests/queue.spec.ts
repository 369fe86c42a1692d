import { expect, test } from "./freshet";

test("a session that begins elsewhere appears by itself, and goes when it ends", async ({
  admin,
  freshet,
}) => {
  await expect(admin.getByText("Nobody is scraping now.")).toBeVisible();
  await expect(admin.getByText("No role waits.")).toBeVisible();
  let loads = 0;
  admin.on("load", () => {
    loads += 1;
  });

  const scraper = await freshet.scraper("night shift");
  await freshet.role("Glazier", "low");
  await freshet.candidate("Baker", "Cooper");
  await freshet.candidate("Baker");
  const session = await scraper.next();

  const live = admin.getByRole("table", { name: "Live sessions" });
  const row = live.getByRole("row").filter({ hasText: "night shift" });
  await expect(row).toContainText("Baker");
  await expect(row).toContainText(/just now|\d s ago/);
  await expect(row).toContainText(/in (59 min|1 h)/);
  const figures = admin.getByLabel("Figures");
  await expect(figures).toContainText("Waiting21 candidate");
  await expect(figures).toContainText("Processing12 candidates");

  // In the order in which they are handed out, with who is on them.
  const roles = admin.getByRole("table", { name: "Roles that wait" }).getByRole("row");
  await expect(roles).toHaveCount(4);
  await expect(roles.nth(1)).toContainText("processing by night shift");
  await expect(roles.nth(2)).toContainText("Cooper");
  await expect(roles.nth(3)).toContainText("Glazier");

  await scraper.post(session, freshet.freshJobs(3), false);
  await expect(row.getByRole("cell").last()).toHaveText("3");

  // A scraper that has been quiet for long is pointed out.
  freshet.sql(`update scrape_sessions set updated_at = updated_at - interval '20 minutes',
    lease_expires_at = lease_expires_at - interval '20 minutes'`);
  await expect(row.locator(".warn")).toHaveText("20 min ago");
  await expect(row).toContainText(/in (39|40) min/);

  await scraper.post(session, freshet.freshJobs(2));
  await expect(admin.getByText("Nobody is scraping now.")).toBeVisible();
  await expect(figures).toContainText("Done1");
  await expect(figures).toContainText("Imported in 24 h51 session");
  await admin.getByText("Done", { exact: true }).last().click();
  await expect(admin.getByRole("table", { name: "Roles that are done" })).toContainText("Baker");
  expect(loads).toBe(0);
});

test("when the server is away the page says so, keeps what it has, and recovers", async ({
  page,
  freshet,
}) => {
  // Not the quiet page: the browser itself reports refused connections.
  await freshet.role("Glazier");
  await page.goto(`${freshet.url}/#token=${freshet.token()}`);
  const roles = page.getByRole("table", { name: "Roles that wait" });
  await expect(roles).toContainText("Glazier");
  await freshet.stop();
  await expect(page.getByText("Freshet does not answer since")).toBeVisible({ timeout: 20_000 });
  await expect(page.getByText("Server away")).toBeVisible();
  await expect(roles).toContainText("Glazier");
  await freshet.start();
  await freshet.role("Tanner");
  await expect(roles).toContainText("Tanner", { timeout: 40_000 });
  await expect(page.getByText("Freshet does not answer since")).toBeHidden();
});

test("nobody is asked while the tab is hidden", async ({ admin }) => {
  await expect(admin.getByText("No role waits.")).toBeVisible();
  const hide = (hidden: boolean) =>
    admin.evaluate((value) => {
      Object.defineProperty(document, "hidden", { configurable: true, get: () => value });
      document.dispatchEvent(new Event("visibilitychange"));
    }, hidden);
  let asked = 0;
  admin.on("request", () => {
    asked += 1;
  });
  await admin.waitForRequest("**/api/scraper-monitoring/queue*");
  await hide(true);
  // What was on its way may still arrive; after that there is silence for longer than two turns.
  await admin.waitForTimeout(1000);
  asked = 0;
  await admin.waitForTimeout(9000);
  expect(asked).toBe(0);
  await hide(false);
  await expect.poll(() => asked).toBeGreaterThan(0);
});
