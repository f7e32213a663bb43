import type { Asked, AskedLeg } from "./asked.ts";
import { type Due, listsOf, type Objection, type Verdict } from "./lists.ts";
import type { Period } from "./points.ts";
import type { PriceRecord } from "./pools.ts";

/** An ordinary order that a resting order has placed. */
export type Child = {
  orderId: string;
  /** Leg, slice and block of the child's firing, if the order still names it. */
  leg?: AskedLeg["name"];
  slice?: number;
  block?: number;
  createdAtMs: number;
  /** Time of its last change. */
  doneAtMs: number;
  isFilled: boolean;
};

export type Fired = { asked: Asked; children: readonly Child[]; attention: readonly string[] };

export type Facts = {
  orders: readonly Fired[];
  /** Prices of a chain, oldest first. */
  records: (chain: Asked["chain"]) => readonly PriceRecord[];
  /** Times of a chain's faults, and of recovery from them. */
  faults: (chain: Asked["chain"]) => readonly Period[];
};

export type Comparison = {
  problems: string[];
  /** Number of times in which the price of a leg was reached, by outcome. */
  listed: Record<"fired" | "left too soon" | "excused" | "missed", number>;
  /** Number of firings: in a listed time, at its edge by the margins and the look-back, wrong, or without records. */
  firings: Record<"listed" | "at an edge" | "wrong" | "unknown", number>;
  /** Milliseconds from a reached price to the firing, without faults and other orders of the wallet. */
  waits: Record<AskedLeg["kind"], number[]>;
};

/** Extra seconds, because the machine of a soak is busy. */
const graceSeconds = 20;

/** Milliseconds after the end of a dead child in which its order need not fire again: re-arming, and a growing pause. */
const rearmMs = (count: number) => 75_000 + Math.min(300_000, 5000 * 2 ** (count - 1));

export const noneCompared = (): Comparison => ({
  problems: [],
  listed: { fired: 0, "left too soon": 0, excused: 0, missed: 0 },
  firings: { listed: 0, "at an edge": 0, wrong: 0, unknown: 0 },
  waits: { limit: [], stop: [], trailing: [], slice: [] },
});

/** Compares what each order had to do with what it did, and adds the results to those of other orders. */
export function compareAll({ orders, records, faults }: Facts, comparison = noneCompared()): Comparison {
  const byWallet = Map.groupBy(orders, ({ asked: { chain, wallet } }) => `${chain} ${wallet}`);
  for (const order of orders) {
    const { asked } = order;
    const ofChain = faults(asked.chain);
    const others = (byWallet.get(`${asked.chain} ${asked.wallet}`) ?? []).filter((each) => each !== order);
    const busy = merged([
      ...ofChain,
      ...others.flatMap(({ children }) => children.map(outPeriod)),
      ...deadPeriods(order),
    ]);
    const verdicts = listsOf(asked, records(asked.chain), ofChain);
    for (const verdict of verdicts) judgeMissed(comparison, order, verdict, busy);
    for (const child of order.children) judgeFired(comparison, asked, child, verdicts);
  }
  return comparison;
}

/** A lane sends one transaction at a time, and sol holds back other orders of a token. */
const outPeriod = ({ createdAtMs, doneAtMs }: Child): Period => ({
  fromMs: createdAtMs,
  toMs: doneAtMs + 3000,
});

const deadPeriods = ({ children }: Fired): Period[] =>
  children
    .filter(({ isFilled }) => !isFilled)
    .map(({ createdAtMs, doneAtMs }, index) => ({
      fromMs: createdAtMs,
      toMs: doneAtMs + rearmMs(index + 1),
    }));

function merged(periods: readonly Period[]): Period[] {
  const all: Period[] = [];
  for (const { fromMs, toMs } of periods.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = all.at(-1);
    if (last !== undefined && fromMs <= last.toMs) last.toMs = Math.max(last.toMs, toMs);
    else all.push({ fromMs, toMs });
  }
  return all;
}

const quietMs = ({ fromMs, toMs }: Period, busy: readonly Period[]): number =>
  busy.reduce(
    (left, each) => left - Math.max(0, Math.min(toMs, each.toMs) - Math.max(fromMs, each.fromMs)),
    toMs - fromMs,
  );

const sliceOf = (leg: AskedLeg) => (leg.kind === "slice" ? leg.slice : undefined);

const isOf = (leg: AskedLeg, child: Child) =>
  (child.leg ?? leg.name) === leg.name && child.slice === sliceOf(leg);

/** True for a child of a listed time, or of the look right after it. */
const isIn = ({ createdAtMs }: Child, { fromMs, toMs }: Period) =>
  createdAtMs >= fromMs && createdAtMs <= toMs + 1000;

const nameOf = (leg: AskedLeg, { orderId, userID, chain }: Asked) =>
  `the ${[leg.name, sliceOf(leg)].filter(Boolean).join(" ")} of ${orderId} of ${userID} on ${chain}`;

function judgeMissed(
  comparison: Comparison,
  { asked, children, attention }: Fired,
  { leg, due }: Verdict,
  busy: readonly Period[],
): void {
  // Nothing is due once the order has filled. Each slice fills separately.
  const filled = children.find((child) => child.isFilled && (asked.fills === 1 || isOf(leg, child)));
  const endMs = filled?.createdAtMs ?? Number.POSITIVE_INFINITY;
  for (const each of due.filter(({ fromMs }) => fromMs < endMs)) {
    const period = { ...each, toMs: Math.min(each.toMs, endMs) };
    judgePeriod(period);
  }

  function judgePeriod({ fromMs, toMs, byMs }: Due): void {
    const quiet = quietMs({ fromMs, toMs }, busy);
    const allowed = byMs - fromMs;
    const firing = children.find((child) => isOf(leg, child) && isIn(child, { fromMs, toMs }));
    if (firing !== undefined)
      comparison.waits[leg.kind].push(Math.max(0, quietMs({ fromMs, toMs: firing.createdAtMs }, busy)));
    const isMissed = quiet > allowed + 1000 * graceSeconds;
    const rest = firing !== undefined ? "fired" : toMs - fromMs > allowed ? "excused" : "left too soon";
    comparison.listed[isMissed ? "missed" : rest]++;
    if (!isMissed) return;
    const [from, to] = [fromMs, toMs].map((atMs) => new Date(atMs).toISOString());
    const shown = attention.length === 0 ? "" : `, and shows ${attention.join(", ")}`;
    comparison.problems.push(
      `${nameOf(leg, asked)} was due for ${(quiet / 1000).toFixed(0)} quiet seconds from ${from} to ${to}, and has not fired in time${shown}`,
    );
  }
}

/** Words for each objection to a firing. */
const complaints: Readonly<Record<Objection, string>> = {
  "out of time": "which is not its time",
  "too old": "which was too old by then",
  unreached: "whose price it had not reached",
  "too short": "but its price was not reached for long enough",
};

function judgeFired(comparison: Comparison, asked: Asked, child: Child, verdicts: readonly Verdict[]): void {
  const { orderId, block = 0, createdAtMs } = child;
  const verdict = verdicts.find(({ leg }) => child.leg !== undefined && isOf(leg, child));
  if (verdict === undefined) return;
  const problem = (text: string) =>
    comparison.problems.push(`${nameOf(verdict.leg, asked)} fired ${orderId} in block ${block}, ${text}`);
  if (createdAtMs > asked.expiresAtMs) problem("after the order had expired");
  const objection = verdict.objectionTo({ block, atMs: createdAtMs });
  const isListed = verdict.due.some((each) => isIn(child, each));
  const firing = objection === undefined ? "unknown" : isListed ? "listed" : "at an edge";
  const isWrong = objection !== undefined && objection !== "none";
  comparison.firings[isWrong ? "wrong" : firing]++;
  if (isWrong) problem(complaints[objection]);
}
