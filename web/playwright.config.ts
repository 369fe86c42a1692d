import { existsSync } from "node:fs";
import { defineConfig } from "@playwright/test";

// The browser is the machine's own, as the renderer's is: the same places in the same order (functions/renderer/src/chrome.rs).
const browser = [
  process.env.BROWSER,
  "/opt/chromium/chromium",
  "/usr/lib/chromium/chromium-headless-shell",
  "/usr/lib/chromium/chromium",
  "/opt/google/chrome/chrome",
].find((path) => path && existsSync(path));
if (!browser)
  throw new Error("no Chromium here; `scripts/setup browser` installs one, or set BROWSER to its path");

export default defineConfig({
  testDir: "tests",
  // Each test has a Freshet and a database of its own, so they do not mind each other.
  workers: 2,
  fullyParallel: true,
  forbidOnly: true,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [["list"]],
  use: {
    browserName: "chromium",
    headless: true,
    viewport: { width: 1280, height: 900 },
    timezoneId: "Europe/Berlin",
    launchOptions: {
      executablePath: browser,
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--disable-background-networking",
        "--disable-component-update",
      ],
    },
  },
});
