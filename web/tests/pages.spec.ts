import { expect, SERVICE_KEY, test } from "./freshet";

test("a listing opens with its evidence", async ({ admin, freshet }) => {
  const scraper = await freshet.scraper("one");
  await freshet.role("Glazier");
  await scraper.post(await scraper.next(), freshet.freshJobs(2));
  await admin.getByRole("link", { name: "Listings" }).click();
  await expect(admin.getByLabel("Figures")).toContainText("Open listings2");
  const toggle = admin.getByRole("button", { name: /Engineer number 1/ });
  await expect(toggle).toHaveAttribute("aria-expanded", "false");
  await toggle.press("Enter");
  await expect(toggle).toHaveAttribute("aria-expanded", "true");
  await expect(admin.getByRole("list", { name: "Evidence" })).toContainText("created");
  await expect(admin.getByRole("link", { name: "https://example.com/jobs/1" }).first()).toHaveAttribute(
    "rel",
    /noopener/,
  );
  await admin.getByText("Closed", { exact: true }).click();
  await expect(admin.getByText("No listing is like that.")).toBeVisible();
});

test("dead letters are replayed and discarded, after a question", async ({ admin, freshet }) => {
  freshet.sql(`insert into dead_letters (queue, message_id, group_id, body, receive_count, died_at)
    select 'notify', 'm' || n, 'group ' || n, '{"delivery_id":"none"}', 3, now() from generate_series(1, 2) n`);
  await admin.getByRole("link", { name: "Dead letters" }).click();
  await admin.getByRole("button", { name: "Discard dead letter 1" }).click();
  const dialog = admin.getByRole("dialog");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  expect(freshet.sql("select count(*) from dead_letters")).toBe("2");
  await admin.getByRole("button", { name: "Discard dead letter 1" }).click();
  await dialog.getByRole("button", { name: "Discard it" }).click();
  await expect(admin.getByText("Letter 1 was dropped.")).toBeVisible();
  expect(freshet.sql("select id from dead_letters")).toBe("2");
  await admin.getByRole("button", { name: "Replay dead letter 2" }).click();
  await dialog.getByRole("button", { name: "Replay it" }).click();
  await expect(admin.getByText("Letter 2 was sent again.")).toBeVisible();
  await expect(admin.getByText("There are none.")).toBeVisible();
});

test("addresses are handed in with a service key, and their end is told", async ({ admin, freshet }) => {
  await admin.getByRole("link", { name: "Hand in" }).click();
  await admin.getByLabel("Service key (kept until this tab is closed)").fill(SERVICE_KEY);
  await admin.getByRole("button", { name: "Use this key" }).click();
  await admin
    .getByLabel("Addresses", { exact: true })
    .last()
    .fill("http://169.254.169.254/latest\nhttp://127.0.0.1:9/jobs/1");
  await admin.getByRole("button", { name: "Hand in" }).click();
  const job = admin.getByRole("article");
  await expect(job).toContainText("2 failed", { timeout: 30_000 });
  await expect(job).toContainText("(address_refused)");
  expect(freshet.sql("select count(*) from tasks")).toBe("2");
});

test("the app is served with its manners", async ({ request, freshet }) => {
  const index = await request.get(freshet.url);
  const policy = index.headers()["content-security-policy"] ?? "";
  expect(policy).toContain("script-src 'self'");
  expect(policy).not.toContain("unsafe");
  expect(index.headers()["cache-control"]).toBe("no-cache");
  expect(index.headers()["referrer-policy"]).toBe("no-referrer");
  expect(index.headers()["x-content-type-options"]).toBe("nosniff");
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(await index.text())?.[1] ?? "";
  const asset = await request.get(freshet.url + script);
  expect(asset.headers()["content-type"]).toBe("text/javascript; charset=utf-8");
  expect(asset.headers()["cache-control"]).toContain("immutable");
  expect((await request.get(`${freshet.url}/assets/none.js`)).status()).toBe(404);
});
