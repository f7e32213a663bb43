import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";

/** Small secrets of the runner by name. `load` returns what was last saved, or undefined. */
export type Store = {
  load<Content>(name: string): Content | undefined;
  save(name: string, content: unknown): void;
};

/**
 * Keeps each secret in a file `<name>.json`, which only its owner may read (mode 600). A crash leaves the old
 * content or the new. Once `save` has returned, the new content survives a power failure.
 */
export function fileStore(folder: string): Store {
  const path = (name: string) => join(folder, `${name}.json`);
  return {
    load: (name) => readJson(path(name)),
    save: (name, content) => replaceFile(path(name), `${JSON.stringify(content, null, 2)}\n`),
  };
}

/** Keeps nothing, so every run starts from scratch. */
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
  // The renaming is durable only once the folder with the name is.
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
