import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Finds the physical name of an operation's function in the local runner with this data dir: the one in the template,
 * or else the stack and the logical id. A nested stack's file is named
 * `TerminalApiFunctions<name><hash>.nested.template.json`.
 */
export function functionNameIn(dataDir: string, row: string): string {
  const folder = join(dataDir, "cdk.out");
  for (const file of readdirSync(folder)) {
    const match = /^TerminalApi(?:Functions([a-z]+)[0-9A-F]{8}\.nested)?\.template\.json$/.exec(file);
    if (match === null) continue;
    const { Resources: resources } = JSON.parse(readFileSync(join(folder, file), "utf8"));
    const id = Object.keys(resources).find((each) => new RegExp(`^${row}Function[0-9A-F]{8}$`).test(each));
    const stack = match[1] === undefined ? "TerminalApi" : `TerminalApi-${match[1]}`;
    if (id !== undefined) return resources[id].Properties.FunctionName ?? `${stack}-${id}`;
  }
  throw new Error(`${folder} has no function ${row}`);
}
