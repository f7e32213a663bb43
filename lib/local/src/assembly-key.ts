import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileStore } from "./storage/store.ts";

/** Hashes of an assembly's inputs and of its finished content. */
type Key = { inputs: string; assembly: string };

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

/** The key is stored next to the assembly, since CDK owns the folder itself. */
const nameOf = (folder: string) => `${basename(folder)}.key`;
const storeOf = (folder: string) => fileStore(dirname(folder));

/**
 * Hashes everything that an assembly depends on: the sources, the versions of Node and of the runner, the variables
 * that the app is given, and the environment variables that CDK and the AWS SDK read.
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

/** True if the folder holds the complete assembly of these inputs and no file has changed since. */
export function isCurrent(folder: string, inputs: string): boolean {
  try {
    const key = storeOf(folder).load<Key>(nameOf(folder));
    return key?.inputs === inputs && key.assembly === contentHash(folder);
  } catch {
    // An unreadable key counts as missing.
    return false;
  }
}

/** Saves the key. Must run last, because an assembly without a key counts as incomplete. */
export function keepKey(folder: string, inputs: string): void {
  storeOf(folder).save(nameOf(folder), { inputs, assembly: contentHash(folder) } satisfies Key);
}

export function removeKey(folder: string): void {
  rmSync(join(dirname(folder), `${nameOf(folder)}.json`), { force: true });
}

/** Hashes a file's content, or all names and contents below a folder. A missing path also has a hash. */
function contentHash(path: string): string {
  const hash = createHash("sha256");
  const status = statSync(path, { throwIfNoEntry: false });
  if (status === undefined) hash.update("missing");
  else if (status.isFile()) hash.update("file ").update(readFileSync(path));
  else
    for (const name of readdirSync(path).sort()) hash.update(`${name}\0${contentHash(join(path, name))}\n`);
  return hash.digest("hex");
}
