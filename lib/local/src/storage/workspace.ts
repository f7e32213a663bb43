import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { StartupError } from "../startup-error.ts";
import { tryLock } from "./lock.ts";
import { fileStore, memoryStore, type Store } from "./store.ts";

/** Where one runner keeps things. Nobody but its owner may enter the folder (mode 700). */
export type Workspace = {
  /** Folder of the synthesized stacks. */
  assembly: string;
  /** Folder of the database of DynamoDB Local; absent when it is to stay in memory. */
  database?: string;
  /** Folder for what is of no use after this run. It is empty at first, and gone when the workspace is closed. */
  temporary: string;
  /** Folder with a log file per function; absent when logs are not to reach the disk. */
  logs?: string;
  store: Store;
  close(): void;
};

/**
 * Everything in one folder, for one runner at a time.
 * @throws StartupError when another runner has it, or when it cannot be made
 */
export function openDataDir(folder: string): Workspace {
  const path = resolve(folder);
  const inside = (name: string) => join(path, name);
  makePrivate(path);
  const held = tryLock(inside("lock"));
  if (held === undefined) {
    throw new StartupError(
      `Another runner uses the data directory ${path}; stop it, or choose another with --data-dir.`,
    );
  }
  const temporary = inside("temporary");
  // A run that was killed has left its own.
  remove(temporary);
  for (const folder of [temporary, inside("dynamodb"), inside("logs")]) makePrivate(folder);
  return {
    assembly: inside("cdk.out"),
    database: inside("dynamodb"),
    temporary,
    logs: inside("logs"),
    store: fileStore(path),
    close() {
      remove(temporary);
      held.release();
    },
  };
}

/** Nothing that outlives the runner: the folder holds the synthesized stacks only and goes away with it. */
export function openMemory(): Workspace {
  const path = mkdtempSync(join(tmpdir(), "cdk-local-runner-"));
  const temporary = join(path, "temporary");
  makePrivate(temporary);
  const removeAll = () => remove(path);
  process.once("exit", removeAll);
  return {
    assembly: join(path, "cdk.out"),
    temporary,
    store: memoryStore,
    close() {
      process.off("exit", removeAll);
      removeAll();
    },
  };
}

const remove = (path: string) => rmSync(path, { recursive: true, force: true });

function makePrivate(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    chmodSync(path, 0o700);
  } catch (error) {
    throw new StartupError(
      `Cannot use ${path} (${(error as NodeJS.ErrnoException).code}); choose another place with --data-dir.`,
    );
  }
}
