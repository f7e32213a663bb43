import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "trading-terminal-devnet/free-ports";
import { chainPorts } from "trading-terminal-devnet/local-chains";
import type { TestProject } from "vitest/node";
import { type Runner, startRunner } from "../../e2e/support/runner.ts";
import { servePages } from "./page-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    runner: Pick<Runner, "baseUrl" | "streamUrl">;
    pages: { ofTheSite: string; ofAnother: string };
  }
}

/** Starts one local runner, with chains, for all files. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "browser-"));
  const server = await servePages();
  // Chromium resolves all of them to this machine.
  const pages = {
    ofTheSite: `http://app.terminal.localhost:${server.port}`,
    ofAnother: `http://app.other.localhost:${server.port}`,
  };
  const runner = await startRunner({
    folder,
    chainPort: await freePorts(chainPorts),
    // The service allows both, so only the browser keeps the cookie from the other site.
    options: ["--allowed-origin", ...Object.values(pages)],
  });
  server.callApi(runner.baseUrl.replace("127.0.0.1", "api.terminal.localhost"));
  project.provide("runner", { baseUrl: runner.baseUrl, streamUrl: runner.streamUrl });
  project.provide("pages", pages);
  return async () => {
    server.close();
    await runner.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
