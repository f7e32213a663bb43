import type { L1Fee } from "./fees.ts";
import type { Fees, Route } from "./intent.ts";

/** The time is in seconds. */
export type Block = { number: number; hash: string; time: number };

/** What a transaction did, read from its receipt and logs. */
export type Receipt = {
  hash: string;
  block: Block;
  /** Native coin, with the part for layer 1. */
  fee: bigint;
  l1Fee: bigint;
  gasUsed: bigint;
  /** Wei paid for a unit of gas, without the part for layer 1. */
  gasPrice: bigint;
} & ({ status: "failed"; isSlippage: boolean } | { status: "ok"; spent: bigint; received: bigint });

/** What one order can reckon with, at the latest block. */
export type OrderFacts = {
  /** Fees by the order's preset, not yet capped. */
  fees: Fees;
  /** The gas that each purpose needs, with a margin. */
  gasLimit: { approve: bigint; swap: bigint };
  l1Fee: { approve: L1Fee; swap: L1Fee };
  /** Of a sale: the tokens in the wallet, and those that the router may take. */
  held?: bigint;
  allowance?: bigint;
  /** Of a sale: whether the token wants an allowance to be 0 before it changes. */
  wantsZeroFirst?: boolean;
  /** Absent if no pool can deliver. */
  quote?: Route & { amountOut: bigint /** Percent. */; priceImpact?: number };
};

/**
 * One host's answers about a wallet. Everything but the receipts is of its latest or finalized block, so that balances and
 * allowances belong to the nonce beside them. The receipts are read last: a transaction in those blocks has one.
 */
export type Sight = {
  latest: Block;
  finalized: Block;
  nonce: { latest: number; pending: number; finalized: number };
  /** The wallet's native coin. */
  coins: bigint;
  /** Of the next block, in wei for a unit of gas. */
  baseFee: bigint;
  /** What clearing a nonce costs. */
  clearFees: Fees;
  clearL1Fee: L1Fee;
  orders: ReadonlyMap<string, OrderFacts>;
  /** The hashes of the blocks that were asked for, by number. */
  blocks: ReadonlyMap<number, string>;
  /** By hash. A transaction that the host does not know has none. */
  receipts: ReadonlyMap<string, Receipt>;
};

/** What one host sees of the transactions of all lanes of a chain. */
export type Glance = {
  /** The hash of its latest block. */
  latest: string;
  /** The number of its finalized block. */
  finalized: number;
  /** The block that has a transaction, by the hashes of both. Others have none. */
  blocks: ReadonlyMap<string, string>;
};

/** The sights of the two hosts. A host that gave no clear answer has none: its silence is no fact about the chain. */
export type Sights = readonly [Sight | undefined, Sight | undefined];

/** Whether both hosts answered, and both say so. */
export const bothSay = (sights: Sights, holds: (sight: Sight) => boolean): boolean =>
  sights.every((sight) => sight !== undefined && holds(sight));

export const bothAnswered = (sights: Sights): sights is readonly [Sight, Sight] =>
  bothSay(sights, () => true);

/** Whether every block to come is later than a deadline, in seconds. */
export const isPast = (deadline: number, sights: Sights): boolean =>
  bothSay(sights, ({ latest }) => latest.time > deadline);

/** The wallet's next nonce, if both hosts agree. */
export function agreedNonce([a, b]: Sights): number | undefined {
  return a !== undefined && a.nonce.latest === b?.nonce.latest ? a.nonce.latest : undefined;
}

/** What any host knows of a transaction. A receipt known before is preferred, so that two hosts do not alternate. */
export function receiptOf(
  hashes: readonly string[],
  sights: Sights,
  isPossible: (receipt: Receipt) => boolean,
  known?: Receipt,
): Receipt | undefined {
  const seen = sights
    .flatMap((sight) => hashes.flatMap((hash) => sight?.receipts.get(hash) ?? []))
    .filter(isPossible);
  return seen.find((receipt) => known !== undefined && isSameReceipt(receipt, known)) ?? seen[0];
}

export function isSameReceipt(a: Receipt, b: Receipt): boolean {
  if (a.hash !== b.hash || a.block.hash !== b.block.hash || a.fee !== b.fee) return false;
  if (a.status === "failed" || b.status === "failed") return a.status === b.status;
  return a.spent === b.spent && a.received === b.received;
}
