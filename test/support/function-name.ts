import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The name that a local runner with this data dir gives to the function of a row: it consists of the stack and the logical
 * id.
 */
export function functionNameIn(dataDir: string, row: string): string {
  const template = join(dataDir, "cdk.out", "TerminalApi.template.json");
  const ids = Object.keys(JSON.parse(readFileSync(template, "utf8")).Resources);
  return `TerminalApi-${ids.find((id) => new RegExp(`^${row}Function[0-9A-F]{8}$`).test(id))}`;
}
