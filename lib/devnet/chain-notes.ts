import { readFileSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import type { ChainName, EvmChain } from "./chain-facts.ts";
import type { MinedBlock } from "./evm/miner.ts";

/** A block, and an earlier final one if any is known. */
export type NotedBlock = MinedBlock & { final?: MinedBlock };

/** Facts about the chains in a data folder, stored next to their states. */
export type ChainNotes = {
  /** The newest block of each chain. The table may contain its events. */
  newest: { [Chain in EvmChain]?: NotedBlock };
  /** The processes of the last run. */
  processes: number[];
  /** The chains that have started over, and whose events the table must still forget. */
  toForget?: readonly ChainName[];
  /** True if the example wallet has been imported. */
  hasWallet?: boolean;
  /** True if the example wallet of Solana has been imported. */
  hasSolWallet?: boolean;
};

export type NoteBook = {
  readonly notes: ChainNotes;
  /** Writes the notes soon, in their state at that moment. */
  save: () => void;
  /** Resolves once everything is written. */
  saved(): Promise<void>;
};

/**
 * Opens the notes in a data folder. They are kept apart from the states of the chains, so that they survive their loss.
 *
 * @param folder Undefined if nothing is kept.
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

/** Runs an action again if it was requested while it ran, but never twice at once. */
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
      // `done` also rejects with this error.
      current.catch(() => {});
    },
    done: async () => current,
  };
}

/** After a crash or power loss, the file has either the old or the new content. */
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
