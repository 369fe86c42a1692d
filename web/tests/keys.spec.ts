import { expect, type Freshet, test } from "./freshet";

async function opens(freshet: Freshet, key: string): Promise<number> {
  return (await fetch(`${freshet.url}/api/scraper/queue/stats`, { headers: { "x-scraper-api-key": key } }))
    .status;
}

test("a key is made, shown once, rotated and revoked", async ({ admin, freshet, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: freshet.url });
  await admin.getByRole("link", { name: "Keys" }).click();
  await admin.getByRole("button", { name: "New key" }).click();
  const dialog = admin.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Production scraper");
  await dialog.getByLabel("Sources it may import from").fill("Dice, indeed");
  await dialog.getByLabel("Expires").selectOption("in 90 days");
  await dialog.getByRole("button", { name: "Make the key" }).click();

  const secret = await dialog.getByLabel("Secret", { exact: true }).innerText();
  expect(secret).toMatch(/^fr_/);
  await dialog.getByRole("button", { name: "Copy" }).click();
  await expect(dialog.getByText("Copied.")).toBeVisible();
  expect(await admin.evaluate(() => navigator.clipboard.readText())).toBe(secret);
  // Escape does not throw away what is never shown again.
  await admin.keyboard.press("Escape");
  await expect(dialog.getByLabel("Secret", { exact: true })).toBeVisible();
  await dialog.getByRole("button", { name: "I have it" }).click();
  await expect(dialog).toBeHidden();

  const row = admin
    .getByRole("table", { name: "Keys" })
    .getByRole("row")
    .filter({ hasText: "Production scraper" });
  await expect(row).toContainText("active");
  await expect(row).toContainText("dice, indeed");
  await expect(row).toContainText("in 89 d");
  expect(await admin.content()).not.toContain(secret);
  expect(
    await admin.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }])),
  ).not.toContain(secret);
  expect(await opens(freshet, secret)).toBe(200);
  await expect(row).toContainText("just now");

  await row.getByRole("button", { name: "Rotate Production scraper" }).click();
  await dialog.getByLabel("The present secret opens for").fill("0");
  await dialog.getByRole("button", { name: "Make a new secret" }).click();
  const next = await dialog.getByLabel("Secret", { exact: true }).innerText();
  expect(next).not.toBe(secret);
  await dialog.getByRole("button", { name: "I have it" }).click();
  expect(await opens(freshet, next)).toBe(200);
  await expect.poll(() => opens(freshet, secret), { timeout: 20_000 }).toBe(401);

  await row.getByRole("button", { name: "Revoke Production scraper" }).click();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  expect(await opens(freshet, next)).toBe(200);
  await row.getByRole("button", { name: "Revoke Production scraper" }).click();
  await dialog.getByRole("button", { name: "Revoke this key" }).click();
  await expect(row).toContainText("revoked");
  await expect(row.getByRole("button")).toHaveCount(0);
  await expect.poll(() => opens(freshet, next), { timeout: 20_000 }).toBe(401);
});

test("what the API refuses is said in its words, and nothing typed is lost", async ({ page, freshet }) => {
  // Not the quiet page: the browser itself reports the 422 in the console.
  await page.goto(`${freshet.url}/#token=${freshet.token()}`);
  await page.getByRole("link", { name: "Keys" }).click();
  await page.getByRole("button", { name: "New key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Odd one");
  await dialog.getByLabel("Sources it may import from").fill("no/slashes");
  await dialog.getByRole("button", { name: "Make the key" }).click();
  await expect(dialog.getByRole("alert")).toContainText(
    "allowed_sources must be a list of 1 to 100 platforms",
  );
  await expect(dialog.getByLabel("Name")).toHaveValue("Odd one");
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("button", { name: "New key" })).toBeFocused();
  await expect(page.getByText("There is no key yet.")).toBeVisible();
});
