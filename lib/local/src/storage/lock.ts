import { DatabaseSync } from "node:sqlite";

const SQLITE_BUSY = 5;

/**
 * Takes the lock, or gives undefined when another process holds it. SQLite's exclusive lock is the operating system's:
 * it ends with the process however that ends, so there is no stale lock to recognize after a crash.
 */
export function tryLock(file: string): { release(): void } | undefined {
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
