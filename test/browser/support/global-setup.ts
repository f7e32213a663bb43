import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "cdk-local-runner/testing";
import { freePorts } from "trading-terminal-devnet/free-ports";
import { chainPorts } from "trading-terminal-devnet/local-chains";
import type { TestProject } from "vitest/node";
import { serveControl, startRunner } from "../../e2e/support/runner.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Addresses of the local runner, and one that answers once it serves. */
    runner: { baseUrl: string; streamUrl: string; control: string };
    pages: { ofTheSite: string; ofAnother: string };
  }
}

/** Starts one local runner with chains for all files. Does not wait for it, because some files do not need it. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "browser-"));
  const server = await servePages();
  // Makes Chromium resolve all these host names to this machine.
  const pages = {
    ofTheSite: `http://app.terminal.localhost:${server.port}`,
    ofAnother: `http://app.other.localhost:${server.port}`,
  };
  const [port, streamPort] = [await freePort(), await freePort()];
  const chainPort = await freePorts(chainPorts);
  const control = await serveControl(() =>
    startRunner({
      folder,
      port,
      streamPort,
      chainPort,
      // Makes the service allow both sites, so that only the browser prevents the other site from using the cookie.
      options: ["--allowed-origin", ...Object.values(pages)],
    }),
  );
  project.provide("runner", {
    baseUrl: `http://127.0.0.1:${port}`,
    streamUrl: `ws://127.0.0.1:${streamPort}`,
    control: control.url,
  });
  project.provide("pages", pages);
  server.callApi(`http://api.terminal.localhost:${port}`);
  return async () => {
    server.close();
    await control.stop();
    await rm(folder, { recursive: true, force: true });
  };
}

/** Serves docs/live-page.html, configured for `api`, with the built client next to it. */
async function servePages() {
  let api = "";
  const page = readFileSync("docs/live-page.html", "utf8");
  const files: Record<string, () => [type: string, text: string]> = {
    "/live-page.html": () => ["text/html", page.replace("http://api.terminal.localhost:3000", api)],
    "/client.js": () => ["text/javascript", readFileSync("lib/client/dist/index.js", "utf8")],
  };
  const server = createServer(({ url = "" }, response) => {
    const [type, text] = files[url]?.() ?? [];
    if (type === undefined) return response.writeHead(404).end();
    return response.writeHead(200, { "Content-Type": type }).end(text);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    port: (server.address() as AddressInfo).port,
    callApi(url: string) {
      api = url;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
