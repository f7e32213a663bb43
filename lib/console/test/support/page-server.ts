import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll } from "vitest";
import { buildConsole, buildGallery, consolePath, pagePolicy } from "../../build.ts";

const galleryPath = "/gallery";

/**
 * Serves the console, and its gallery at `/gallery/`, to the tests of a file, without a service.
 *
 * @returns a function that returns their origin
 */
export function pagesForTests(): () => string {
  const [shown, gallery] = [buildConsole(), buildGallery(galleryPath)];
  const server = createServer(({ url = "/" }, response) => {
    const files = url.startsWith(galleryPath) ? gallery : shown;
    const name = url.replace(new RegExp(`^(${consolePath}|${galleryPath})?/`), "");
    const file = files.get(name.includes(".") ? name : "index.html");
    if (file === undefined) return response.writeHead(404).end();
    return response
      .writeHead(200, { "Content-Type": file.type, "Content-Security-Policy": pagePolicy() })
      .end(file.body);
  });
  beforeAll(async () => void (await once(server.listen(0, "127.0.0.1"), "listening")));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
