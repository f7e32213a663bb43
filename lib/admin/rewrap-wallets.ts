import { forEachConcurrently } from "../concurrency.ts";
import { reasonOf } from "./error-line.ts";
import { type Outcome, rewrapWallet } from "./rewrap-wallet.ts";
import { everyStoredWallet } from "./stored-wallet.ts";
import type { Target } from "./target.ts";

/** What became of a wallet, by its `_id`. */
export type Result = { walletID: string } & ({ outcome: Outcome } | { outcome: "failed"; reason: string });

export type RewrapOptions = {
  currentMaterialId: string;
  /** How many wallets at a time. */
  concurrency: number;
  /** Once aborted, no further wallet is begun. */
  signal: AbortSignal;
  /** Hears of each wallet, once it is done with. */
  report: (result: Result) => void;
};

/** Wraps the data keys of all wallets under the newest key material. The failure of one does not stop the others. */
export async function rewrapWallets(target: Target, options: RewrapOptions): Promise<void> {
  const { currentMaterialId, report } = options;
  await forEachConcurrently(everyStoredWallet(target.table), options, async (wallet) => {
    const walletID = wallet._id;
    try {
      report({ walletID, outcome: await rewrapWallet(target, wallet, currentMaterialId) });
    } catch (error) {
      report({ walletID, outcome: "failed", reason: reasonOf(error) });
    }
  });
}
