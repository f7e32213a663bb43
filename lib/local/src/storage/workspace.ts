import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StartupError } from "../startup-error.ts";
import { fileStore, memoryStore, type Store } from "./store.ts";

/** Folders of one runner. Only their owner may enter them (mode 700). */
export type Workspace = {
  /** Folder of the synthesized stacks. */
  assembly: string;
  /** Folder of DynamoDB Local's database. Undefined if the database is in memory. */
  database?: string;
  /** Folder for files of this run. Empty at first, deleted on close. */
  temporary: string;
  /** Folder for compiled code of handlers, so that later processes start faster. */
  codeCache: string;
  /** Folder with a log file for each function. Undefined if logs are not stored. */
  logs?: string;
  store: Store;
  close(): void;
};

/**
 * Opens a data directory, for one runner at a time.
 * @throws {StartupError} if another runner uses the folder, or it cannot be created
 */
export function openDataDir(folder: string): Workspace {
  const path = resolve(folder);
  const inside = (name: string) => join(path, name);
  makePrivate(path);
  const lock = tryLock(inside("lock"));
  if (lock === undefined) {
    throw new StartupError(
      `Another runner uses the data directory ${path}; stop it, or choose another with --data-dir.`,
    );
  }
  const temporary = inside("temporary");
  // Deletes temporary files left behind by a killed run.
  remove(temporary);
  for (const folder of [temporary, inside("dynamodb"), inside("code-cache"), inside("logs")])
    makePrivate(folder);
  removeOldFiles(inside("code-cache"), 7 * DAY_MS);
  return {
    assembly: inside("cdk.out"),
    database: inside("dynamodb"),
    temporary,
    codeCache: inside("code-cache"),
    logs: inside("logs"),
    store: fileStore(path),
    close() {
      remove(temporary);
      lock.release();
    },
  };
}

/** Opens a folder that is deleted on close. It holds only the synthesized stacks and temporary files. */
export function openMemory(): Workspace {
  const path = mkdtempSync(join(tmpdir(), "cdk-local-runner-"));
  const temporary = join(path, "temporary");
  const codeCache = join(path, "code-cache");
  for (const folder of [temporary, codeCache]) makePrivate(folder);
  const removeAll = () => remove(path);
  process.once("exit", removeAll);
  return {
    assembly: join(path, "cdk.out"),
    temporary,
    codeCache,
    store: memoryStore,
    close() {
      process.off("exit", removeAll);
      removeAll();
    },
  };
}

/** Appends each line to the log file of its source, synchronously. */
export function logFiles(folder: string): (entry: { source: string; line: string }) => void {
  return ({ source, line }) => appendFileSync(join(folder, `${source}.log`), `${line}\n`, { mode: 0o600 });
}

const SQLITE_BUSY = 5;

/**
 * Takes the lock, or returns undefined if another process holds it. SQLite's exclusive lock belongs to the operating
 * system, which releases it however the process ends. So a crash leaves no stale lock.
 */
function tryLock(file: string): { release(): void } | undefined {
  const database = new DatabaseSync(file);
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
  return { release: () => database.close() };
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Removes files that were last written longer ago than `ageMs`. */
function removeOldFiles(folder: string, ageMs: number): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const path = join(folder, name);
    const found = statSync(path);
    if (found.isFile() && Date.now() - found.mtimeMs > ageMs) remove(path);
  }
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
