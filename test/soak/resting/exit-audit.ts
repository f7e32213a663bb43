import type { AttentionCode, Order } from "../../../lib/orders/execution.ts";
import type { Asked } from "../../replay/asked.ts";
import { type Birth, birthOf, closedAtMs, type Swap } from "../../replay/exits.ts";
import type { Period } from "../../replay/points.ts";
import type { PriceRecord } from "../../replay/pools.ts";
import type { Fill, ShownParent } from "./resting-audit.ts";

/** An exit, with all versions of it that its user has seen. */
type ShownExit = Pick<ShownParent, "asked" | "order"> & { versions: readonly Order[] };

/** What the chain shows about the buy of an exit. */
export type BuyFacts = {
  fill: Fill;
  /** Swaps of the wallet's orders of the token, in the order of the chain. */
  swaps: readonly Swap[];
  /** States of the chain, oldest first. */
  records: readonly PriceRecord[];
};

/** An exit as far as it had to fire, its state once its buy had filled, and problems as sentences. */
type JudgedExit = { asked: Asked; birth: Birth; problems: string[] };

/** Milliseconds by which the clocks of a chain and the service may be apart. */
const clocksApartMs = 5000;

/** Judges from the chain whether an exit rests, and how long it has something to sell. */
export function judgedExit({ asked, order, versions }: ShownExit, facts: BuyFacts): JudgedExit {
  const birth = birthOf(asked, facts.records, birthPeriod(versions, facts.fill));
  const closedMs = closedAtMs(facts.swaps, facts.fill.hash);
  const sinceOf = (code: AttentionCode) =>
    versions
      .flatMap(({ attention = [] }) => attention.filter((each) => each.code === code))
      .map(({ since }) => since);
  const isOpenAt = (time: string) => closedMs === undefined || Date.parse(time) < closedMs - clocksApartMs;
  const problems = [
    ...(birth === "rests" && sinceOf("EXIT_SUSPENDED").length > 0
      ? ["is suspended, and its stop was far from the price of a sale at once"]
      : []),
    ...(birth === "suspended" && versions.some(({ stage }) => stage === "resting")
      ? ["rests, and its stop was too close to the price of a sale at once"]
      : []),
    ...(order.reasonCode === "POSITION_CLOSED" && isOpenAt(order.updatedAt)
      ? ["has ended, and no sale had closed its position"]
      : []),
    ...(sinceOf("POSITION_CHANGED").some(isOpenAt)
      ? ["is suspended, and no sale had closed its position"]
      : []),
  ];
  const { createdAtMs, cancelledAtMs } = asked;
  const ends = [cancelledAtMs, closedMs, birth === "rests" ? undefined : createdAtMs].filter(
    (each) => each !== undefined,
  );
  return {
    asked: ends.length === 0 ? asked : { ...asked, cancelledAtMs: Math.min(...ends) },
    birth,
    problems: problems.map(
      (problem) => `exit ${asked.orderId} of ${asked.userID} on ${asked.chain} ${problem}`,
    ),
  };
}

/** Returns the time from a buy's fill until its exit was no longer pending. A replaced block makes it pending again. */
function birthPeriod(versions: readonly Order[], { atMs }: Fill): Period {
  const sorted = versions.toSorted((a, b) => a.version - b.version);
  const births = sorted
    .filter(
      ({ stage }, index) => stage !== "pending" && (sorted[index - 1]?.stage ?? "pending") === "pending",
    )
    .map(({ updatedAt }) => Date.parse(updatedAt));
  return { fromMs: Math.min(atMs, ...births), toMs: Math.max(atMs, ...births) };
}
