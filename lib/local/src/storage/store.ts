import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";

/** Stores small secrets of the runner by name. `load` returns the last saved content, or undefined. */
export type Store = {
  load<Content>(name: string): Content | undefined;
  save(name: string, content: unknown): void;
};

/**
 * Stores each secret in a file `<name>.json` that only its owner may read (mode 600). After a crash, the file has
 * either the old or the new content. Once `save` has returned, the new content survives a power failure.
 */
export function fileStore(folder: string): Store {
  const path = (name: string) => join(folder, `${name}.json`);
  return {
    load: (name) => readJson(path(name)),
    save: (name, content) => replaceFile(path(name), `${JSON.stringify(content, null, 2)}\n`),
  };
}

/** Stores nothing, so every run starts from scratch. */
export const memoryStore: Store = { load: () => undefined, save: () => {} };

function readJson<Content>(path: string): Content | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function replaceFile(path: string, text: string): void {
  const draft = `${path}.draft`;
  withFile(draft, "w", (file) => {
    writeSync(file, text);
    fsyncSync(file);
  });
  renameSync(draft, path);
  // Syncs the folder, because the new name is durable only once its folder is.
  withFile(dirname(path), "r", fsyncSync);
}

function withFile(path: string, flags: "r" | "w", use: (file: number) => void): void {
  const file = openSync(path, flags, 0o600);
  try {
    use(file);
  } finally {
    closeSync(file);
  }
}
