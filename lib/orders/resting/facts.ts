import type { AnyOrder } from "../trade-order.ts";
import type { RestingOrder } from "./life.ts";
import type { Ended, Tally } from "./mandate.ts";
import type { RestingFacts, StoredResting } from "./stored.ts";
import { settledTally } from "./tally.ts";

/** Records behind the facts about a resting order's children. */
export type ChildRecords = {
  tally: Tally | undefined;
  ended: Ended | undefined;
  /** Orders of the children that are out, have not settled, or are of {@link unknownParts}, by id. */
  children: ReadonlyMap<string, AnyOrder>;
};

/** Computes what clients see of a resting order's children. */
export function factsOfChildren(
  order: Pick<RestingOrder, "mandate" | "filled" | "firings">,
  known: RestingFacts,
  records: ChildRecords,
): RestingFacts {
  if (order.mandate.slices !== undefined) return factsOfSlices(order, known, records);
  const { filled } = order;
  const fill = filled === undefined ? undefined : (fillOf(records.children.get(filled)) ?? known.fill);
  return { ...(feesOf(records) ?? feesIn(known)), ...(fill && { fill }) };
}

/** Adds up what all children have paid and filled. Those that have settled are known from before. */
function factsOfSlices(
  { firings }: Pick<RestingOrder, "firings">,
  known: RestingFacts,
  records: ChildRecords,
): RestingFacts {
  const seen = [...records.children].map(([orderId, child]) => {
    const fill = fillOf(child);
    const { networkFee, settled: isSettled } = child.life;
    return [orderId, { networkFee, ...(fill && { fill }), isSettled }] as const;
  });
  // Keeps nothing of unsigned children that have settled without a fee, because there may be thousands. Until then, an
  // approval of theirs may still pay one.
  const ids = new Set(firings.flatMap(({ orderId, outcome }) => (outcome === "unsent" ? [] : [orderId])));
  const parts: RestingFacts["parts"] = Object.fromEntries(
    Object.entries({ ...known.parts, ...Object.fromEntries(seen) }).filter(
      ([id, { networkFee, fill, isSettled }]) =>
        networkFee > 0n || fill !== undefined || Boolean(isSettled) === ids.has(id),
    ),
  );
  const fills = firings.flatMap(({ orderId, outcome }) => {
    const fill = outcome === "filled" ? parts[orderId]?.fill : undefined;
    return fill === undefined ? [] : [fill];
  });
  const [newest] = fills;
  const { feesSpent } = feesOf(records) ?? known;
  return {
    feesSpent,
    networkFee: Object.values(parts).reduce((sum, { networkFee }) => sum + networkFee, 0n),
    ...(newest && {
      fill: {
        ...newest,
        spent: fills.reduce((sum, { spent }) => sum + spent, 0n),
        received: fills.reduce((sum, { received = 0n }) => sum + received, 0n),
      },
    }),
    parts,
  };
}

/**
 * Lists the children of slices whose final results are not known yet. A child that settles between two looks is not out
 * any more, and has no job, but what it has paid and filled still counts, and its outcome may have changed.
 */
export function unknownParts({ mandate, firings, facts: { parts = {} } }: StoredResting): string[] {
  if (mandate.slices === undefined) return [];
  const signed = firings.filter(({ outcome }) => outcome !== "unsent");
  const outcomes = new Map(signed.map(({ orderId, outcome }) => [orderId, outcome]));
  return [...new Set([...outcomes.keys(), ...Object.keys(parts)])].filter((orderId) => {
    const { isSettled, fill } = parts[orderId] ?? {};
    return !isSettled || (fill !== undefined) !== (outcomes.get(orderId) === "filled");
  });
}

/** Number of unsigned children in a row after which another refusal counts for good. */
const mostUnsent = 10;

/**
 * True if the signer refuses the order's children again and again, for example because the key of its mandate has been
 * replaced. A single refusal may have another reason.
 */
export function isRefusedForGood(
  { firings }: Pick<RestingOrder, "firings">,
  { children }: Pick<ChildRecords, "children">,
): boolean {
  const last = firings.find(({ outcome }) => outcome !== "out");
  const isUnsent = last?.outcome === "unsent" && (last.times ?? 1) >= mostUnsent;
  return isUnsent && [...children.values()].some(({ life }) => life.reasonCode === "SIGNING_REFUSED");
}

const feesIn = ({ feesSpent, networkFee }: RestingFacts) => ({ feesSpent, networkFee });

function feesOf({ tally, ended, children }: ChildRecords) {
  if (tally === undefined) return undefined;
  const { out, owed, fees } = settledTally(tally, ended);
  const { limit, stop } = fees;
  // Counts what a child has paid, as its order says, in place of the most that its signatures may pay.
  const networkFee = [...owed, ...(out === undefined ? [] : [out])].reduce(
    (sum, { child, most }) => sum - most + (children.get(child)?.life.networkFee ?? most),
    limit + stop,
  );
  return { feesSpent: { limit, stop }, networkFee };
}

function fillOf(child: AnyOrder | undefined): RestingFacts["fill"] {
  if (child?.life.status !== "filled") return undefined;
  const { spent, received, txHash } = child.life;
  return { spent, ...(received !== undefined && { received }), ...(txHash !== undefined && { txHash }) };
}
