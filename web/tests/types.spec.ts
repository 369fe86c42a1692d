import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "@playwright/test";
import { program } from "./freshet";

test("the types are those of the API; `npm run types` makes them new", () => {
  const web = new URL("..", import.meta.url).pathname;
  const now = execFileSync("node", ["types.mjs", "print"], {
    cwd: web,
    encoding: "utf8",
    maxBuffer: 1 << 26,
    env: { ...process.env, FRESHET: program },
  });
  expect(
    readFileSync(`${web}/src/api.d.ts`, "utf8") === now,
    "src/api.d.ts is stale: run npm run types",
  ).toBe(true);
});
