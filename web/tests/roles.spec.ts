import { expect, test } from "./freshet";

test("a role is found, put first, requeued and merged", async ({ admin, freshet }) => {
  await freshet.candidate("Orthodontic Assistant");
  await freshet.candidate("Orthodontics Assistant");
  await freshet.candidate("Orthodontic Assistant", "Orthodontics Assistant");
  await freshet.role("Glazier");
  const scraper = await freshet.scraper("one");
  await admin.getByRole("link", { name: "Roles" }).click();
  const rows = admin.getByRole("table", { name: "Roles" }).getByRole("row");
  await expect(rows).toHaveCount(4);

  await admin.getByLabel("Search").fill("glaz");
  await expect(rows).toHaveCount(2);
  const glazier = rows.filter({ hasText: "Glazier" });
  await glazier.getByLabel("Priority of Glazier").selectOption("urgent");
  await expect(
    admin.getByRole("status").filter({ hasText: "“Glazier” has priority urgent now." }),
  ).toBeVisible();
  const session = await scraper.next();
  await scraper.post(session, freshet.freshJobs(2));
  await expect(glazier).toContainText("done");
  await glazier.getByRole("button", { name: "Requeue Glazier" }).click();
  await admin.getByRole("button", { name: "Requeue it" }).click();
  await expect(glazier).toContainText("waiting");
  await admin.getByLabel("State").selectOption("done");
  await expect(admin.getByText("No role is like that.")).toBeVisible();

  await admin.getByLabel("State").selectOption("all");
  await admin.getByLabel("Search").fill("");
  const newer = rows.filter({ hasText: "may be the same as Orthodontic Assistant" });
  await newer.getByRole("button", { name: "Merge Orthodontics Assistant" }).click();
  const dialog = admin.getByRole("dialog");
  // The suggestion is chosen already; what moves is said before it moves.
  await expect(dialog).toContainText("Orthodontics Assistant goes. To Orthodontic Assistant move:");
  await expect(dialog).toContainText("2 candidates linked to it");
  await expect(dialog).toContainText("1 name: Orthodontics Assistant");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(rows).toHaveCount(4);
  await newer.getByRole("button", { name: "Merge Orthodontics Assistant" }).click();
  await dialog.getByRole("button", { name: "Merge into “Orthodontic Assistant”" }).click();
  await expect(dialog).toBeHidden();
  await expect(rows).toHaveCount(3);
  const merged = rows.filter({ hasText: "also Orthodontics Assistant" });
  await expect(merged.getByRole("cell").nth(3)).toHaveText("3");
  const found = (await freshet.call("GET", "/api/admin/roles?q=orthodontic")).roles as Record<
    string,
    unknown
  >[];
  expect(found.map((role) => [role.name, role.candidate_count, role.aliases])).toEqual([
    ["Orthodontic Assistant", 3, ["Orthodontics Assistant"]],
  ]);
});

test("a role that is being scraped cannot go, and the reason is said", async ({ page, freshet }) => {
  // Not the quiet page: the browser itself reports the 409 in the console.
  await freshet.role("Cooper");
  await freshet.role("Baker", "urgent");
  await (await freshet.scraper("one")).next();
  await page.goto(`${freshet.url}/#token=${freshet.token()}`);
  await page.getByRole("link", { name: "Roles" }).click();
  await page.getByRole("button", { name: "Merge Baker" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("button", { name: "Merge", exact: true })).toBeDisabled();
  await dialog.getByLabel("The other role").fill("coop");
  await dialog.getByRole("button", { name: /Cooper/ }).click();
  await dialog.getByRole("button", { name: "Merge into “Cooper”" }).click();
  await expect(dialog.getByRole("alert")).toHaveText("The role is being scraped; requeue it, or wait.");
});

test("a wrong decision is corrected, and the correction is remembered", async ({ admin, freshet }) => {
  await freshet.role("Data Engineer");
  await freshet.candidate("Pipeline Plumber");
  await admin.getByRole("link", { name: "Decisions" }).click();
  const rows = admin.getByRole("table", { name: "Decisions" }).getByRole("row");
  const row = rows.filter({ hasText: "Pipeline Plumber" });
  await expect(row).toContainText("new role");
  await row.getByRole("button", { name: "Correct Pipeline Plumber" }).click();
  const dialog = admin.getByRole("dialog");
  await dialog.getByLabel("The right role").fill("data eng");
  await dialog.getByRole("button", { name: /Data Engineer/ }).click();
  await dialog.getByRole("button", { name: "It is “Data Engineer”" }).click();
  await expect(row).toContainText("corrected by admin:tester");
  await freshet.candidate("Senior Pipeline Plumber");
  await expect(rows.filter({ hasText: "Senior Pipeline Plumber" }).getByRole("cell").nth(1)).toHaveText(
    "Data Engineer",
  );
});

test("a new role is made from a title", async ({ admin, freshet }) => {
  await admin.getByRole("link", { name: "Roles" }).click();
  await expect(admin.getByText("There is no role yet.")).toBeVisible();
  await admin.getByRole("button", { name: "New role" }).click();
  await admin.getByLabel("Title").fill("Senior Glazier (m/f/d)");
  await admin.getByRole("dialog").getByLabel("Priority").selectOption("high");
  await admin.getByRole("button", { name: "Make the role" }).click();
  await expect(admin.getByText("“Senior Glazier (m/f/d)” is the role “Glazier”.")).toBeVisible();
  await expect(admin.getByLabel("Priority of Glazier")).toHaveValue("high");
  expect(freshet.sql("select name, priority from roles")).toBe("Glazier|high");
});
