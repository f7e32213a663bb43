import { readFileSync } from "node:fs";
import type { Route } from "cdk-local-runner";
import { type PageFile, staticPages } from "../static-pages.ts";

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
  const files = Object.entries(types).map(([name, type]): [string, PageFile] => [
    name,
    { type, body: readFileSync(new URL(name, import.meta.url)) },
  ]);
  return staticPages(CONSOLE, new Map(files), contentSecurityPolicy(streamUrl));
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
    "require-trusted-types-for 'script'",
  ].join("; ");
}
