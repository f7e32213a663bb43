import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The name of the function of a row in a local runner with this data dir: the template's, or else the stack and the
 * logical id.
 */
export function functionNameIn(dataDir: string, row: string): string {
  const template = join(dataDir, "cdk.out", "TerminalApi.template.json");
  const { Resources: resources } = JSON.parse(readFileSync(template, "utf8"));
  const id =
    Object.keys(resources).find((each) => new RegExp(`^${row}Function[0-9A-F]{8}$`).test(each)) ?? "";
  return resources[id]?.Properties.FunctionName ?? `TerminalApi-${id}`;
}
