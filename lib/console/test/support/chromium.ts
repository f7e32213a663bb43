import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** WebSocket address of Chromium. */
    chromium: string;
  }
}

const headed = "/usr/bin/chromium";
/** Prefers Chromium's headless shell, which draws no window and so uses less processor time. */
const programs = process.env.HEADED ? [headed] : ["/usr/bin/chromium-headless-shell", headed];

/** Names Debian's Chromium, or the program in CHROMIUM. */
export const launchOptions = {
  executablePath: process.env.CHROMIUM ?? programs.find((path) => existsSync(path)) ?? "chromium",
  args: ["--no-sandbox"],
  headless: !process.env.HEADED,
};

/** Starts one Chromium for all test files. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const browser = await chromium.launchServer(launchOptions);
  project.provide("chromium", browser.wsEndpoint());
  return () => browser.close();
}
