import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { chainPorts } from "trading-terminal-devnet/local-chains";
import type { TestProject } from "vitest/node";
import { type Runner, startRunner } from "../../e2e/support/runner.ts";
import { freePorts } from "../../support/free-ports.ts";
import { servePages } from "./page-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    runner: Pick<Runner, "baseUrl" | "streamUrl">;
    pages: { ofTheSite: string; ofAnother: string };
    /** The address of Chromium. */
    chromium: string;
  }
}

const headed = "/usr/bin/chromium";
/** The shell draws no window and no toolbar, and so takes less processor time. */
const programs = process.env.HEADED ? [headed] : ["/usr/bin/chromium-headless-shell", headed];

/** Starts one local runner, with chains, and one Chromium for all files. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "browser-"));
  const server = await servePages();
  // Chromium resolves all of them to this machine.
  const pages = {
    ofTheSite: `http://app.terminal.localhost:${server.port}`,
    ofAnother: `http://app.other.localhost:${server.port}`,
  };
  const browser = await chromium.launchServer({
    executablePath: process.env.CHROMIUM ?? programs.find((path) => existsSync(path)) ?? "chromium",
    args: ["--no-sandbox"],
    headless: !process.env.HEADED,
  });
  const runner = await startRunner({
    folder,
    chainPort: await freePorts(chainPorts),
    // The service allows both, so only the browser keeps the cookie from the other site.
    options: ["--allowed-origin", ...Object.values(pages)],
  });
  server.callApi(runner.baseUrl.replace("127.0.0.1", "api.terminal.localhost"));
  project.provide("runner", { baseUrl: runner.baseUrl, streamUrl: runner.streamUrl });
  project.provide("pages", pages);
  project.provide("chromium", browser.wsEndpoint());
  return async () => {
    await browser.close();
    server.close();
    await runner.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
