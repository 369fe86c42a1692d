import { expect, test } from "./freshet";

test("the printed link signs in and leaves the address bar", async ({ quiet: page, freshet }) => {
  const token = freshet.token();
  await page.goto(`${freshet.url}/#token=${token}`);
  await expect(page.getByRole("heading", { name: "Queue", level: 1 })).toBeVisible();
  expect(page.url()).not.toContain("token");
  expect(await page.evaluate(() => history.length)).toBeLessThanOrEqual(2);
  // Kept for this tab alone, so that a reload does not ask again.
  expect(await page.evaluate(() => Object.values(sessionStorage))).toEqual([token]);
  expect(await page.evaluate(() => localStorage.length)).toBe(0);
  await page.reload();
  await expect(page.getByText("Nobody is scraping now.")).toBeVisible();
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
});

test("a token may be pasted", async ({ quiet: page, freshet }) => {
  await page.goto(`${freshet.url}/#/keys`);
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  await page.getByLabel("Admin token").fill(freshet.token());
  await page.keyboard.press("Enter");
  await expect(page.getByText("There is no key yet.")).toBeVisible();
});

test("a token that has expired leads to the sign-in view, and says so", async ({ page, freshet }) => {
  // Not the quiet page: the browser itself reports the 401 in the console.
  await page.goto(`${freshet.url}/#token=${freshet.token(-3600)}`);
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  await expect(page.getByRole("alert").filter({ hasText: "Your sign-in has ended" })).toBeVisible();
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  await page.getByLabel("Admin token").fill(freshet.token());
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("heading", { name: "Queue", level: 1 })).toBeVisible();
  await expect(page.getByText("No role waits.")).toBeVisible();
});

test("what is open to all needs no sign-in", async ({ quiet: page, freshet }) => {
  await page.goto(`${freshet.url}/#/api`);
  await page.getByText("/api/scraper/queue/next-role").click();
  await expect(page.getByText("a scraper's key (X-Scraper-API-Key)")).toBeVisible();
  await page.goto(`${freshet.url}/#/listings`);
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
});
