import { expect, test } from "./freshet";

interface Stats {
  totals: { jobs_imported: number };
}

test("the chart, its legend and its table say what the API says", async ({ admin, freshet }) => {
  const [busy, other, idle] = [
    await freshet.scraper("busy"),
    await freshet.scraper("other"),
    await freshet.scraper("clumsy"),
  ];
  const work = [
    { scraper: busy, jobs: 7, hoursAgo: 5 },
    { scraper: busy, jobs: 4, hoursAgo: 2 },
    { scraper: other, jobs: 3, hoursAgo: 2 },
    { scraper: other, jobs: 1, hoursAgo: 60 },
  ];
  for (const [index, { scraper, jobs, hoursAgo }] of work.entries()) {
    await freshet.role(["Baker", "Cooper", "Dyer", "Mason"][index] ?? "");
    const session = await scraper.next();
    const found = freshet.freshJobs(jobs);
    // The last one twice: found, and skipped.
    await scraper.post(session, [...found, ...found.slice(-1)]);
    // In the middle of an hour, so that no hour ends while the test runs.
    freshet.sql(`update scrape_sessions set duration_seconds = 90,
      started_at = date_trunc('hour', now()) - interval '${hoursAgo} hours' + interval '28 minutes',
      completed_at = date_trunc('hour', now()) - interval '${hoursAgo} hours' + interval '30 minutes'
      where session_id = '${session}'`);
  }
  await freshet.role("Glazier");
  await idle.fail(await idle.next(), "the board was closed");

  await admin.getByRole("link", { name: "Scrapers" }).click();
  const bars = admin.locator("[data-bar]");
  const drawn = async () =>
    (await bars.evaluateAll((all) => all.map((bar) => Number(bar.getAttribute("data-bar"))))).filter(Boolean);
  await expect.poll(drawn).toEqual([7, 7]);
  await expect(bars).toHaveCount(25);
  const stats = (await freshet.call("GET", "/api/scraper-monitoring/stats")) as unknown as Stats;
  expect((await drawn()).reduce((sum, bar) => sum + bar, 0)).toBe(stats.totals.jobs_imported);
  await expect(admin.getByLabel("Scrapers in the chart").getByRole("listitem")).toHaveText([
    "busy 11",
    "other 3",
  ]);

  // As tall as they are many: seven jobs of one scraper, and four and three of two.
  const heights = await admin
    .locator("[data-value]")
    .evaluateAll((all) =>
      all.map(
        (part) =>
          [Number(part.getAttribute("data-value")), Math.round(part.getBoundingClientRect().height)] as const,
      ),
    );
  const tall = new Map(heights);
  expect([...tall.keys()].sort()).toEqual([3, 4, 7]);
  expect(Math.abs((tall.get(7) ?? 0) - (tall.get(4) ?? 0) - (tall.get(3) ?? 0))).toBeLessThanOrEqual(3);
  expect((tall.get(7) ?? 0) / (tall.get(4) ?? 1)).toBeCloseTo(7 / 4, 1);

  // The pointer shows one bar, and so do the arrow keys.
  await admin.locator('[data-bar="7"]').last().locator("rect").first().hover();
  const box = admin.locator(".box");
  await expect(box).toContainText("busy4");
  await expect(box).toContainText("other3");
  await expect(box).toContainText("imported7");
  await expect(box).toContainText("2 sessions, 2 skipped");
  await admin.mouse.move(0, 0);
  await expect(box).toBeHidden();
  await admin.getByRole("img", { name: /Jobs imported by hour: 14 in all/ }).focus();
  await admin.keyboard.press("End");
  await admin.keyboard.press("ArrowLeft");
  await admin.keyboard.press("ArrowLeft");
  await expect(box).toContainText("imported7");

  await admin.getByText("The same numbers as a table").click();
  const table = admin.getByRole("table", { name: "Imports over time" });
  const cells = async () =>
    Promise.all(
      (await table.getByRole("row").all()).slice(1).map((row) => row.getByRole("cell").allInnerTexts()),
    );
  expect((await cells()).map((row) => row.slice(1))).toEqual([
    ["4", "3", "7", "2", "2"],
    ["7", "0", "7", "1", "1"],
  ]);

  const scrapers = admin.getByRole("table", { name: "Scrapers" });
  const line = (name: string) =>
    scrapers.getByRole("row").filter({ has: admin.getByRole("cell", { name, exact: true }) });
  expect((await line("busy").getByRole("cell").allInnerTexts()).slice(1, 7)).toEqual([
    "2",
    "13",
    "11",
    "2",
    "100 %",
    "1 min 30 s",
  ]);
  expect((await line("clumsy").getByRole("cell").allInnerTexts()).slice(1, 7)).toEqual([
    "1",
    "0",
    "0",
    "0",
    "0 %",
    "–",
  ]);

  const sessions = admin.getByRole("table", { name: "Sessions" });
  await expect(sessions.getByRole("row")).toHaveCount(5);
  await admin.getByLabel("State").selectOption("failed");
  await expect(sessions.getByRole("row")).toHaveCount(2);
  await expect(sessions).toContainText("the board was closed");

  // A week is drawn by days, and the session of the day before yesterday is in it.
  await admin.getByText("7 days").click();
  await expect.poll(async () => (await drawn()).reduce((sum, bar) => sum + bar, 0)).toBe(15);
  await expect(bars).toHaveCount(8);
});
