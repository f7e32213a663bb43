import { readFileSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import type { ChainName, EvmChain } from "./chain-facts.ts";
import type { MinedBlock } from "./evm/miner.ts";

/** A block, with an earlier final block if one is known. */
export type NotedBlock = MinedBlock & { final?: MinedBlock };

/** Facts about the chains of a data folder, stored next to the chains' states. */
export type ChainNotes = {
  /** Newest block of each chain. The service's table may contain events of this block. */
  newest: { [Chain in EvmChain]?: NotedBlock };
  /** Process ids of the last run. */
  processes: number[];
  /** Chains that have started over, and whose events must still be deleted from the service's table. */
  toForget?: readonly ChainName[];
  /** True if the example wallet for EVM chains has been imported. */
  hasWallet?: boolean;
  /** True if the example wallet for Solana has been imported. */
  hasSolWallet?: boolean;
};

export type NoteBook = {
  readonly notes: ChainNotes;
  /** Schedules a write, which stores the notes as they are when it starts. */
  save: () => void;
  /** Resolves once everything is written. */
  saved(): Promise<void>;
};

/**
 * Opens the notes of a data folder. A file of their own lets them survive the loss of the chains' states.
 *
 * @param folder If undefined, nothing is stored.
 */
export function openNotes(folder: string | undefined): NoteBook {
  const path = folder === undefined ? undefined : join(folder, "chains.json");
  const notes: ChainNotes = { newest: {}, processes: [], ...(path && readNotes(path)) };
  const write = whenDue(async () => {
    if (path !== undefined) await replaceFile(path, `${JSON.stringify(notes, null, 2)}\n`);
  });
  return { notes, save: write.soon, saved: write.done };
}

function readNotes(path: string): ChainNotes | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Runs an action, and once more if it was requested during the run. The action never runs twice at the same time. */
export function whenDue(action: () => Promise<void>): { soon: () => void; done: () => Promise<void> } {
  let isDue = false;
  let current: Promise<void> | undefined;
  async function run(): Promise<void> {
    while (isDue) {
      isDue = false;
      await action();
    }
    current = undefined;
  }
  return {
    soon() {
      isDue = true;
      current ??= run();
      // Ignores the error here, because `done` rejects with it.
      current.catch(() => {});
    },
    done: async () => current,
  };
}

/** Replaces a file atomically. After a crash or power loss, it has either the old or the new content. */
export async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  const draft = `${path}.draft`;
  const file = await open(draft, "w", 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
}
