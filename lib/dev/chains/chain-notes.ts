import { readFileSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import type { TradingChain } from "../../domain/trading/trading-chain.ts";
import type { MinedBlock } from "./miner.ts";

/** A block, and one before it that was final, if one is known. */
export type NotedBlock = MinedBlock & { final?: MinedBlock };

/** What a data folder knows of its chains, beside their states. */
export type ChainNotes = {
  /** The newest block of each chain. The table may know what happened in it. */
  newest: { [Chain in TradingChain]?: NotedBlock };
  /** The processes of the last run. */
  processes: number[];
  /** The table still has to forget what happened on earlier chains. */
  isReset?: boolean;
  /** The example wallet has been imported. */
  hasWallet?: boolean;
};

export type NoteBook = {
  readonly notes: ChainNotes;
  /** Writes the notes soon, with what they hold by then. */
  save(): void;
  /** Resolves once everything is written. */
  saved(): Promise<void>;
};

/**
 * Opens the notes in a data folder. They are not among the states of the chains, so that they remember them if they are lost.
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

/** Runs an action again if it was asked for while it ran, and never twice at once. */
export function whenDue(action: () => Promise<void>): { soon(): void; done(): Promise<void> } {
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
      // `done` rejects with it.
      current.catch(() => {});
    },
    done: async () => current,
  };
}

/** A crash or a loss of power leaves the old content or the new. */
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
