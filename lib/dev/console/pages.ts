import { readFileSync } from "node:fs";
import { type GatewayResponse, json, pathOf, type Route } from "cdk-local-runner";

/** The path of the console, on the port of the API. */
export const CONSOLE = "/console";

const types = {
  "index.html": "text/html; charset=utf-8",
  "console.css": "text/css; charset=utf-8",
  "console.js": "text/javascript; charset=utf-8",
  "operations.js": "text/javascript; charset=utf-8",
  "prices.js": "text/javascript; charset=utf-8",
  "stream.js": "text/javascript; charset=utf-8",
};

/**
 * Serves a page for trying the service in a browser. The page may load its own files and talk to this runner only.
 *
 * @param streamUrl the WebSocket URL that it may connect to. Undefined without a WebSocket API.
 */
export function consolePages(streamUrl: string | undefined): Route {
  const headers = [
    ["Content-Security-Policy", contentSecurityPolicy(streamUrl)],
    ["X-Content-Type-Options", "nosniff"],
    ["Referrer-Policy", "no-referrer"],
    ["Cross-Origin-Opener-Policy", "same-origin"],
    ["Cache-Control", "no-store"],
  ] as const;
  const pages = new Map(
    Object.entries(types).map(([name, type]): [string, GatewayResponse] => [
      name === "index.html" ? CONSOLE : `${CONSOLE}/${name}`,
      {
        status: 200,
        headers: [["Content-Type", type], ...headers],
        body: readFileSync(new URL(name, import.meta.url)),
      },
    ]),
  );

  return (request) => {
    const path = pathOf(request).replace(/\/$/, "");
    if (path !== CONSOLE && !path.startsWith(`${CONSOLE}/`)) return undefined;
    return Promise.resolve(answer(request.method, pages.get(path)));
  };
}

function answer(method: string, page: GatewayResponse | undefined): GatewayResponse {
  if (page === undefined) return json(404, { error: "Not found" });
  if (method !== "GET" && method !== "HEAD")
    return json(405, { error: "Method not allowed" }, ["Allow", "GET"]);
  return page;
}

function contentSecurityPolicy(streamUrl: string | undefined): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src data:",
    `connect-src 'self'${streamUrl === undefined ? "" : ` ${streamUrl}`}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");
}
