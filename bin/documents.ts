/**
 * Writes what is derived from the table of operations and the schemas: openapi.json, asyncapi.json, and the table
 * in the README. With --check it writes nothing, and fails when one of them is not up to date.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { asyncApiDocument } from "../lib/documents/asyncapi.ts";
import { openApiDocument } from "../lib/documents/openapi.ts";
import { operationsTable } from "../lib/documents/operations-table.ts";

const { check } = parseArgs({ options: { check: { type: "boolean" } } }).values;

const inRoot = (name: string) => new URL(`../${name}`, import.meta.url);
const readme = readFileSync(inRoot("README.md"), "utf8");

const json = (document: object) => `${JSON.stringify(document, null, 2)}\n`;

const documents = {
  "openapi.json": json(openApiDocument()),
  "asyncapi.json": json(asyncApiDocument()),
  "README.md": readme.replace(
    /(?<=<!-- operations -->\n).*?(?=<!-- \/operations -->)/s,
    () => `${operationsTable()}\n`,
  ),
};

for (const [name, text] of Object.entries(documents)) {
  if (!check) {
    writeFileSync(inRoot(name), text);
  } else if (readFileSync(inRoot(name), "utf8") !== text) {
    console.error(`${name} is not what the table of operations and the schemas say; run npm run documents`);
    process.exitCode = 1;
  }
}
