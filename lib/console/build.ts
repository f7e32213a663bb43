import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

type PageFile = { type: string; body: Buffer };

/** Files of a page, by path below its address. */
type PageFiles = ReadonlyMap<string, PageFile>;

/** Path of the console at the address of the service. */
export const consolePath = "/console";

/** Folder of the files whose names contain a hash of their content, so that browsers may keep them for good. */
export const hashedFolder = "files";

/**
 * Allows the page to load only its own files and to connect only to its own host, which includes the stream, and to
 * other origins that it needs. The chart sets styles by script, which is allowed; inline styles are not.
 */
export const pagePolicy = (otherOrigins: readonly string[] = []): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "manifest-src 'self'",
    ["connect-src 'self'", ...otherOrigins].join(" "),
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    // Allows only the script that shows notices.
    "trusted-types service-worker",
  ].join("; ");

/** Bundles the client from its sources, so that it needs no separate build. */
const clientSources = dirname(fileURLToPath(import.meta.resolve("trading-terminal-client/package.json")));

const sources = import.meta.dirname;

const types: Readonly<Record<string, string>> = {
  css: "text/css",
  html: "text/html",
  js: "text/javascript",
  json: "application/json",
  svg: "image/svg+xml",
};

/** Builds the console in about 300 ms. */
export const buildConsole = (): PageFiles =>
  new Map([
    ...build("index.html", "main.tsx", consolePath),
    ["service-worker.js", { type: types.js ?? "", body: serviceWorker() }],
  ]);

/** Bundles the script that shows notices while no page is open. Browsers look for changes of it by its name. */
function serviceWorker(): Buffer {
  const { outputFiles } = buildSync({
    absWorkingDir: sources,
    entryPoints: ["worker/service-worker.ts"],
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2023",
    tsconfigRaw: "{}",
    write: false,
    logLevel: "silent",
  });
  return Buffer.concat(outputFiles.map(({ contents }) => contents));
}

/** Builds the console into a folder, from which it is deployed. */
export function writeConsole(folder: string): void {
  for (const [name, { body }] of buildConsole()) {
    const file = resolve(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, body);
  }
}

/**
 * Builds the gallery of the console's components, which is not deployed.
 *
 * @param path Path of the gallery at its server, without a final slash.
 */
export const buildGallery = (path: string): PageFiles => build("components.html", "gallery.tsx", path);

/**
 * Bundles a page's script and style into files with hashed names, and names them in the page. Its URLs are absolute,
 * because the page is shown at any path below its own.
 */
function build(page: string, script: string, path: string): PageFiles {
  const { outputFiles } = buildSync({
    absWorkingDir: sources,
    entryPoints: { script: `app/${script}`, style: "app/styles/console.css" },
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: "es2023",
    jsx: "automatic",
    jsxImportSource: "preact",
    tsconfigRaw: "{}",
    alias: { "trading-terminal-client": clientSources },
    entryNames: `${hashedFolder}/[name]-[hash]`,
    chunkNames: `${hashedFolder}/[name]-[hash]`,
    outdir: sources,
    write: false,
    logLevel: "silent",
  });
  const bundled = outputFiles.map(({ path, contents }) => {
    const name = basename(path);
    return {
      plain: name.replace(/-\w{8}\./, "."),
      name: `${hashedFolder}/${name}`,
      body: Buffer.from(contents),
    };
  });
  const nameOf = (plain: string) => bundled.find((file) => file.plain === plain)?.name ?? plain;
  const read = (name: string) => readFileSync(resolve(sources, name));
  const html = String(read(page)).replace(
    /(?<=(?:href|src)=")[\w.]+(?=")/g,
    (plain) => `${path}/${nameOf(plain)}`,
  );
  const files: [name: string, body: Buffer][] = [
    ["index.html", Buffer.from(html)],
    ["icon.svg", read("icon.svg")],
    ["manifest.json", read("manifest.json")],
    ...bundled.map(({ name, body }): [string, Buffer] => [name, body]),
  ];
  return new Map(
    files.map(([name, body]) => [name, { type: types[name.split(".").at(-1) ?? ""] ?? "", body }]),
  );
}
