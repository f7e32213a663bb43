import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { replaceFile, whenDue } from "../chain-notes.ts";

export type StateKeeper = {
  /** Reports that a block was made. */
  changed(): void;
  /** Reports that the chain has nothing to do. */
  rest(): void;
  /** Resolves once nothing is being written. */
  saved(): Promise<void>;
};

type Options = {
  /** The state file of anvil. */
  path: string;
  /** Calls anvil. */
  request: (method: string) => Promise<unknown>;
  onFailure: (error: unknown) => void;
  /** Unsaved changes of this age are saved even if more will follow. */
  saveAfterMs?: number;
};

const unzip = promisify(gunzip);

/**
 * Saves the state of a chain after changes, in case the machine loses power: anvil itself writes it only at exit.
 * Anvil's own option would write megabytes every few seconds, day and night.
 */
export function keepState({ path, request, onFailure, saveAfterMs = 5000 }: Options): StateKeeper {
  let changedMs: number | undefined;
  const save = whenDue(async () => {
    try {
      // Later changes are saved the next time.
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
