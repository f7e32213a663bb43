import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll } from "vitest";
import { consoleFiles, consolePolicy } from "../../pages.ts";

/**
 * Serves the console's pages to the tests of a file, without a service.
 *
 * @returns a function that returns their origin
 */
export function pagesForTests(): () => string {
  const filesFor = consoleFiles();
  const server = createServer(async ({ url = "/" }, response) => {
    const name = url.slice(1) || "index.html";
    const file = (await filesFor(name)).get(name);
    if (file === undefined) return response.writeHead(404).end();
    return response
      .writeHead(200, { "Content-Type": file.type, "Content-Security-Policy": consolePolicy })
      .end(file.body);
  });
  beforeAll(async () => void (await once(server.listen(0, "127.0.0.1"), "listening")));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
