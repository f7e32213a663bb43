import { readFileSync } from "node:fs";
import { extname } from "node:path";
import { docsPages } from "../../../infra/docs-pages.ts";
import { type LocalPorts, withAddresses } from "../local-addresses.ts";

export type SiteFile = { type: string; body: Buffer };

/**
 * Content security policy of the page, which loads nothing from other hosts and sends nothing to them. Redoc adds
 * styles from its script.
 */
export const referencePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

/** Bundle of Redoc, which renders both documents. It has no dependencies. */
const renderer = import.meta.resolve("redoc/bundles/redoc.standalone.js");

/** Returns Redoc's bundle without the logo that it would load from another host. Redoc leaves out an empty picture. */
const withoutLogo = () =>
  readFileSync(new URL(renderer), "utf8").replaceAll(
    /https:\/\/cdn\.redoc\.ly\/redoc\/logo[\w-]*\.svg/g,
    "data:,",
  );

const page = (title: string, body: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <meta http-equiv="Content-Security-Policy" content="${referencePolicy}">
    <title>${title}</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="reference.css">
  </head>
  <body>
${body}
  </body>
</html>
`;

const reference = (title: string, document: string) =>
  page(
    title,
    `    <redoc spec-url="${document}" disable-telemetry="true"></redoc>
    <script type="module" src="redoc.js"></script>`,
  );

const index = page(
  "Trading terminal: reference",
  `    <main class="index">
      <h1>Trading terminal</h1>
      <p>A REST API for what you ask, and one WebSocket for what happens.</p>
      <ul>
        <li>
          <a href="rest.html">REST API</a>
          <p>Wallets, settings, quotes, orders and rewards. Every example can be pasted. <a href="openapi.json">openapi.json</a></p>
        </li>
        <li>
          <a href="streams.html">Streams</a>
          <p>Prices, orders, positions, settings and wallets, as they change. <a href="asyncapi.json">asyncapi.json</a></p>
        </li>
        <li>
          <a href="llms.txt">llms.txt</a>
          <p>All pages as Markdown, for agents.</p>
        </li>
      </ul>
    </main>`,
);

/** Types of the documents for programs. llms.txt is Markdown, too. */
const typeOf = (name: string) =>
  extname(name) === ".json" ? "application/json" : "text/markdown; charset=utf-8";

/**
 * Lists the reference pages and the documents for programs by file name, in one folder. They can be read without a
 * network.
 *
 * @param ports Ports of the local runner that serves the pages
 */
export function siteFiles(ports?: LocalPorts): Map<string, SiteFile> {
  const file = (type: string, body: string | Buffer) => ({ type, body: Buffer.from(body) });
  const html = (text: string) => file("text/html; charset=utf-8", text);
  const addressed = (text: string) => (ports === undefined ? text : withAddresses(text, ports));
  return new Map([
    ["index.html", html(index)],
    ["rest.html", html(reference("REST API: trading terminal", "openapi.json"))],
    ["streams.html", html(reference("Streams: trading terminal", "asyncapi.json"))],
    [
      "reference.css",
      file("text/css; charset=utf-8", readFileSync(new URL("reference.css", import.meta.url))),
    ],
    ["redoc.js", file("text/javascript; charset=utf-8", withoutLogo())],
    ...[...docsPages()].map(([name, text]) => [name, file(typeOf(name), addressed(text))] as const),
  ]);
}
