import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { type Runner, startRunner } from "../../e2e/support/runner.ts";

/** The folder of the screenshots, for people to look at. */
const screenshots = new URL("../screenshots/", import.meta.url).pathname;

export type Visit = {
  page: Page;
  /** Errors, refused loads and violations of the policy that the page has reported. */
  complaints: string[];
  /** The origins that the page has sent requests to. */
  origins: Set<string>;
  screenshot(name: string): Promise<void>;
};

/** A local runner and a browser for the tests of a file. */
export function consoleForTests() {
  let runner: Runner;
  let browser: Browser;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "browser-"));
    [runner, browser] = await Promise.all([
      startRunner({ folder }),
      chromium.launch({
        executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
        args: ["--no-sandbox"],
      }),
    ]);
  });
  afterAll(async () => {
    await browser?.close();
    await runner?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  return {
    get runner() {
      return runner;
    },
    /** Opens a page of the runner in a fresh browser context. */
    async visit(path = "/console"): Promise<Visit> {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
      const page = await context.newPage();
      const complaints: string[] = [];
      const origins = new Set<string>();
      page.on("pageerror", (error) => complaints.push(String(error)));
      page.on("console", (message) => {
        if (message.type() === "error") complaints.push(message.text());
      });
      page.on("request", (request) => {
        if (!request.url().startsWith("data:")) origins.add(new URL(request.url()).origin);
      });
      await page.goto(`${runner.baseUrl}${path}`);
      return {
        page,
        complaints,
        origins,
        async screenshot(name) {
          await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true });
        },
      };
    },
  };
}
