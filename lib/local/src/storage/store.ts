import { join } from "node:path";
import { readPrivateJson, writePrivateFile } from "./private-file.ts";

/** Small secrets of the runner by name. `load` gives back what `save` was last given, or undefined. */
export type Store = {
  load<Content>(name: string): Content | undefined;
  save(name: string, content: unknown): void;
};

/** Keeps each in a file `<name>.json` of mode 600. What is saved is on the disk when `save` returns. */
export function fileStore(folder: string): Store {
  const path = (name: string) => join(folder, `${name}.json`);
  return {
    load: (name) => readPrivateJson(path(name)),
    save: (name, content) => writePrivateFile(path(name), `${JSON.stringify(content, null, 2)}\n`),
  };
}

/** Keeps nothing: every run begins anew. */
export const memoryStore: Store = { load: () => undefined, save: () => {} };
