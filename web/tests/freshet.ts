// The real program on a real Postgres, for each test its own, and the calls that scrapers and backends make.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as base, type ConsoleMessage, expect, type Page } from "@playwright/test";

const root = new URL("../..", import.meta.url).pathname;
export const program = process.env.FRESHET ?? join(root, "target/debug/freshet");
export const SERVICE_KEY = "a-service-key-for-the-web-tests";
const SIGNING_KEY = "a-signing-key-for-the-web-tests";

type Json = Record<string, unknown>;

export class Freshet {
  url = "";
  private child: ChildProcess | undefined;
  private readonly data = mkdtempSync(join(tmpdir(), "freshet-web-"));
  private readonly database = `web_${process.pid}_${Math.random().toString(36).slice(2, 10)}`;
  private port = 0;
  private jobs = 0;

  private get environment(): Record<string, string> {
    return {
      PATH: process.env.PATH ?? "",
      DATABASE_URL: cluster(this.database),
      DATABASE_POOL_SIZE: "8",
      FRESHET_DATA: this.data,
      PORT: String(this.port),
      SERVICE_KEYS: SERVICE_KEY,
      ADMIN_SIGNING_KEY: SIGNING_KEY,
      NEXT_ROLE_PER_MINUTE: "1000",
    };
  }

  async start() {
    if (!this.port) psql("postgres", `create database ${this.database}`);
    const child = spawn(program, ["serve"], { env: this.environment, stdio: ["ignore", "pipe", "pipe"] });
    this.child = child;
    let said = "";
    await new Promise<void>((ready, failed) => {
      const hear = (part: Buffer) => {
        said += part;
        const found = /running at +(http:\/\/127\.0\.0\.1:(\d+))/.exec(said);
        if (!found) return;
        this.url = found[1] ?? "";
        this.port = Number(found[2]);
        ready();
      };
      child.stdout.on("data", hear);
      child.stderr.on("data", hear);
      child.on("exit", (code) => failed(new Error(`freshet ended with ${code}:\n${said}`)));
    });
  }

  async stop() {
    const { child } = this;
    if (!child) return;
    this.child = undefined;
    const ended = new Promise((done) => child.on("exit", done));
    child.kill("SIGKILL");
    await ended;
  }

  async end() {
    await this.stop();
    psql("postgres", `drop database if exists ${this.database} with (force)`);
    rmSync(this.data, { recursive: true, force: true });
  }

  sql(statement: string): string {
    return psql(this.database, statement);
  }

  /** A token as the sign-in link holds one, that ends so many seconds from now. */
  token(lasts = 3600): string {
    const now = Math.floor(Date.now() / 1000);
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const claims = {
      sub: "tester",
      role: "admin",
      iss: "freshet",
      iat: Math.min(now, now + lasts) - 60,
      exp: now + lasts,
    };
    const text = `${part({ typ: "JWT", alg: "HS256" })}.${part(claims)}`;
    return `${text}.${createHmac("sha256", SIGNING_KEY).update(text).digest("base64url")}`;
  }

  async call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Json> {
    const response = await fetch(this.url + path, {
      method,
      headers: headers ?? { authorization: `Bearer ${this.token()}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return text ? JSON.parse(text) : {};
  }

  async role(name: string, priority = "normal"): Promise<number> {
    return (await this.call("POST", "/api/admin/roles", { name, priority })).id as number;
  }

  async candidate(...titles: string[]) {
    await this.call("POST", "/api/candidates", { preferred_roles: titles }, { "x-service-key": SERVICE_KEY });
  }

  async scraper(name: string): Promise<Scraper> {
    const made = await this.call("POST", "/api/admin/scraper-keys", { name });
    return new Scraper(this, made.api_key as string);
  }

  /** Jobs that nobody has posted before. */
  freshJobs(count: number): Json[] {
    return Array.from({ length: count }, () => {
      this.jobs += 1;
      return {
        external_job_id: `job-${this.jobs}`,
        platform: "dice",
        title: `Engineer number ${this.jobs}`,
        company: "Lanternfish Works",
        location: "Bristol",
        job_url: `https://example.com/jobs/${this.jobs}`,
      };
    });
  }
}

export class Scraper {
  constructor(
    private readonly freshet: Freshet,
    readonly key: string,
  ) {}

  private call(method: string, path: string, body?: unknown) {
    return this.freshet.call(method, `/api/scraper/queue/${path}`, body, { "x-scraper-api-key": this.key });
  }

  async next(): Promise<string> {
    return (await this.call("GET", "next-role")).session_id as string;
  }

  post(session: string, jobs: Json[], complete = true) {
    return this.call("POST", "jobs", { session_id: session, jobs, complete });
  }

  fail(session: string, reason: string) {
    return this.call("POST", `sessions/${session}/fail`, { reason });
  }
}

function cluster(database: string): string {
  const url =
    process.env.TEST_DATABASE_URL ?? execFileSync(join(root, "scripts/test-postgres"), { encoding: "utf8" });
  return url.trim().replace(/\/[^/]*$/, `/${database}`);
}

function psql(database: string, statement: string): string {
  const bin = execFileSync(join(root, "scripts/setup"), ["--postgres-bin"], { encoding: "utf8" }).trim();
  return execFileSync(
    join(bin, "psql"),
    ["-qAt", "-v", "ON_ERROR_STOP=1", "-c", statement, cluster(database)],
    {
      encoding: "utf8",
    },
  ).trim();
}

interface Fixtures {
  freshet: Freshet;
  /** A page that must not complain: any error in its console fails the test. */
  quiet: Page;
  /** Signed in by the link, on the queue. */
  admin: Page;
}

export const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright wants to see which fixtures it needs
  freshet: async ({}, use) => {
    const freshet = new Freshet();
    try {
      await freshet.start();
      await use(freshet);
    } finally {
      await freshet.end();
    }
  },
  quiet: async ({ page }, use) => {
    const complaints: string[] = [];
    page.on("console", (message: ConsoleMessage) => {
      if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    await use(page);
    expect(complaints).toEqual([]);
  },
  admin: async ({ quiet, freshet }, use) => {
    await quiet.goto(`${freshet.url}/#token=${freshet.token()}`);
    await expect(quiet.getByRole("heading", { name: "Queue", level: 1 })).toBeVisible();
    await use(quiet);
  },
});

export { expect };

/** The body never scrolls sideways. */
export async function fitsItsWidth(page: Page) {
  const over = await page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const wide = [...document.querySelectorAll("body *")].filter((node) => {
      const box = node.getBoundingClientRect();
      return box.width > 0 && box.right > width + 1 && getComputedStyle(node).position !== "absolute";
    });
    const { scrollWidth } = document.documentElement;
    return scrollWidth > width
      ? wide.map((node) => node.outerHTML.slice(0, 120)).concat(`${scrollWidth} > ${width}`)
      : [];
  });
  expect(over).toEqual([]);
}
