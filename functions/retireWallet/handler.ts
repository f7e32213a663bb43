import * as schemas from "../../lib/api/wallet-operations.ts";
import { handOverTo } from "../../lib/aws/hand-over.ts";
import type { LaneKey } from "../../lib/orders/intent.ts";
import type { FireRequest } from "../../lib/orders/resting/hand-over.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logFault } from "../../lib/runtime/log.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import { readHandOvers } from "../../lib/trading/items/resting-records.ts";
import { type RetiringDeps, retireWallet } from "../../lib/wallets/retire-wallet.ts";
import { shownWallet } from "../../lib/wallets/wallet.ts";

const executor = environment("EXECUTE_ORDERS_FUNCTION");
const startExecution = executor === "" ? async () => undefined : handOverTo(executor);
const firer = environment("FIRE_ORDERS_FUNCTION");
const startFiring = firer === "" ? undefined : handOverTo<FireRequest>(firer);

const table = openTable(environment("TABLE_NAME"));

/** Hands what rests over to fireOrders, which finds that the wallet is retired. */
async function endResting(userID: string, lane: LaneKey): Promise<void> {
  if (startFiring === undefined) return;
  for (const request of await readHandOvers(table, userID, lane)) await startFiring(request);
}

const deps: RetiringDeps = {
  table,
  limits: environment("WALLET_LIMITS"),
  // Starts work on the wallet's lane. If that fails, the next sweep starts it.
  wake: (lane) => startExecution(lane).catch((error) => logFault("retireWallet", error)),
  // If that fails, a repeated request hands them over again.
  endResting: (userID, lane) => endResting(userID, lane).catch((error) => logFault("retireWallet", error)),
};

export const handler = rest(
  "retireWallet",
  schemas.retireWallet,
  async ({ userID, now, path: { walletId } }) => {
    const { wallet, restorableUntil } = await retireWallet(deps, { userID, walletId, now });
    return enveloped({ wallet: shownWallet(wallet), restorableUntil });
  },
);
