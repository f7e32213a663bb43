import { type Asked, type AskedLeg, classOf, isCrossed, pricedBy } from "./year-asked.ts";

export type SeenBlock = { number: number; timeMs: number; price: number };

/** A swap in a block. The price is in millionths of a coin. */
export type SeenFill = { price: number; amount: number; number: number };

/** What everybody knows at a moment. */
type Moment = { nowMs: number; isCalm: boolean; busy: LaneKind };

/** The order that a lane waits for. */
type LaneKind = "limit" | "stop" | "market" | undefined;

type Watched = {
  leg: AskedLeg;
  /** Number of blocks in a row in which nothing excused that the leg had not fired. */
  good: number;
  /** Number of blocks in which the leg was reached, with short breaks. */
  reached: number;
  gone: number;
  /**
   * Number of those blocks before something other than the lane last delayed the leg: a pause may last as long again.
   */
  kept: number;
  /** Dead children in a row, and the time until which the leg may pause. */
  tries: number;
  pausesUntilMs: number;
  hour: number;
  firedInHour: number;
};

type Bounds = { least: number; most: number };

type Child = { leg: AskedLeg; atMs: number; isCalm: boolean; blocks: number };

/** An order, or one slice of it. */
type Known = Asked & {
  watched: readonly Watched[];
  out: Child | undefined;
  /** Bounds of the price that a trailing stop follows. */
  mark: Bounds;
  /** Bounds of that price when the order came to rest. The worst price of an exit's trailing stop stays at it. */
  birth: Bounds;
  /** Number of calm blocks without a child. */
  free: number;
  isMissed: boolean;
  /** False for an exit that waits for its buy or its owner. */
  rests: boolean;
  /** Prices that the buy of an exit has paid, newest last. A reorganisation may change them. */
  paid: number[];
  /** Number of calm blocks since the buy's fill in which the exit was not seen to rest. */
  unborn: number;
  /** The slices of an order. */
  parts: readonly Known[];
  isSlice: boolean;
  /** The child of a slice whose swap was signed. */
  signed?: string;
};

/** What happened to a child, as the service says. */
export type Outcome = "filled" | "failed" | "lapsed" | "yielded" | "unsent";

const millionth = 1e-6;
const hourMs = 3_600_000;
const mostInHour = { limit: 12, stop: 60 };
/** Time for which a run may stand still under faults, between its last look at the clock and its write. */
const stallMs = 60_000;
const mostHeadMs = 36_000;
/** Number of blocks within which a leg fires if its price holds, at 12 seconds a block. */
const dueBlocks = { limit: 2, takeProfit: 3, stop: 5, stopLoss: 5, trailing: 5, slice: 2 };
/** Number of blocks after the fill of a buy in which its exits come to rest. */
const bornBlocks = 2;
const mostKept = 30;
/** Longest pause of a slice whose price was not good. */
const mostKeptOfSlice = 6;
/** Time after which a mark has followed the price. */
const followBlocks = 8;
const mostBlocksOut = 25;
/** Time after the end of an order until it is seen. Exits are looked at every five minutes. */
const endMs = 60_000;
const exitEndMs = 360_000;
/** Time after the end of a slice's turn in which a child that was placed before may be signed. */
const lateMs = 60_000;
/** A stop of an exit that lies closer to the price at its birth than this share must not rest. */
const leastDistance = 0.03;

/**
 * Lists what had to fire and did not, and what fired without a reason, only from the blocks and the requests. It shares
 * no code with the service. A slice is an order of its own, which lives while its turn lasts and is signed once.
 */
export class YearObserver {
  /** What was missed, what was spurious, and what had no end or a wrong one. */
  readonly faults: string[] = [];
  readonly counts = new Map<string, number>();
  readonly #orders = new Map<string, Known>();
  readonly #ended = new Set<string>();
  #blocks: SeenBlock[] = [];
  #fills: (SeenFill & { orderId: string })[] = [];
  #calm = 0;

  #count(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }

  /** Notes a block, which may replace others. */
  block(block: SeenBlock): void {
    this.#fills = this.#fills.filter(({ number }) => number < block.number);
    this.#blocks = [...this.#blocks.slice(-59), block];
    const { number } = block;
    const held = Math.min(
      ...[number, number - 1, number - 2].map((each) => Math.max(...this.#pricesAt(each))),
    );
    for (const { mark } of this.#orders.values()) mark.most = Math.max(mark.most, held);
  }

  /** Notes that a fault or a halt begins or lasts. */
  disturbed(): void {
    this.#calm = 0;
  }

  #pricesAt(number: number): number[] {
    return this.#blocks.flatMap((each) => (each.number === number ? [each.price] : []));
  }

  placed(asked: Asked): void {
    this.#count("placed");
    const { orderId, slices, createdMs, legs, exitOf } = asked;
    const parts = Array.from({ length: slices?.count ?? 0 }, (_, at) => {
      const everyMs = (slices?.everySeconds ?? 0) * 1000;
      const dueMs = Math.ceil(createdMs / 1000) * 1000 + at * everyMs;
      const times = { createdMs: dueMs, endMs: dueMs + everyMs };
      return newKnown({ ...asked, ...times, orderId: `${orderId}.${at + 1}` }, { isSlice: true });
    });
    const ofParts = { parts, rests: exitOf === undefined };
    const order = newKnown({ ...asked, legs: slices === undefined ? legs : [] }, ofParts);
    for (const each of [order, ...parts]) this.#orders.set(each.orderId, each);
  }

  cancelled(orderId: string, atMs: number): void {
    const order = this.#orders.get(orderId);
    if (order === undefined) return;
    for (const each of [order, ...order.parts]) each.endMs = Math.min(each.endMs, atMs);
  }

  /** Notes that an exit waits for its buy or its owner, or that it rests. */
  born(orderId: string, state: "pending" | "resting" | "suspended"): void {
    const order = this.#orders.get(orderId);
    if (order === undefined) return;
    this.#count(`born ${state}`);
    Object.assign(order, { rests: state === "resting", free: 0, unborn: state === "pending" ? 0 : -1 });
    if (state === "pending") return;
    const prices = this.#blocks.slice(this.#calm > 0 ? -1 : -16).map(({ price }) => price);
    order.birth = { least: Math.min(...prices), most: Math.max(...prices) };
    order.mark = { ...order.birth };
    if (order.paid.length === 0) this.faults.push(`${orderId} is ${state} before its buy`);
    if (this.#calm === 0) return;
    const isClose = order.watched
      .flatMap(({ leg }) => pricedBy(leg, order.paid.slice(-1), order.birth.least))
      .some(({ kind, at }) => kind === "stop" && at > order.birth.least * (1 - leastDistance));
    if (isClose !== (state === "suspended")) this.faults.push(`${orderId} is ${state} at its birth`);
  }

  fired(orderId: string, name: string, block: number, atMs: number): void {
    const order = this.#orders.get(orderId);
    const watched = order?.watched.find(({ leg }) => leg.name === name);
    if (order === undefined || watched === undefined) {
      this.faults.push(`${orderId} fires ${name} after its end`);
      return;
    }
    const { leg } = watched;
    this.#count(`fired ${name}`);
    const objection = this.#objectionTo(order, leg, block, atMs);
    if (objection !== undefined) this.faults.push(`${orderId} fires ${name} ${objection}`);
    const hour = Math.floor(atMs / hourMs);
    watched.firedInHour = watched.hour === hour ? watched.firedInHour + 1 : 1;
    watched.hour = hour;
    if (watched.firedInHour > mostInHour[classOf(leg)] && !order.isSlice)
      this.faults.push(`${orderId} fires ${name} too often`);
    order.out = { leg, atMs, isCalm: this.#calm > 0, blocks: 0 };
    for (const each of order.watched) Object.assign(each, { good: 0, reached: 0, kept: 0 });
  }

  #objectionTo(order: Known, leg: AskedLeg, block: number, atMs: number): string | undefined {
    if (atMs >= order.endMs) return "after its end";
    if (atMs < order.createdMs) return "before its time";
    if (!order.rests) return "while it does not rest";
    const times = this.#blocks.filter(({ number }) => number === block).map(({ timeMs }) => timeMs);
    const mostMs = mostHeadMs + (this.#calm > 0 ? 0 : stallMs);
    if (times.length === 0 || atMs - Math.max(...times) > mostMs) return "by an old block";
    const looks = classOf(leg) !== "limit" ? [0, 1, 2] : leg.name === "takeProfit" ? [0, 1] : [0];
    const isReached = pricedBy(leg, order.paid, order.birth.least).some((priced) =>
      looks.every((back) =>
        this.#pricesAt(block - back).some((price) =>
          isCrossed(priced, price, order.mark.most, 1 + millionth),
        ),
      ),
    );
    return isReached ? undefined : "although its price was not reached";
  }

  /** Notes that the swap of a child is signed. */
  signed(orderId: string, childId: string, atMs: number): void {
    const order = this.#orders.get(orderId);
    if (order === undefined || !order.isSlice) return;
    if (atMs < order.createdMs || atMs >= order.endMs + lateMs)
      this.faults.push(`${orderId} is signed outside its turn`);
    if (order.signed !== undefined && order.signed !== childId)
      this.faults.push(`${orderId} is signed twice`);
    order.signed = childId;
  }

  /** Notes that a child will never fill. */
  dead(orderId: string, outcome: Outcome, atMs: number): void {
    this.#count(outcome);
    const order = this.#orders.get(orderId);
    const { out } = order ?? {};
    if (order === undefined || out === undefined) return;
    order.out = undefined;
    const isShort = order.endMs - out.atMs < 70_000;
    if (outcome === "unsent" && out.isCalm && !isShort)
      this.faults.push(`${orderId} has a child that is not signed`);
    const watched = order.watched.find(({ leg }) => leg === out.leg);
    if (outcome === "unsent" || watched === undefined) return;
    watched.tries = atMs - watched.pausesUntilMs > hourMs ? 1 : watched.tries + 1;
    const [free, mostMs] = classOf(out.leg) === "limit" ? [0, 300_000] : [5, 60_000];
    const doublings = watched.tries - 1 - free;
    watched.pausesUntilMs = atMs + (doublings < 0 ? 0 : Math.min(mostMs, 5000 * 2 ** doublings));
  }

  /** Notes the fill of a market order in a block. */
  bought(orderId: string, fill: SeenFill): void {
    this.#fills.push({ orderId, ...fill });
    for (const order of this.#orders.values()) if (order.exitOf === orderId) order.paid.push(fill.price);
  }

  /** Notes a fill in a block. */
  filled(orderId: string, name: string, fill: SeenFill): void {
    const order = this.#orders.get(orderId);
    const leg = order?.watched.find((each) => each.leg.name === name)?.leg;
    const { price } = fill;
    if (order === undefined || leg === undefined || this.#ended.has(orderId))
      this.faults.push(`${orderId} fills after its end`);
    else if (
      pricedBy(leg, order.paid, order.birth.least).every(({ worst }) => price < worst * (1 - millionth))
    )
      this.faults.push(`${orderId} fills below its price`);
    if (this.#hasFilled(orderId)) this.faults.push(`${orderId} fills twice`);
    this.#fills.push({ orderId, ...fill });
    if (order?.exitOf !== undefined) this.#checkSold(order.exitOf);
  }

  /** All exits of a buy sell no more than it has received. */
  #checkSold(buyId: string): void {
    const sumOf = (isCounted: (orderId: string) => boolean) =>
      this.#fills.reduce((sum, { orderId, amount }) => sum + (isCounted(orderId) ? amount : 0), 0);
    const sold = sumOf((orderId) => this.#orders.get(orderId)?.exitOf === buyId);
    if (sold > sumOf((orderId) => orderId === buyId)) this.faults.push(`${buyId} is sold twice`);
  }

  #hasFilled(orderId: string): boolean {
    return this.#fills.some((each) => each.orderId === orderId);
  }

  /** Notes the end of an order, as the service says. */
  ended(orderId: string, reason: string | undefined, atMs: number): void {
    const order = this.#orders.get(orderId);
    this.#count(`ended ${reason ?? "filled"}`);
    if (order === undefined || this.#ended.has(orderId)) return;
    const all = order.parts.length === 0 ? [order] : order.parts;
    for (const each of [order, ...order.parts]) this.#ended.add(each.orderId);
    const hasFilled = all.every((each) => this.#hasFilled(each.orderId));
    if (hasFilled !== (reason === undefined))
      this.faults.push(`${orderId} ends as ${reason}, unlike the chain`);
    const isUnbought = reason === "PARENT_NOT_FILLED" && !this.#hasFilled(order.exitOf ?? "");
    if (!hasFilled && !isUnbought && atMs < order.endMs)
      this.faults.push(`${orderId} ends as ${reason} before its time`);
  }

  /** Forgets orders, or a buy whose exits are over. */
  forget(orderId: string): void {
    const { parts = [] } = this.#orders.get(orderId) ?? {};
    const ids = new Set([orderId, ...parts.map((each) => each.orderId)]);
    for (const id of ids) {
      this.#orders.delete(id);
      this.#ended.delete(id);
    }
    this.#fills = this.#fills.filter((each) => !ids.has(each.orderId));
  }

  /**
   * Judges a block after the functions have run. Returns true if a leg is due or reached.
   *
   * @param isCalm True without faults and halts, and some minutes after them.
   */
  judge(nowMs: number, { isCalm, busy }: { isCalm: boolean; busy: ReadonlyMap<string, LaneKind> }): boolean {
    this.#calm = isCalm ? this.#calm + 1 : 0;
    let isDue = false;
    for (const order of this.#orders.values()) {
      if (this.#ended.has(order.orderId)) continue;
      if (order.out === undefined) {
        const moment = { nowMs, isCalm, busy: busy.get(order.wallet) };
        if (this.#judgeResting(order, moment)) isDue = true;
      } else this.#judgeOut(order, order.out, isCalm);
    }
    return isDue;
  }

  #judgeOut(order: Known, out: Child, isCalm: boolean): void {
    out.blocks = isCalm ? out.blocks + 1 : 0;
    out.isCalm &&= isCalm;
    order.free = 0;
    if (out.blocks === mostBlocksOut) this.faults.push(`${order.orderId} has a child without an outcome`);
  }

  #judgeResting(order: Known, moment: Moment): boolean {
    const { orderId, isSlice, exitOf } = order;
    const { nowMs, isCalm } = moment;
    const mostMs = exitOf === undefined ? endMs : exitEndMs;
    if (isCalm && !isSlice && nowMs > order.endMs + mostMs) {
      order.endMs = Number.POSITIVE_INFINITY;
      this.faults.push(`${orderId} rests after its end`);
    }
    if (!order.rests) {
      this.#judgeUnborn(order, isCalm);
      return false;
    }
    order.free = isCalm ? order.free + 1 : 0;
    this.#follow(order, nowMs);
    const isOver = nowMs >= order.endMs || nowMs < order.createdMs || order.signed !== undefined;
    if (isOver) return false;
    return order.watched.filter((watched) => this.#isReached(order, watched, moment)).length > 0;
  }

  #judgeUnborn(order: Known, isCalm: boolean): void {
    if (order.unborn < 0) return;
    order.unborn = isCalm && order.paid.length > 0 ? order.unborn + 1 : 0;
    if (order.unborn === bornBlocks + 1) this.faults.push(`${order.orderId} does not rest after its buy`);
  }

  /** Raises the price that a mark must have reached. */
  #follow({ watched, mark, free }: Known, nowMs: number): void {
    const { leg: { trail } = {}, pausesUntilMs = 0 } = watched.find(({ leg }) => leg.trail) ?? {};
    if (trail === undefined || free < followBlocks || nowMs < pausesUntilMs) return;
    const lowest = Math.min(...this.#blocks.slice(-followBlocks).map(({ price }) => price));
    mark.least = Math.max(mark.least, lowest * (1 - Math.max(0.005, trail / 20) - millionth));
  }

  /** Counts the blocks in which a leg had to fire. Returns true if it is reached. */
  #isReached(order: Known, watched: Watched, { nowMs, isCalm, busy }: Moment): boolean {
    const [leg = watched.leg] = pricedBy(watched.leg, order.paid.slice(-1), order.birth.most);
    const { price } = this.#blocks.at(-1) as SeenBlock;
    const isReached = price > leg.worst && isCrossed(leg, price, order.mark.least, 1 - millionth);
    const isOften =
      !order.isSlice &&
      watched.hour === Math.floor(nowMs / hourMs) &&
      watched.firedInHour >= mostInHour[classOf(leg)];
    // A market order may keep the lane for longer than a child does.
    const isKept = !isCalm || nowMs < watched.pausesUntilMs || isOften || busy === "market";
    watched.gone = isReached ? 0 : watched.gone + 1;
    if (watched.gone > 5) Object.assign(watched, { reached: 0, kept: 0 });
    if (isReached) watched.reached++;
    if (isKept || !isReached) watched.kept = Math.min(mostKept, watched.reached);
    // A slice whose price was not good is looked at again after a pause of up to a minute.
    if (order.isSlice && (isKept || !isReached || busy !== undefined)) watched.kept = mostKeptOfSlice;
    watched.good = isReached && !isKept && busy === undefined ? watched.good + 1 : 0;
    if (watched.good > dueBlocks[leg.name] + watched.kept && !order.isMissed) {
      order.isMissed = true;
      this.faults.push(`${order.orderId} does not fire ${leg.name}`);
    }
    return isReached;
  }
}

function newKnown(asked: Asked, changes: Partial<Known>): Known {
  const [{ at } = { at: 0 }] = asked.legs;
  const watched = asked.legs.map((leg): Watched => {
    const pauses = { tries: 0, pausesUntilMs: 0, hour: 0, firedInHour: 0 };
    return { leg, good: 0, reached: 0, gone: 0, kept: 0, ...pauses };
  });
  return {
    ...asked,
    watched,
    out: undefined,
    mark: { least: at, most: at },
    birth: { least: at, most: at },
    free: 0,
    isMissed: false,
    rests: true,
    paid: [],
    unborn: 0,
    parts: [],
    isSlice: false,
    ...changes,
  };
}
