import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { replaceFile, whenDue } from "../chain-notes.ts";

export type StateKeeper = {
  /** Reports that a block was made. */
  changed(): void;
  /** Reports that the chain is idle. */
  rest(): void;
  /** Resolves once no write is in progress. */
  saved(): Promise<void>;
};

type Options = {
  /** Path of anvil's state file. */
  path: string;
  /** Calls anvil. */
  request: (method: string) => Promise<unknown>;
  onFailure: (error: unknown) => void;
  /** Age in milliseconds at which unsaved changes are saved, even if the chain is busy. */
  saveAfterMs?: number;
};

const unzip = promisify(gunzip);

/**
 * Saves the state of a chain after changes, in case of a power failure. Anvil itself saves only at exit, or with an
 * option that writes megabytes every few seconds.
 */
export function keepState({ path, request, onFailure, saveAfterMs = 5000 }: Options): StateKeeper {
  let changedMs: number | undefined;
  const save = whenDue(async () => {
    try {
      // Treats changes after this point as unsaved.
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
