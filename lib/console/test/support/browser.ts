import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, inject } from "vitest";

/** Folder of the screenshots that `SCREENSHOTS=1` keeps for people to check. */
const screenshots = new URL("../screenshots/", import.meta.url).pathname;

export type Visit = {
  page: Page;
  context: BrowserContext;
  /** Errors, blocked loads and policy violations that the page reported. */
  complaints: string[];
  /** Origins to which the page has sent requests. */
  origins: Set<string>;
  screenshot: (name: string, options?: { fullPage: boolean }) => Promise<void>;
};

export type VisitOptions = {
  width?: number;
  height?: number;
  colorScheme?: "light" | "dark";
  context?: BrowserContext;
};

/**
 * Connects the tests of a file to the shared browser.
 *
 * @returns a function that opens a page, in a new browser context if none is given
 */
export function visitsForTests(): (url: string, options?: VisitOptions) => Promise<Visit> {
  let browser: Browser;

  beforeAll(async () => {
    // Slows the browser down, so that people can follow.
    browser = await chromium.connect(inject("chromium"), process.env.HEADED ? { slowMo: 400 } : {});
  });
  afterAll(async () => browser?.close());

  return async (url, { width = 1280, height = 900, colorScheme = "light", ...options } = {}) => {
    const context =
      options.context ??
      (await browser.newContext({
        viewport: { width, height },
        colorScheme,
        reducedMotion: "reduce",
      }));
    // Allows for machines that are busy with other programs.
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    const complaints: string[] = [];
    const origins = new Set<string>();
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(`${message.text()} ${message.location().url}`);
    });
    page.on("request", (request) => {
      if (!request.url().startsWith("data:")) origins.add(new URL(request.url()).origin);
    });
    await page.goto(url);
    return {
      page,
      context,
      complaints,
      origins,
      async screenshot(name, { fullPage } = { fullPage: true }) {
        if (process.env.SCREENSHOTS)
          await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage });
      },
    };
  };
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The accessibility rules that depend on a page's theme. */
export const themeRules = ["color-contrast", "link-in-text-block"];

/**
 * Lists the accessibility rules that a page breaks, with the elements.
 *
 * @param rules Names the rules to check, which are all by default.
 */
export async function brokenRules(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(axeSource);
  const options = JSON.stringify(rules ? { runOnly: rules } : {});
  const { violations } = (await page.evaluate(`axe.run(${options})`)) as {
    violations: { id: string; nodes: { target: string[] }[] }[];
  };
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`,
  );
}
