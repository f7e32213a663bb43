/**
 * `npm run documents`: writes the documents that are derived from the table of operations and the schemas.
 * With --check it writes nothing and exits with 1 if one of them is out of date.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { asyncApiDocument } from "../lib/documents/asyncapi.ts";
import { functionsPage } from "../lib/documents/functions-page.ts";
import { openApiDocument } from "../lib/documents/openapi.ts";

const json = (document: object) => `${JSON.stringify(document, null, 2)}\n`;

const documents = {
  "docs/openapi.json": () => json(openApiDocument()),
  "docs/asyncapi.json": () => json(asyncApiDocument()),
  "docs/functions.md": functionsPage,
};

type Deps = { read(path: string): string; write(path: string, text: string): void; warn(line: string): void };

/** Returns the exit code. */
export function main(argv: readonly string[], { read, write, warn }: Deps): number {
  const { check } = parseArgs({ args: [...argv], options: { check: { type: "boolean" } } }).values;
  const current = Object.entries(documents).map(([path, make]) => ({ path, text: make() }));
  if (!check) for (const { path, text } of current) write(path, text);
  const stale = check ? current.filter(({ path, text }) => read(path) !== text) : [];
  for (const { path } of stale) warn(`${path} is out of date; run npm run documents`);
  return stale.length > 0 ? 1 : 0;
}

if (import.meta.main) {
  const inRoot = (path: string) => new URL(`../${path}`, import.meta.url);
  process.exitCode = main(process.argv.slice(2), {
    read: (path) => readFileSync(inRoot(path), "utf8"),
    write: (path, text) => writeFileSync(inRoot(path), text),
    warn: console.error,
  });
}
