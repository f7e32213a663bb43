import { readAddress } from "../chains/families/address.ts";
import { forEachConcurrently } from "../core/concurrency.ts";
import type { Network } from "../core/network.ts";
import { besideParents, cancellingFound, cuttingOff, type FoundOrder } from "../orders/cancelling.ts";
import type { LaneKey } from "../orders/intent.ts";
import type { ProgramKeyName } from "../orders/program-key.ts";
import { walletNotFound } from "../orders/requests.ts";
import { mayStillFill } from "../orders/resting/shown.ts";
import type { CutoffScope } from "../orders/table-step.ts";
import { type AnyOrder, hasEnded } from "../orders/trade-order.ts";
import { type CancellingDeps, cancellingEffects } from "./cancel-order.ts";
import { runProcedure } from "./execution/run-procedure.ts";
import { laneOrdersOf } from "./items/lane-records.ts";
import { readResting } from "./items/resting-records.ts";

export type CancellingAllDeps = CancellingDeps & {
  /** Lists the lanes of all of the user's wallets, including retired ones. */
  lanesOf: (userID: string) => Promise<readonly LaneKey[]>;
};

/** Number of lanes or orders that are worked on at a time. */
const concurrency = 20;

/**
 * Cancels all of a user's orders, or those of a chain or a wallet, with a single write. Then cancels each open one as
 * `cancelOrder` does, and wakes its lane. Repeating the request also cancels what was placed since.
 *
 * @returns the number of orders that were open, without children. Those with signed swaps may still be filled.
 * @throws {DomainError} INVALID_REQUEST if the wallet is no address. WALLET_NOT_FOUND if the user has no such wallet;
 * only after the write, so that nobody who hides a wallet can prevent it.
 */
export async function cancelOrders(
  deps: CancellingAllDeps,
  userID: string,
  { chain, wallet }: { chain?: Network | undefined; wallet?: string | undefined },
): Promise<number> {
  const ofWallet = chain !== undefined && wallet !== undefined;
  const scope = { userID, chain, wallet: ofWallet ? readAddress(chain, wallet, "wallet") : undefined };
  const open = await runProcedure(cuttingOff(scope), {
    ...cancellingEffects(deps),
    readOpenOrders: () => readOpenOrders(deps, scope),
    readResting: async () =>
      (await readResting(deps.table, userID)).filter(({ mandate }) => isInScope(mandate, scope)),
  });
  await cancelEach(deps, open);
  const isChild = (order: FoundOrder) => "intent" in order && order.intent.parent !== undefined;
  return open.filter((order) => !isChild(order)).length;
}

/**
 * Cancels the open orders that were placed by a program key, and all resting orders that it has placed. The key must be
 * revoked, so that it places nothing more. Repeating the call finishes what an earlier one has not.
 */
export async function cancelOrdersBy(
  deps: CancellingAllDeps,
  { userID, keyId }: ProgramKeyName,
): Promise<void> {
  const orders = await readOpenOrders(deps, { userID });
  const resting = await readResting(deps.table, userID);
  const parents = resting.filter((order) => order.mandate.by === keyId && mayStillFill(order));
  const own = orders.filter(({ intent }) => intent.by === keyId);
  await cancelEach(deps, besideParents(own, parents));
}

/** Cancels orders as `cancelOrder` does, and then wakes each lane once. */
async function cancelEach(deps: CancellingAllDeps, open: readonly FoundOrder[]): Promise<void> {
  const lanes = new Map<string, LaneKey>();
  const effects = {
    ...cancellingEffects(deps),
    wake({ lane }: { lane: LaneKey }) {
      lanes.set(`${lane.chain}#${lane.wallet}`, lane);
      return undefined;
    },
  };
  try {
    await forEachConcurrently(open, { concurrency }, (order) =>
      runProcedure(cancellingFound(order), effects),
    );
  } finally {
    for (const lane of lanes.values()) await deps.wake({ lane });
  }
}

const isInScope = (lane: LaneKey, { chain, wallet }: Omit<CutoffScope, "userID">): boolean =>
  (chain ?? lane.chain) === lane.chain && (wallet ?? lane.wallet) === lane.wallet;

async function readOpenOrders(
  { table, lanesOf }: Pick<CancellingAllDeps, "table" | "lanesOf">,
  { userID, chain, wallet }: CutoffScope,
): Promise<AnyOrder[]> {
  const lanes = (await lanesOf(userID)).filter((lane) => isInScope(lane, { chain, wallet }));
  if (chain !== undefined && wallet !== undefined && lanes.length === 0) throw walletNotFound(chain);
  const orders: AnyOrder[] = [];
  await forEachConcurrently(lanes, { concurrency }, async (lane) => {
    orders.push(...(await laneOrdersOf(table, lane)));
  });
  return orders.filter((order) => order.intent.userID === userID && !hasEnded(order));
}
