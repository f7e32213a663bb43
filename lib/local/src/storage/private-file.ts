import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Replaces a file that only its owner may read (mode 600). A crash at any moment leaves the old content or the new, and
 * once it returns the new content survives a power cut.
 */
export function writePrivateFile(path: string, text: string): void {
  const draft = `${path}.draft`;
  const file = openSync(draft, "w", 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
  syncFolder(dirname(path));
}

/** The parsed JSON of a private file, or undefined when there is none yet. */
export function readPrivateJson<Content>(path: string): Content | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** A rename is durable only when the folder that holds the name is. */
function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
