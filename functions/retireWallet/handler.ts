import * as schemas from "../../lib/api/wallet-operations.ts";
import { handOverTo } from "../../lib/aws/hand-over.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { logFault } from "../../lib/runtime/log.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";
import { endRestingOf } from "../../lib/trading/execution/start-firing.ts";
import { type RetiringDeps, retireWallet } from "../../lib/wallets/retire-wallet.ts";
import { shownWallet } from "../../lib/wallets/wallet.ts";

const executor = environment("EXECUTE_ORDERS_FUNCTION");
const startExecution = executor === "" ? async () => undefined : handOverTo(executor);
const firer = environment("FIRE_ORDERS_FUNCTION");

const table = openTable(environment("TABLE_NAME"));
const onFault = (error: unknown) => logFault("retireWallet", error);

const deps: RetiringDeps = {
  table,
  limits: environment("WALLET_LIMITS"),
  // Starts work on the wallet's lane. If that fails, the next sweep starts it.
  wake: (lane) => startExecution(lane).catch(onFault),
  endResting: firer === "" ? async () => undefined : endRestingOf(table, handOverTo(firer), onFault),
};

export const handler = rest(
  "retireWallet",
  schemas.retireWallet,
  async ({ userID, now, path: { walletId } }) => {
    const { wallet, restorableUntil } = await retireWallet(deps, { userID, walletId, now });
    return enveloped({ wallet: shownWallet(wallet), restorableUntil });
  },
);
