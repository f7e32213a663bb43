import { createHash } from "node:crypto";
import { codeFile } from "../../infra/functions/bundle.ts";
import { bundleOf, placesTextOf } from "../../infra/functions/bundled-code.ts";
import { placesFile } from "../../infra/functions/places.ts";
import { type OperationName, operations } from "../../operations/operations.ts";

/**
 * Hashes the bundled files of all functions, without the first line, which holds the variables of a deployment. So the
 * hashes are the same for every deployment and every folder.
 *
 * @returns a line for each file, as `sha256sum` prints it
 */
export function codeHashes(): string {
  const lines = (Object.keys(operations) as OperationName[])
    .sort()
    .flatMap((name) => [
      `${sha256(bundleOf(name).text)}  ${name}/${codeFile}`,
      `${sha256(placesTextOf(name, ""))}  ${name}/${placesFile}`,
    ]);
  return `${lines.join("\n")}\n`;
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
