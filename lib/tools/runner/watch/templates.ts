import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Reads an assembly's templates by file name. Leaves out hashes of code, which change with every handler. */
export function templatesIn(folder: string): ReadonlyMap<string, string> {
  const names = readdirSync(folder).filter((name) => name.endsWith(".template.json"));
  return new Map(
    names.map((name) => [name, readFileSync(join(folder, name), "utf8").replace(/\b[0-9a-f]{64}\b/g, "")]),
  );
}

/** Lists the stacks whose templates have changed, appeared or disappeared. */
export function changedStacks(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((name) => before.get(name) !== after.get(name))
    .map((name) => name.replace(/(\.nested)?\.template\.json$/, ""));
}
