import type * as v from "valibot";
import type { TokenUnits, Wei, WeiPerGas } from "../../../core/units.ts";
import type { Block } from "../../../orders/block.ts";
import type { Bought } from "../../../orders/resting/exits/entry.ts";
import type { HostFees, L1Fee } from "./fees.ts";
import type { EvmRoute } from "./intent.ts";
import type { Candidate } from "./route-choice.ts";
import type { evmReceipt } from "./schemas.ts";

/** The result of a transaction, read from its receipt and logs. */
export type EvmReceipt = v.InferOutput<typeof evmReceipt>;

/** The facts about one route of an order, for the amount that the order can spend now. */
export type EvmRouteFacts = EvmRoute &
  Candidate & {
    /** The gas for each purpose, with a margin. */
    gasLimit: { approve: bigint; swap: bigint };
    l1Fee: { approve: L1Fee; swap: L1Fee };
    /** The router's allowance from the wallet, for a sale. 0 for a buy. */
    allowance: TokenUnits;
    /** True if a sale must set the allowance to 0 before it can change it. */
    wantsZeroFirst: boolean;
  };

/** The facts for one order, at the latest block. */
export type EvmOrderFacts = {
  /** The fees by the order's preset, before any cap. */
  fees: HostFees;
  /** True if the token is listed for users. */
  isListed: boolean;
  /** The tokens in the wallet, for a sale. */
  held?: TokenUnits;
  /** The order's routes on which a swap would deliver. */
  routes: readonly EvmRouteFacts[];
};

/**
 * One host's answers about a wallet. All except the receipts refer to the host's latest or finalized block, so that
 * balances and allowances match the nonce. Receipts are read last, so that every transaction in those blocks has one.
 */
export type EvmSnapshot = {
  latest: Block;
  finalized: Block;
  nonce: { latest: number; pending: number };
  /** The wallet's native coin. */
  coins: Wei;
  /** The base fee of the next block. */
  baseFee: WeiPerGas;
  /** The fees for clearing a nonce. */
  clearFees: HostFees;
  /** The estimated gas of a clear. Absent if the host gives no estimate, or if there is nothing to clear. */
  clearGas?: bigint;
  clearL1Fee: L1Fee;
  orders: ReadonlyMap<string, EvmOrderFacts>;
  /** The wallet's balances of tokens that were reported missing. A token that does not answer has no entry. */
  held?: ReadonlyMap<string, TokenUnits>;
  /** The hashes of the requested blocks, by number. */
  blocks: ReadonlyMap<number, string>;
  /** The receipts, by hash. Transactions unknown to the host have none. */
  receipts: ReadonlyMap<string, EvmReceipt>;
};

/** The part of a host's snapshot that an order's first transaction can be planned from, at the block of the quote. */
export type EvmWalletFacts = Pick<EvmSnapshot, "latest" | "nonce" | "coins" | "baseFee"> & {
  order: EvmOrderFacts;
};

/**
 * The answers of the two hosts. Undefined for a host without a clear answer, because silence proves nothing about the
 * chain.
 */
export type EvmSnapshots = readonly [EvmSnapshot | undefined, EvmSnapshot | undefined];

/** True if both hosts answered, and the condition holds for both. */
export const bothSay = (snapshots: EvmSnapshots, holds: (snapshot: EvmSnapshot) => boolean): boolean =>
  snapshots.every((snapshot) => snapshot !== undefined && holds(snapshot));

export const bothAnswered = (snapshots: EvmSnapshots): snapshots is readonly [EvmSnapshot, EvmSnapshot] =>
  bothSay(snapshots, () => true);

/** True if every future block is later than a deadline, in seconds. */
export const isPast = (deadline: number, snapshots: EvmSnapshots): boolean =>
  bothSay(snapshots, ({ latest }) => latest.time > deadline);

/** Returns the wallet's next nonce if both hosts agree. */
export function agreedNonce([a, b]: EvmSnapshots): number | undefined {
  return a !== undefined && a.nonce.latest === b?.nonce.latest ? a.nonce.latest : undefined;
}

/**
 * Returns a receipt from any host. Prefers the receipt that is already recorded, so that hosts with different receipts
 * do not replace it in turn.
 */
export function receiptOf(
  hashes: readonly string[],
  snapshots: EvmSnapshots,
  isPossible: (receipt: EvmReceipt) => boolean,
  known?: EvmReceipt,
): EvmReceipt | undefined {
  const seen = snapshots
    .flatMap((snapshot) => hashes.flatMap((hash) => snapshot?.receipts.get(hash) ?? []))
    .filter(isPossible);
  return seen.find((receipt) => known !== undefined && isSameReceipt(receipt, known)) ?? seen[0];
}

/** Compares all fields except the amounts from balances, because hosts keep balances only for a short time. */
export function isSameReceipt(a: EvmReceipt, b: EvmReceipt): boolean {
  if (a.hash !== b.hash || a.block.hash !== b.block.hash || a.fee !== b.fee) return false;
  if (a.status === "failed" || b.status === "failed") return a.status === b.status;
  return a.spent === b.spent && a.received === b.received;
}

/**
 * Returns what a buy has brought if both hosts have the same receipt of it. The wallet's balances count if both hosts
 * still have them. Undefined if these differ.
 */
export function agreedBuy(a: EvmReceipt | undefined, b: EvmReceipt | undefined): Bought | undefined {
  if (a?.status !== "ok" || b?.status !== "ok" || !isSameReceipt(a, b)) return undefined;
  const { spent, received, block } = a;
  const named = [a.moved, b.moved].filter((moved) => moved !== undefined);
  const [one = received, other] = named;
  if (other === undefined) return { spent, received, block: block.hash };
  return one === other ? { spent, received: one, block: block.hash } : undefined;
}
