import type * as v from "valibot";
import { solSlotSeconds } from "../../../core/network-facts.ts";
import type { Lamports, TokenUnits } from "../../../core/units.ts";
import type { CpmmRoute, CurveRoute, JupiterRoute, PumpPoolRoute } from "./intent.ts";
import type { CurveMarket, JupiterBuild, PoolMessageRoute, PumpPoolMarket } from "./message-route.ts";
import type { solReceipt } from "./schemas.ts";

/** Names the block of a slot. Uses the slot in place of the block's hash, because no RPC call returns the hash. */
export const blockOfSlot = (slot: number) => ({ number: slot, hash: String(slot) });

/** Longest time by which two hosts may differ and still see the same market. */
const mostSecondsApart = 8;
const mostSlotsApart = Math.round(mostSecondsApart / solSlotSeconds);

export const areSlotsNear = (a: number, b: number): boolean => Math.abs(a - b) <= mostSlotsApart;

/** Slot and block height of a chain. Slots without a block do not increase the height. */
export type SolHeight = { slot: number; blockHeight: number };

/** The result of a transaction, read from the balances before and after it. */
export type SolReceipt = v.InferOutput<typeof solReceipt>;

/**
 * A receipt as one host's view of a transaction shows it. The fill may be below the minimum if Jupiter's program fails
 * to enforce it.
 */
export type ReadReceipt = SolReceipt & { isBelowMinimum?: true };

/**
 * A route, the amount that arrives, and what else a message needs. Jupiter's route includes the instruction
 * that the host has simulated.
 */
export type SolPayingRoute = { amountOut: bigint } & (
  | CpmmRoute
  | (CurveRoute & { curve: CurveMarket })
  | (PumpPoolRoute & { pumpPool: PumpPoolMarket })
  | (JupiterRoute & { build: JupiterBuild })
);

/** Describes the route by a pool that pays this amount. */
export function payingByPool(routed: PoolMessageRoute, amountOut: bigint): SolPayingRoute {
  if ("curve" in routed) return { ...routed.route, curve: routed.curve, amountOut };
  if ("pumpPool" in routed) return { ...routed.route, pumpPool: routed.pumpPool, amountOut };
  return { ...routed.route, amountOut };
}

/** The facts for the next message of an order, in one slot. */
export type SolOrderFacts = {
  /** The tokens in the wallet, for a sale. */
  held?: TokenUnits;
  /** True if a simulated message failed before its trade because the wallet lacks coins. */
  lacksCoins?: boolean;
  /** The order's routes that pay, with the amounts that arrive. */
  routes: readonly SolPayingRoute[];
  /**
   * True if the order may use Jupiter but Jupiter has offered nothing. The other routes then do not prove that no route
   * pays.
   */
  lacksBuild?: boolean;
  /** The compute units that the host's simulation used, with a margin. */
  computeUnitLimit: number;
  /** The base fee per signature. */
  baseFeeLamports: Lamports;
  /**
   * The lamports that keep accounts alive. `token` is 0 if the wallet already has the token account, and `market` is
   * what the exchange's own accounts lack.
   */
  rents: { marker: Lamports; wsol: Lamports; token: Lamports; market: Lamports };
};

/**
 * One host's answers about a wallet, all from final blocks. The height is read first, and then the markers at the same
 * or a later slot. If an order's marker is then missing, no block up to that height has filled the order.
 */
export type SolSnapshot = {
  height: SolHeight;
  coins: Lamports;
  /** The lamports that keep a marker alive. */
  rentLamports: { marker: Lamports };
  /** A recent blockhash that both hosts know, and the last block height at which transactions may use it. */
  blockhash?: { hash: string; lastValidBlockHeight: number };
  orders: ReadonlyMap<string, SolOrderFacts>;
  /** The wallet's balances of tokens that were reported missing. */
  held?: ReadonlyMap<string, TokenUnits>;
  /** Receipts by hash. Transactions unknown to the host have none. */
  receipts: ReadonlyMap<string, ReadReceipt>;
  /**
   * True for each order whose marker has its byte. Lamports prove nothing, because anybody can send some to the
   * address.
   */
  markers: ReadonlyMap<string, boolean>;
};

/** The part of a host's snapshot that an order's first message can be made from, at the slot of the quote. */
export type SolWalletFacts = Required<Pick<SolSnapshot, "coins" | "blockhash">> & {
  slot: number;
  /** Has only the route by which the wallet's own trade has succeeded in a simulation. */
  order: SolOrderFacts;
};

/** The answers of the two hosts. Undefined for a host without a clear answer. */
export type SolSnapshots = readonly [SolSnapshot | undefined, SolSnapshot | undefined];

export const bothSeen = (snapshots: SolSnapshots): snapshots is readonly [SolSnapshot, SolSnapshot] =>
  snapshots.every((snapshot) => snapshot !== undefined);

/** True if both hosts answered, and the condition holds for both. */
export const bothConfirm = (snapshots: SolSnapshots, holds: (snapshot: SolSnapshot) => boolean): boolean =>
  snapshots.every((snapshot) => snapshot !== undefined && holds(snapshot));
