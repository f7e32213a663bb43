import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Serves docs/live-page.html, configured for `api`, and the built client next to it. */
export async function servePages() {
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
