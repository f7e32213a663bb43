import { type Asked, type AskedLeg, isReached } from "./asked.ts";
import { outOf, type PriceRecord } from "./pools.ts";

/** An ordinary order that a resting order has placed. */
export type Child = {
  orderId: string;
  /** Leg and block of its firing, if the order still names it. */
  leg?: AskedLeg["name"];
  block?: number;
  createdAtMs: number;
  /** Time of its last change. */
  doneAtMs: number;
  isFilled: boolean;
};

export type Fired = { asked: Asked; children: readonly Child[]; attention: readonly string[] };

/** A time in which orders may fire late, in milliseconds since the epoch. */
export type Period = { fromMs: number; toMs: number };

export type FiringFacts = {
  orders: readonly Fired[];
  /** Prices of a chain, oldest first. */
  records(chain: Asked["chain"]): readonly PriceRecord[];
  /** Times of faults, and of recovery from them. */
  faults: readonly Period[];
};

export type FiringReport = {
  problems: string[];
  /** Firings whose prices were recorded, and all others. */
  judged: number;
  unjudged: number;
  /** Times in which an order had to fire, and did or did not. */
  due: number;
  /** Milliseconds from a reached price to the firing, without faults and other orders of the wallet. */
  waits: { limit: number[]; stop: number[] };
};

/** Seconds for which a price must have been reached until an order has to fire. */
const dueSeconds = ({ chain }: Asked, { isStop }: AskedLeg) => (isStop ? (chain === "eth" ? 60 : 30) : 10);

/** Additional seconds, as the machine of a soak is busy with much else. */
const graceSeconds = 20;

/** How far beyond its price a leg must be to fire for certain. Routes are also chosen by their network fees. */
const certainly = ({ isStop }: AskedLeg) => (isStop ? 0.002 : 0.005);

/** How far beyond its price a leg must be to fire at all, with a tolerance for the arithmetic of this audit. */
const possibly = ({ isStop }: AskedLeg) => (isStop ? -0.0001 : 0.0009);

/** Milliseconds without a record after which a price counts as unknown. Nothing fires by an old head. */
const mostGapMs = 5000;

/** Milliseconds after the end of a dead child in which its order need not fire again: re-arming, and a growing pause. */
const rearmMs = (count: number) => 75_000 + Math.min(300_000, 5000 * 2 ** (count - 1));

/** Finds orders that should have fired and did not, or fired without a reason, by the recorded prices alone. */
export function auditFirings({ orders, records, faults }: FiringFacts): FiringReport {
  const report: FiringReport = {
    problems: [],
    judged: 0,
    unjudged: 0,
    due: 0,
    waits: { limit: [], stop: [] },
  };
  const byWallet = Map.groupBy(orders, ({ asked: { chain, wallet } }) => `${chain} ${wallet}`);
  for (const order of orders) {
    const { asked } = order;
    const own = records(asked.chain);
    const others = (byWallet.get(`${asked.chain} ${asked.wallet}`) ?? []).filter((each) => each !== order);
    const busy = [
      ...faults,
      ...others.flatMap(({ children }) => children.map(outPeriod)),
      ...deadPeriods(order),
    ];
    for (const leg of asked.legs) judgeMissed(report, order, leg, own, merged(busy));
    for (const child of order.children) judgeFired(report, asked, child, own);
  }
  return report;
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

/** Lists the times in which a leg's price was reached without a break while the order rested. */
function reachedPeriods(
  { asked, children }: Fired,
  leg: AskedLeg,
  records: readonly PriceRecord[],
): Period[] {
  const { createdAtMs, expiresAtMs, cancelledAtMs = expiresAtMs } = asked;
  const filledAtMs = children.find(({ isFilled }) => isFilled)?.createdAtMs ?? expiresAtMs;
  const endMs = Math.min(expiresAtMs, cancelledAtMs, filledAtMs);
  const periods: Period[] = [];
  let open: Period | undefined;
  for (const [index, record] of records.entries()) {
    const nextMs = records[index + 1]?.atMs ?? record.atMs;
    if (nextMs <= createdAtMs) continue;
    if (record.atMs >= endMs) break;
    const isReached = isReachedIn(asked, leg, record, certainly(leg)) && isAboveWorst(asked, leg, record);
    const isBroken = nextMs - record.atMs > mostGapMs || !isReached;
    if (isBroken) {
      open = undefined;
      continue;
    }
    if (open === undefined) {
      open = { fromMs: Math.max(record.atMs, createdAtMs), toMs: 0 };
      periods.push(open);
    }
    open.toMs = Math.min(nextMs, endMs);
  }
  return periods;
}

/** A stop sells nothing below its worst price. Others that fire at once take a part of the price. */
const isAboveWorst = (asked: Asked, { isStop, worst }: AskedLeg, { markets }: PriceRecord): boolean => {
  const market = markets.get(asked.token);
  const least = (Number(worst.coins) / Number(worst.tokens)) * Number(asked.amount) * 1.02;
  return !isStop || (market !== undefined && outOf(market, asked.side, asked.amount) >= least);
};

function isReachedIn(asked: Asked, leg: AskedLeg, { markets }: PriceRecord, margin: number): boolean {
  const market = markets.get(asked.token);
  return market !== undefined && isReached(asked, leg, outOf(market, asked.side, asked.amount), margin);
}

function judgeMissed(
  report: FiringReport,
  order: Fired,
  leg: AskedLeg,
  records: readonly PriceRecord[],
  busy: readonly Period[],
): void {
  const { asked, children, attention } = order;
  const due = dueSeconds(asked, leg);
  for (const period of reachedPeriods(order, leg, records)) {
    const quiet = quietMs(period, busy) / 1000;
    const firing = children.find(
      ({ createdAtMs, leg: fired = leg.name }) =>
        fired === leg.name && createdAtMs >= period.fromMs && createdAtMs <= period.toMs + 1000,
    );
    if (firing !== undefined) {
      const waitedMs = quietMs({ fromMs: period.fromMs, toMs: firing.createdAtMs }, busy);
      report.waits[leg.isStop ? "stop" : "limit"].push(Math.max(0, waitedMs));
    }
    if (firing !== undefined || quiet > due) report.due++;
    if (quiet <= due + graceSeconds) continue;
    const { orderId, userID, chain } = asked;
    const [from, to] = [period.fromMs, period.toMs].map((atMs) => new Date(atMs).toISOString());
    const shown = attention.length === 0 ? "" : `, and shows ${attention.join(", ")}`;
    report.problems.push(
      `the ${leg.name} of ${orderId} of ${userID} on ${chain} was due for ${quiet.toFixed(0)} quiet seconds from ${from} to ${to}, and has not fired in time${shown}`,
    );
  }
}

/** Number of blocks before a firing that must have reached the price, too, and how many blocks ago they may be. */
type Held = { count: number; within: number };

/** Blocks that the networks make in 8 seconds, and in 2. The local chains make one a second. */
const blocksIn = { base: [40, 10], bsc: [18, 5], avax: [8, 2], eth: [2, 1] } as const;

/** A stop needs three blocks in a row on eth, and elsewhere three random ones of the last 8 seconds beside the head. */
function heldOf({ chain, legs }: Asked, { isStop }: AskedLeg): Held | undefined {
  const [long, short] = blocksIn[chain as keyof typeof blocksIn];
  if (isStop) return { count: chain === "eth" ? 2 : 3, within: long };
  return legs.length === 1 ? undefined : { count: 1, within: short };
}

function judgeFired(
  report: FiringReport,
  asked: Asked,
  { orderId, leg: name, block = 0 }: Child,
  records: readonly PriceRecord[],
): void {
  const leg = asked.legs.find((each) => each.name === name);
  if (leg === undefined) return;
  const reachedAt = (from: number, to: number) => {
    const found = records.filter(({ number }) => number >= from && number <= to);
    const reached = found.filter((record) => isReachedIn(asked, leg, record, possibly(leg)));
    return { found, reached };
  };
  const problem = (text: string) =>
    report.problems.push(
      `the ${leg.name} of ${asked.orderId} of ${asked.userID} on ${asked.chain} fired ${orderId} in block ${block}, ${text}`,
    );
  const numbersOf = (found: readonly PriceRecord[]) => new Set(found.map(({ number }) => number)).size;
  if (asked.chain === "sol") {
    judgeSol(report, asked, leg, reachedAt(block - mostSlots, block + 2), problem);
    return;
  }
  const head = reachedAt(block, block);
  const held = heldOf(asked, leg);
  const before = held === undefined ? undefined : reachedAt(block - held.within, block - 1);
  const isKnown = head.found.length > 0 && (before === undefined || numbersOf(before.found) === held?.within);
  report[isKnown ? "judged" : "unjudged"]++;
  if (!isKnown) return;
  if (head.reached.length === 0) problem("whose price it had not reached");
  else if (before !== undefined && numbersOf(before.reached) < (held?.count ?? 0))
    problem("but its price was not reached for long enough");
}

/** Number of slots before a firing in which its readings are, and by which hosts may be apart. */
const mostSlots = 100;

/** Milliseconds over which readings on sol must have reached the price, less than 8 and 2 seconds for clocks. */
const heldMs = { stop: 7000, takeProfit: 1300 };

function judgeSol(
  report: FiringReport,
  { legs }: Asked,
  { isStop }: AskedLeg,
  { found, reached }: Record<"found" | "reached", readonly PriceRecord[]>,
  problem: (text: string) => void,
): void {
  const isKnown = found.length >= 4;
  report[isKnown ? "judged" : "unjudged"]++;
  if (!isKnown) return;
  const times = reached.map(({ atMs }) => atMs);
  const spanMs = Math.max(...times) - Math.min(...times);
  if (reached.length === 0) problem("whose price it had not reached");
  else if (legs.length > 1 || isStop) {
    if (spanMs < heldMs[isStop ? "stop" : "takeProfit"])
      problem("but its price was not reached for long enough");
  }
}
