import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileStore } from "./storage/store.ts";

/** What an assembly was made from, and what it was like when it was complete: both hashes. */
type Key = { inputs: string; assembly: string };

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

/** Beside the assembly, since CDK owns the folder. */
const nameOf = (folder: string) => `${basename(folder)}.key`;
const storeOf = (folder: string) => fileStore(dirname(folder));

/**
 * A hash of all that an assembly depends on: the sources, the versions of Node and of the runner, what the app is given in
 * its environment, and those variables there that CDK and the AWS SDK read.
 */
export function assemblyKey(
  project: string,
  sources: readonly string[],
  environment: Record<string, string>,
): string {
  const variables = Object.entries({ ...process.env, ...environment })
    .filter(([name]) => /^(CDK_|AWS_|NODE_OPTIONS$)/.test(name))
    .sort();
  const hash = createHash("sha256").update(JSON.stringify([process.version, version, variables]));
  for (const source of [...sources].sort())
    hash.update(`\n${source}\n`).update(contentHash(join(project, source)));
  return hash.digest("hex");
}

/** Whether the folder holds the complete assembly of these inputs, with no file changed since. */
export function isCurrent(folder: string, inputs: string): boolean {
  try {
    const key = storeOf(folder).load<Key>(nameOf(folder));
    return key?.inputs === inputs && key.assembly === contentHash(folder);
  } catch {
    // An unreadable key is no key.
    return false;
  }
}

/** Call it last: an assembly without a key counts as incomplete. */
export function keepKey(folder: string, inputs: string): void {
  storeOf(folder).save(nameOf(folder), { inputs, assembly: contentHash(folder) } satisfies Key);
}

export function removeKey(folder: string): void {
  rmSync(join(dirname(folder), `${nameOf(folder)}.json`), { force: true });
}

/** A hash of a file's content, or of all names and contents below a folder. What is missing has a hash too. */
function contentHash(path: string): string {
  const hash = createHash("sha256");
  const status = statSync(path, { throwIfNoEntry: false });
  if (status === undefined) hash.update("missing");
  else if (status.isFile()) hash.update("file ").update(readFileSync(path));
  else
    for (const name of readdirSync(path).sort()) hash.update(`${name}\0${contentHash(join(path, name))}\n`);
  return hash.digest("hex");
}
