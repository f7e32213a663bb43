import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import { buildConsole, buildGallery, consolePath, pagePolicy } from "../../build.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Origin that serves the console without a service, and its gallery at `/gallery/`. */
    consoleOrigin: string;
  }
}

const galleryPath = "/gallery";

/** Serves the console and its gallery to all test files, without a service. Builds each when a test first opens it. */
export default async function setUp(project: TestProject): Promise<() => void> {
  const build = { console: buildConsole, gallery: () => buildGallery(galleryPath) };
  const built: Partial<Record<keyof typeof build, ReturnType<typeof buildConsole>>> = {};
  const server = createServer(({ url = "/" }, response) => {
    const [path = ""] = url.split("?");
    const page = path.startsWith(galleryPath) ? "gallery" : "console";
    built[page] ??= build[page]();
    const name = path.replace(new RegExp(`^(${consolePath}|${galleryPath})?/`), "");
    const file = built[page].get(name.includes(".") ? name : "index.html");
    if (file === undefined) return response.writeHead(404).end();
    return response
      .writeHead(200, { "Content-Type": file.type, "Content-Security-Policy": pagePolicy() })
      .end(file.body);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  project.provide("consoleOrigin", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return () => {
    server.closeAllConnections();
    server.close();
  };
}
