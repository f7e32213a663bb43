import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Route } from "cdk-local-runner";
import { build } from "esbuild";
import { type PageFile, staticPages } from "../static-pages.ts";

/** Bundled as they are, so that a reload shows their changes, too. */
const clientSources = fileURLToPath(new URL("../../../client", import.meta.url));

/** The path of the console, on the port of the API. */
const CONSOLE = "/console";

/** The chart sets styles by script, which the policy allows; it allows no inline styles. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

/**
 * Serves a page for trying the service in a browser. The page may load its own files, and connect only to this runner.
 */
export function consolePages(): Route {
  const page = {
    type: "text/html; charset=utf-8",
    body: readFileSync(new URL("index.html", import.meta.url)),
  };
  let bundled: Promise<ReadonlyMap<string, PageFile>> | undefined;
  // Bundles the page on its first visit, since most runs never show it. A reload shows changes of the code.
  async function files(name: string) {
    if (bundled === undefined || name === "index.html") bundled = bundle();
    return new Map([["index.html", page], ...(await bundled)]);
  }
  return staticPages(CONSOLE, files, policy);
}

/** Bundles console.js and console.css, in a tenth of a second. */
async function bundle(): Promise<ReadonlyMap<string, PageFile>> {
  const { outputFiles } = await build({
    entryPoints: ["app/main.tsx", "app/styles/console.css"].map((path) => ({
      in: fileURLToPath(new URL(path, import.meta.url)),
      out: "console",
    })),
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2023",
    jsx: "automatic",
    jsxImportSource: "preact",
    tsconfigRaw: "{}",
    alias: { "trading-terminal-client": clientSources },
    outdir: ".",
    write: false,
    logLevel: "silent",
  });
  return new Map(
    outputFiles.map(({ path, contents }) => {
      const isScript = path.endsWith(".js");
      const type = `text/${isScript ? "javascript" : "css"}; charset=utf-8`;
      return [isScript ? "console.js" : "console.css", { type, body: Buffer.from(contents) }];
    }),
  );
}
