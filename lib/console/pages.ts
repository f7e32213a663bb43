import { readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

type PageFile = { type: string; body: Buffer };

type PageFiles = ReadonlyMap<string, PageFile>;

/** Bundles the client from its sources, so that it needs no separate build. */
const clientSources = dirname(fileURLToPath(import.meta.resolve("trading-terminal-client/package.json")));

/**
 * Allows the pages to load only their own files and to connect only to their own server. The chart sets styles by
 * script, which is allowed; inline styles are not.
 */
export const consolePolicy = [
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
 * Finds the files of the console and its gallery of components.
 * @param options.isWatched Bundles again on each reload, to show changed code.
 */
export function consoleFiles({ isWatched = false } = {}): (name: string) => Promise<PageFiles> {
  const pages = pageNames.map((name) => {
    const body = readFileSync(new URL(name, import.meta.url));
    return [name, { type: "text/html; charset=utf-8", body }] as const;
  });
  let bundled: Promise<PageFiles> | undefined;
  // Bundles a page on its first visit, because most runs never show it.
  return async (name) => {
    if (bundled === undefined || (isWatched && pageNames.includes(name))) bundled = bundle();
    return new Map([...pages, ...(await bundled)]);
  };
}

const scripts = { console: "app/main.tsx", components: "app/gallery.tsx" };

/** Bundles the scripts and console.css in about 200 ms. */
async function bundle(): Promise<PageFiles> {
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
