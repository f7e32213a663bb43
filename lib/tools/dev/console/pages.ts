import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import type { Route } from "cdk-local-runner";
import { build } from "esbuild";
import { type PageFile, staticPages } from "../static-pages.ts";

/** Bundled as they are, without a build before. */
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

const pageNames = ["index.html", "components.html"];

/**
 * Serves a page for trying the service in a browser, and one with its components. They may load their own files, and
 * connect only to this runner.
 *
 * @param options.isWatched Makes a reload show changes of the code.
 */
export function consolePages({ isWatched = false } = {}): Route {
  const pages = pageNames.map((name) => {
    const body = readFileSync(new URL(name, import.meta.url));
    return [name, { type: "text/html; charset=utf-8", body }] as const;
  });
  let bundled: Promise<ReadonlyMap<string, PageFile>> | undefined;
  // Bundles the page on its first visit, since most runs never show it.
  async function files(name: string) {
    if (bundled === undefined || (isWatched && pageNames.includes(name))) bundled = bundle();
    return new Map([...pages, ...(await bundled)]);
  }
  return staticPages(CONSOLE, files, policy);
}

const scripts = { console: "app/main.tsx", components: "app/gallery.tsx" };

/** Bundles the scripts and console.css, in a fifth of a second. */
async function bundle(): Promise<ReadonlyMap<string, PageFile>> {
  const entries = { ...scripts, style: "app/styles/console.css" };
  const { outputFiles } = await build({
    entryPoints: Object.entries(entries).map(([out, path]) => ({
      in: fileURLToPath(new URL(path, import.meta.url)),
      out,
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
      const type = `text/${path.endsWith(".js") ? "javascript" : "css"}; charset=utf-8`;
      const name = path.endsWith(".js") ? basename(path) : "console.css";
      return [name, { type, body: Buffer.from(contents) }];
    }),
  );
}
