import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { replaceFile, whenDue } from "./chain-notes.ts";

export type StateKeeper = {
  /** A block was made. */
  changed(): void;
  /** The chain has nothing to do. */
  rest(): void;
  /** Resolves once nothing is being written. */
  saved(): Promise<void>;
};

type Options = {
  /** The state file of anvil. */
  path: string;
  /** Calls anvil. */
  request(method: string): Promise<unknown>;
  onFailure(error: unknown): void;
  /** The age of unsaved changes at which they are saved even if more will follow. */
  saveAfterMs?: number;
};

const unzip = promisify(gunzip);

/**
 * Saves the state of a chain when it has changed, for when the machine loses power: anvil itself writes it only at its end.
 * Its own option for that would write megabytes each few seconds, day and night.
 */
export function keepState({ path, request, onFailure, saveAfterMs = 5000 }: Options): StateKeeper {
  let changedMs: number | undefined;
  const save = whenDue(async () => {
    try {
      // What changes from now on is saved next time.
      changedMs = undefined;
      const packed = (await request("anvil_dumpState")) as string;
      await replaceFile(path, await unzip(Buffer.from(packed.slice(2), "hex")));
    } catch (error) {
      onFailure(error);
    }
  });
  return {
    changed() {
      changedMs ??= performance.now();
      if (performance.now() - changedMs >= saveAfterMs) save.soon();
    },
    rest() {
      if (changedMs !== undefined) save.soon();
    },
    saved: save.done,
  };
}
