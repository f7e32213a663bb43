/** A leg as its user asked for it. Prices are in millionths of a coin; that of a trailing stop is the one at placing. */
export type AskedLeg = {
  name: "limit" | "takeProfit" | "stop" | "stopLoss" | "trailing";
  kind: "limit" | "stop" | "trailing";
  at: number;
  trail?: number;
  worst: number;
};

export type Asked = {
  orderId: string;
  legs: readonly AskedLeg[];
  createdMs: number;
  /** The end of its life, or the time of its cancellation. */
  endMs: number;
};

export type SeenBlock = { number: number; timeMs: number; price: number };

type Watched = {
  leg: AskedLeg;
  /** Number of blocks in a row in which nothing excused that the leg had not fired. */
  good: number;
  /** Number of blocks in which the leg was reached, with short breaks. */
  reached: number;
  gone: number;
  /** Number of those blocks before something else than the lane last kept the leg: as long again may pass in a pause. */
  kept: number;
  /** Dead children in a row, and the time until which the leg may pause. */
  tries: number;
  pausesUntilMs: number;
  hour: number;
  firedInHour: number;
};

type Child = { leg: AskedLeg; atMs: number; isSigned: boolean; isCalm: boolean; blocks: number };

type Known = Asked & {
  watched: readonly Watched[];
  out: Child | undefined;
  /** Bounds of the price that a trailing stop follows. */
  mark: { least: number; most: number };
  /** Number of calm blocks without a child. */
  free: number;
  isMissed: boolean;
};

/** What happened to a child, as the service says. */
export type Outcome = "filled" | "failed" | "lapsed" | "yielded" | "unsent";

const millionth = 1e-6;
const limitMargin = 1.001;
const hourMs = 3_600_000;
const mostInHour = { limit: 12, stop: 60 };
const mostHeadMs = 36_000;
/** Time for which a run may stand still under faults, between its last look at the clock and its write. */
const stallMs = 60_000;
/** Number of blocks within which a leg fires whose price holds, at 12 seconds a block. */
const dueBlocks = { limit: 2, takeProfit: 3, stop: 5, stopLoss: 5, trailing: 5 };
const mostKept = 30;
/** Number of blocks after which a mark has followed the price. */
const followBlocks = 8;
const mostBlocksOut = 25;
const endMs = 60_000;

const classOf = ({ kind }: AskedLeg): "limit" | "stop" => (kind === "limit" ? "limit" : "stop");

/**
 * Lists, by the blocks and the requests alone, what had to fire on eth and did not, and what fired without a reason. It
 * shares no code with the service.
 */
export class YearObserver {
  /** What was missed, what was spurious, and what had no end or a wrong one. */
  readonly faults: string[] = [];
  readonly counts = new Map<string, number>();
  readonly #orders = new Map<string, Known>();
  readonly #ended = new Set<string>();
  #blocks: SeenBlock[] = [];
  #fills: { orderId: string; number: number }[] = [];
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

  #pricesAt(number: number): number[] {
    return this.#blocks.flatMap((each) => (each.number === number ? [each.price] : []));
  }

  placed(asked: Asked): void {
    this.#count("placed");
    const [{ at } = { at: 0 }] = asked.legs;
    const watched = asked.legs.map((leg): Watched => {
      const pauses = { tries: 0, pausesUntilMs: 0, hour: 0, firedInHour: 0 };
      return { leg, good: 0, reached: 0, gone: 0, kept: 0, ...pauses };
    });
    const mark = { least: at, most: at };
    this.#orders.set(asked.orderId, { ...asked, watched, out: undefined, mark, free: 0, isMissed: false });
  }

  cancelled(orderId: string, atMs: number): void {
    const order = this.#orders.get(orderId);
    if (order !== undefined) order.endMs = Math.min(order.endMs, atMs);
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
    if (watched.firedInHour > mostInHour[classOf(leg)])
      this.faults.push(`${orderId} fires ${name} too often`);
    order.out = { leg, atMs, isSigned: false, isCalm: this.#calm > 0, blocks: 0 };
    for (const each of order.watched) Object.assign(each, { good: 0, reached: 0, kept: 0 });
  }

  #objectionTo(order: Known, leg: AskedLeg, block: number, atMs: number): string | undefined {
    if (atMs >= order.endMs) return "after its end";
    const times = this.#blocks.filter(({ number }) => number === block).map(({ timeMs }) => timeMs);
    const mostMs = mostHeadMs + (this.#calm > 0 ? 0 : stallMs);
    if (times.length === 0 || atMs - Math.max(...times) > mostMs) return "by an old block";
    const looks = leg.kind !== "limit" ? [0, 1, 2] : leg.name === "takeProfit" ? [0, 1] : [0];
    const isReached = looks.every((back) =>
      this.#pricesAt(block - back).some((price) => isCrossed(leg, price, order.mark.most, 1 + millionth)),
    );
    return isReached ? undefined : "although its price was not reached";
  }

  signed(orderId: string): void {
    const { out } = this.#orders.get(orderId) ?? {};
    if (out !== undefined) out.isSigned = true;
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

  /** Notes a fill in a block. */
  filled(orderId: string, name: string, price: number, number: number): void {
    const { legs } = this.#orders.get(orderId) ?? {};
    const leg = legs?.find((each) => each.name === name);
    if (leg === undefined || this.#ended.has(orderId)) this.faults.push(`${orderId} fills after its end`);
    else if (price < leg.worst * (1 - millionth)) this.faults.push(`${orderId} fills below its price`);
    if (this.#fills.some((each) => each.orderId === orderId)) this.faults.push(`${orderId} fills twice`);
    this.#fills.push({ orderId, number });
  }

  /** Notes the end of an order, as the service says. */
  ended(orderId: string, reason: string | undefined, atMs: number): void {
    const order = this.#orders.get(orderId);
    this.#count(`ended ${reason ?? "filled"}`);
    if (order === undefined || this.#ended.has(orderId)) return;
    this.#ended.add(orderId);
    const hasFilled = this.#fills.some((each) => each.orderId === orderId);
    if (hasFilled !== (reason === undefined))
      this.faults.push(`${orderId} ends as ${reason}, unlike the chain`);
    if (!hasFilled && atMs < order.endMs) this.faults.push(`${orderId} ends as ${reason} before its time`);
  }

  forget(orderId: string): void {
    this.#orders.delete(orderId);
    this.#ended.delete(orderId);
    this.#fills = this.#fills.filter((each) => each.orderId !== orderId);
  }

  /**
   * Judges a block after the functions have run. Returns true if a leg is due or reached.
   *
   * @param isCalm True without faults and halts, and some minutes after them.
   */
  judge(nowMs: number, { isCalm, isLaneFree }: { isCalm: boolean; isLaneFree: boolean }): boolean {
    this.#calm = isCalm ? this.#calm + 1 : 0;
    let isDue = false;
    for (const order of this.#orders.values()) {
      const { orderId, out } = order;
      if (this.#ended.has(orderId)) continue;
      if (out !== undefined) {
        out.blocks = isCalm ? out.blocks + 1 : 0;
        out.isCalm &&= isCalm;
        order.free = 0;
        if (out.blocks === mostBlocksOut) this.faults.push(`${orderId} has a child without an outcome`);
        continue;
      }
      if (isCalm && nowMs > order.endMs + endMs) {
        order.endMs = Number.POSITIVE_INFINITY;
        this.faults.push(`${orderId} rests after its end`);
      }
      order.free = isCalm ? order.free + 1 : 0;
      this.#follow(order, nowMs);
      if (nowMs >= order.endMs) continue;
      for (const watched of order.watched)
        if (this.#isReached(order, watched, nowMs, { isCalm, isLaneFree })) isDue = true;
    }
    return isDue;
  }

  /** Raises the price that a mark must have reached. */
  #follow({ watched: [first], mark, free }: Known, nowMs: number): void {
    const { trail } = first?.leg ?? {};
    if (trail === undefined || free < followBlocks || nowMs < (first?.pausesUntilMs ?? 0)) return;
    const lowest = Math.min(...this.#blocks.slice(-followBlocks).map(({ price }) => price));
    mark.least = Math.max(mark.least, lowest * (1 - Math.max(0.005, trail / 20) - millionth));
  }

  /** Counts the blocks in which a leg had to fire. Returns true if it is reached. */
  #isReached(
    order: Known,
    watched: Watched,
    nowMs: number,
    { isCalm, isLaneFree }: { isCalm: boolean; isLaneFree: boolean },
  ): boolean {
    const { leg } = watched;
    const { price } = this.#blocks.at(-1) as SeenBlock;
    const isReached = price > leg.worst && isCrossed(leg, price, order.mark.least, 1 - millionth);
    const isOften =
      watched.hour === Math.floor(nowMs / hourMs) && watched.firedInHour >= mostInHour[classOf(leg)];
    const isKept = !isCalm || nowMs < watched.pausesUntilMs || isOften;
    watched.gone = isReached ? 0 : watched.gone + 1;
    if (watched.gone > 5) Object.assign(watched, { reached: 0, kept: 0 });
    if (isReached) watched.reached++;
    if (isKept || !isReached) watched.kept = Math.min(mostKept, watched.reached);
    watched.good = isReached && !isKept && isLaneFree ? watched.good + 1 : 0;
    if (watched.good > dueBlocks[leg.name] + watched.kept && !order.isMissed) {
      order.isMissed = true;
      this.faults.push(`${order.orderId} does not fire ${leg.name}`);
    }
    return isReached;
  }
}

/** True if a price reaches that of a leg. A slack above 1 makes it easier. */
function isCrossed({ kind, at, trail = 0 }: AskedLeg, price: number, mark: number, slack: number): boolean {
  if (kind === "limit") return price * slack >= at * limitMargin;
  return price <= (kind === "stop" ? at : mark * (1 - trail)) * slack;
}
