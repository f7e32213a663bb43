import { atMost } from "../table/step.ts";
import type { IntentTerms, LaneKey } from "./intent.ts";
import type { Cutoff, CutoffScope, ItemWrite, TradeStep } from "./table-step.ts";

/** A user's cutoffs that cover a wallet: times in milliseconds, up to which orders are cancelled. */
export type Cutoffs = {
  /** Covers all wallets. Also has a field for each chain on which all orders were cancelled. */
  all?: Cutoff | undefined;
  /** Covers only this wallet. */
  wallet?: Cutoff | undefined;
};

/** True if a cancellation covers the order. A time that is not a number covers all orders. */
export const isCutOff = (order: Pick<IntentTerms, "chain" | "createdAt">, cutoffs: Cutoffs): boolean =>
  timesIn(order, cutoffs).some((time) => !(typeof time === "number" && time < (order.createdAt ?? 0)));

/** Returns the earliest time for a new order that no cancellation covers. */
export const firstAfter = (lane: Pick<LaneKey, "chain">, cutoffs: Cutoffs): number =>
  Math.max(0, ...timesIn(lane, cutoffs).map((time) => time + 1));

const timesIn = ({ chain }: Pick<LaneKey, "chain">, { all, wallet }: Cutoffs): number[] =>
  [all?.before, all?.[chain], wallet?.before].filter((time) => time !== undefined);

/** Requires that no order of the wallet was cancelled together with others since the cutoffs were read. */
export const unchangedCutoffs = (
  { userID, chain, wallet }: LaneKey & { userID: string },
  { all, wallet: own }: Cutoffs,
): TradeStep => [
  {
    kind: "check",
    of: "cutoff",
    item: { userID, lane: { chain, wallet } },
    when: all === undefined ? "absent" : { before: all.before, [chain]: all[chain] },
  },
  {
    kind: "check",
    of: "cutoff",
    item: { userID, chain, wallet },
    when: own === undefined ? "absent" : { before: own.before },
  },
];

/**
 * Requires that the user still has the wallet, and has not cancelled its orders together since the cutoffs were read.
 * Otherwise an order could be accepted and void at once.
 */
export const unchangedOwner = (owner: LaneKey & { userID: string }, cutoffs: Cutoffs): TradeStep => {
  const { chain, wallet, userID } = owner;
  return [
    { kind: "check", of: "wallet", item: { chain, wallet, userID }, when: { retiredAt: undefined } },
    ...unchangedCutoffs(owner, cutoffs),
  ];
};

const fieldFor = ({ chain, wallet }: CutoffScope): keyof Cutoff =>
  chain === undefined || wallet !== undefined ? "before" : chain;

/** Cancels all orders in the scope up to a time, unless later ones are cancelled already. */
export function raisedTo(scope: CutoffScope, beforeMs: number): ItemWrite {
  const field = fieldFor(scope);
  const when = ["absent", { [field]: undefined }, { [field]: atMost(beforeMs - 1) }] as const;
  return { kind: "raise", of: "cutoff", item: scope, set: { [field]: beforeMs }, when };
}

/** Cancels all orders in the scope that were placed since the last cancellation, by a clock that is behind. */
export const raisedByOne = (scope: CutoffScope): ItemWrite => ({
  kind: "raise",
  of: "cutoff",
  item: scope,
  add: { [fieldFor(scope)]: 1 },
});
