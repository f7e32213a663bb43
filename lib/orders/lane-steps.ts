import type { EarnedFill } from "../rewards/earned-row.ts";
import type { Condition } from "../table/step.ts";
import { type Book, emptyBook, rebooked } from "./book.ts";
import type { LaneView } from "./effects.ts";
import type { FamilyTypes, SlotTerms } from "./family.ts";
import type { BookEvent } from "./holding.ts";
import type { LaneKey } from "./intent.ts";
import { settledWrites } from "./lane-deaths.ts";
import { waitingFor } from "./lane-reservation.ts";
import { watchFor } from "./lane-watch.ts";
import type { Ended } from "./resting/mandate.ts";
import type { SlotRules } from "./slot-rules.ts";
import { type ItemWrite, isFreeAt, type Lane, type TradeStep, unchanged } from "./table-step.ts";
import {
  type AnyOrder,
  changed,
  hasEnded,
  hasSignedSwap,
  type Life,
  type OrderChanges,
  slotsOf,
  type TradeOrder,
} from "./trade-order.ts";

const leaseMs = 30_000;

/** Duration for which a new lane stays free for the first run of its order, in case no such run ever starts. */
const reservedMs = 5000;

/** The data that a run has read, and the id under which it holds the lane. */
export type LaneRun<F extends FamilyTypes = FamilyTypes> = {
  view: LaneView<F>;
  rules: SlotRules<F>;
  holder: string;
  nowMs: number;
};

/**
 * True if another run may still be working on the lane. A wrong clock can cost time but no money, because each step
 * checks who holds the lane.
 */
export const isHeld = ({ holder, leaseUntilMs }: Lane, nowMs: number): boolean =>
  holder !== undefined && leaseUntilMs !== undefined && nowMs < leaseUntilMs;

/** Takes a lane in one of these states. If the answer is lost, repeating the step shows that this run holds the lane. */
const takeFrom = (
  states: readonly Condition<Lane>[],
  lane: LaneKey,
  holder: string,
  nowMs: number,
): TradeStep => [
  {
    kind: "change",
    of: "lane",
    item: lane,
    set: { holder, leaseUntilMs: nowMs + leaseMs },
    when: [...states, { holder }],
  },
];

/** Takes a lane if it exists and is free. */
export const takeStep = (lane: LaneKey, holder: string, nowMs: number): TradeStep =>
  takeFrom(isFreeAt(nowMs), lane, holder, nowMs);

/** Keeps a new lane for the first run of its order. */
export const reservedLane = (
  orderId: string,
  nowMs: number,
): Required<Pick<Lane, "holder" | "leaseUntilMs">> => ({
  holder: waitingFor(orderId),
  leaseUntilMs: nowMs + reservedMs,
});

/**
 * Takes a new lane that is still reserved for this order. The holder's own id replaces the reservation, so of two runs
 * one succeeds. No run has held the lane before.
 */
export const takeReservedStep = (
  lane: LaneKey,
  { holder, reservation }: { holder: string; reservation: string },
  nowMs: number,
): TradeStep => takeFrom([{ holder: waitingFor(reservation) }], lane, holder, nowMs);

/** Begins the lane of a wallet that has no orders. Fails if the lane exists. */
export const beginStep = ({ chain, wallet }: LaneKey, holder: string, nowMs: number): TradeStep => [
  {
    kind: "put",
    of: "lane",
    item: { chain, wallet, jobs: 0, holder, leaseUntilMs: nowMs + leaseMs },
    when: "absent",
  },
];

/**
 * Releases the lane, together with the run's last step if there is one. Fails if an order was placed in the meantime,
 * because that order would otherwise wait for the sweep.
 *
 * @param run The state after that step.
 */
export function leaveStep(
  { view, rules, holder, nowMs }: LaneRun,
  last: TradeStep = [],
  departures = departuresOf(view),
): TradeStep {
  const { chain, wallet, jobs } = view.lane as Lane;
  const item = { chain, wallet };
  const [addJobs = 0] = last.flatMap((write) => (write.kind === "change" ? [write.add?.jobs ?? 0] : []));
  const when = { holder, jobs: jobs - addJobs };
  const leaving: ItemWrite =
    jobs === 0 && departures.length === 0
      ? { kind: "remove", of: "lane", item, when }
      : {
          kind: "change",
          of: "lane",
          item,
          set: {
            watch: watchFor(view, rules, nowMs, departures),
            holder: undefined,
            leaseUntilMs: undefined,
          },
          add: { jobs: addJobs },
          when,
        };
  const isOfLane = (write: ItemWrite) =>
    write.kind === "change" || (write.kind === "check" && write.of === "lane");
  return [leaving, ...last.filter((write) => !isOfLane(write))];
}

export const stillHeld = ({ view, holder }: LaneRun): ItemWrite => ({
  kind: "check",
  of: "lane",
  item: view.lane as Lane,
  when: { holder },
});

const departuresOf = ({ lane }: LaneView) => lane?.watch?.departures ?? [];

const putOrder = (item: AnyOrder, old: AnyOrder): ItemWrite => ({
  kind: "put",
  of: "order",
  item,
  when: unchanged(old),
});

/** Writes changes of an order and its slots, and the resulting changes of its position. */
export function orderStep<F extends FamilyTypes>(
  run: LaneRun<F>,
  old: TradeOrder<F>,
  changes: OrderChanges<F>,
  { put = [], removed = [] }: { put?: readonly SlotTerms[]; removed?: readonly SlotTerms[] } = {},
): TradeStep {
  const { view, nowMs } = run;
  const order = changed(old, changes, nowMs);
  const known: readonly SlotTerms[] = view.slots;
  const slots = slotsOf(order, known).filter((slot) => !put.some((each) => each.place === slot.place));
  const before = new Map(known.map((slot) => [slot.place, slot]));
  return [
    stillHeld(run),
    putOrder(order, old),
    ...put.map((item): ItemWrite => {
      const revision = before.get(item.place)?.revision;
      return { kind: "put", of: "slot", item, when: revision === undefined ? "absent" : { revision } };
    }),
    ...removed.map(
      (item): ItemWrite => ({ kind: "remove", of: "slot", item, when: { revision: item.revision } }),
    ),
    ...bookWrites(run, order, eventsOf(order, [...slots, ...put], run)),
  ];
}

/** Ends the work on an order whose outcome is final. With the last order, the lane ends too. */
export function settleStep(run: LaneRun, old: AnyOrder, life: Life): TradeStep {
  const { orderId, chain, wallet } = old.intent;
  const { jobs } = run.view.lane as Lane;
  const { holder } = run;
  const removed = slotsOf(old, run.view.slots);
  const changes = { life: { ...life, settled: true }, details: run.rules.detailsOf(old, removed) };
  const [, ...writes] = orderStep(run, old, changes, { removed });
  return [
    jobs === 1 && departuresOf(run.view).length === 0
      ? { kind: "remove", of: "lane", item: { chain, wallet }, when: { holder, jobs } }
      : { kind: "change", of: "lane", item: { chain, wallet }, add: { jobs: -1 }, when: { holder } },
    { kind: "remove", of: "job", item: { chain, wallet, orderId }, when: { orderId } },
    ...writes,
    ...earnedWrites(run, { ...old, life }, removed),
    ...settledWrites(run.view, run.rules, { ...old, life }, run.nowMs),
  ];
}

/**
 * Records a fill for what it may earn its user. Needs no condition, because its step is written only once: it also
 * removes the order's job.
 */
function earnedWrites(run: LaneRun, order: AnyOrder, slots: readonly SlotTerms[]): ItemWrite[] {
  const { userID, orderId, chain, token } = order.intent;
  return eventsOf(order, slots, run).flatMap((event) => {
    if (event.kind !== "buy" && event.kind !== "sell") return [];
    const { kind: side, time: filledAt } = event;
    const coinUnits = String(side === "buy" ? event.spent : event.received);
    const at = new Date(run.nowMs).toISOString();
    const item: EarnedFill = { kind: "fill", userID, orderId, chain, token, side, coinUnits, filledAt, at };
    return [{ kind: "put", of: "earned", item } as const];
  });
}

function eventsOf(
  order: AnyOrder,
  slots: readonly SlotTerms[],
  { rules, nowMs }: Pick<LaneRun, "rules" | "nowMs">,
): BookEvent[] {
  const { intent, life, ending } = order;
  const common = { orderId: intent.orderId, settled: life.settled };
  if (ending?.soldOutAt !== undefined)
    return [{ ...common, kind: "sold-out", place: ending.soldOutAt, time: new Date(nowMs).toISOString() }];
  if (life.status !== "filled") return [];
  const [found] = slotsOf(order, slots).flatMap((slot) => rules.fillIn(slot) ?? []);
  if (found === undefined) return [];
  const { place, spent, received, timeSeconds, held = spent } = found;
  const time = new Date(timeSeconds * 1000).toISOString();
  const fill = { ...common, place, time, spent, received, networkFee: life.networkFee };
  return [intent.side === "buy" ? { ...fill, kind: "buy" } : { ...fill, kind: "sell", held }];
}

function bookWrites(run: LaneRun, order: AnyOrder, now: readonly BookEvent[]): ItemWrite[] {
  const { view, nowMs } = run;
  const { orderId, userID, token } = order.intent;
  const old = view.books.find((book) => book.userID === userID && book.token === token);
  const known = old?.events.filter((event) => event.orderId === orderId) ?? [];
  const isTakenBack = known[0] !== undefined && now.length === 0 && !order.life.settled;
  const events: readonly BookEvent[] = isTakenBack
    ? [{ kind: "taken-back", orderId, place: known[0]?.place ?? 0, settled: false }]
    : now;
  const { baseSymbol } = order.placed;
  const fresh = { ...(old ?? emptyBook(order.intent, order.placed)), ...(baseSymbol && { baseSymbol }) };
  const next = rebooked(fresh, orderId, events, nowMs, unsureFrom(run, order));
  const isSame = isSameEvents(known, events) && next.book.events.length === fresh.events.length;
  return isSame ? [] : bookPuts(fresh, next, old);
}

/**
 * Returns the lowest place at which hosts may yet show another fill of the book, because one host lies or both have
 * forgotten a transaction.
 */
function unsureFrom({ view, rules }: LaneRun, now: AnyOrder): number {
  const { orderId, userID, token } = now.intent;
  const unsettled = view.orders
    .map((order) => (order.intent.orderId === orderId ? now : order))
    .filter(({ intent, life }) => intent.userID === userID && intent.token === token && !life.settled);
  return Math.min(
    ...unsettled
      .filter((order) => hasSignedSwap(order, view.slots))
      .flatMap((order) => slotsOf(order, view.slots).map((slot) => rules.lowestPlace(slot))),
  );
}

/**
 * Writes a changed book and the positions that changed with it.
 * @param old The stored book, if it exists.
 */
export function bookPuts(
  before: Book,
  { book, changed: positions }: ReturnType<typeof rebooked>,
  old: Book | undefined,
): ItemWrite[] {
  const { userID } = before;
  return [
    { kind: "put", of: "book", item: book, when: old === undefined ? "absent" : { revision: old.revision } },
    ...positions.map((position): ItemWrite => {
      const known = before.positions.find(({ positionId }) => positionId === position.positionId);
      // Requires the old opening time, because lists sort positions by it.
      const when = known ? { version: known.version, openedAt: known.openedAt } : "absent";
      return { kind: "put", of: "position", item: { ...position, userID }, when };
    }),
    ...heldWrites(before, book),
  ];
}

/**
 * Adds a token to the sweep's list while a settled position holds it. A book of an earlier version is added at its next
 * fill.
 */
function heldWrites(before: Book, { base, userID, chain, wallet, token }: Book): ItemWrite[] {
  if (base === before.base) return [];
  const kind = base.closedAt === undefined ? "put" : "remove";
  return [{ kind, of: "held", item: { userID, chain, wallet, token } }];
}

const isSameEvents = (known: readonly BookEvent[], events: readonly BookEvent[]): boolean =>
  known.length === events.length &&
  known.every((event, index) => {
    const other = events[index];
    if (other === undefined || event.kind !== other.kind || event.settled !== other.settled) return false;
    if (event.place !== other.place) return false;
    if (!("spent" in event && "spent" in other)) return true;
    return (
      event.spent === other.spent &&
      event.received === other.received &&
      event.networkFee === other.networkFee &&
      event.time === other.time
    );
  });

/** Updates the view of the table after a step was written. */
export const afterStep = <F extends FamilyTypes>(view: LaneView<F>, step: TradeStep): LaneView<F> =>
  step.reduce<LaneView>(afterWrite, view) as LaneView<F>;

function afterWrite(view: LaneView, write: ItemWrite): LaneView {
  switch (write.kind) {
    case "put":
      return afterPut(view, write);
    case "remove":
      return afterRemoval(view, write);
    case "change":
    case "raise":
    case "check":
      return view;
  }
}

function afterPut(view: LaneView, { of, item }: Extract<ItemWrite, { kind: "put" }>): LaneView {
  switch (of) {
    case "order": {
      const { orderId } = item.intent;
      return {
        ...view,
        orders: view.orders.map((order) => (order.intent.orderId === orderId ? item : order)),
      };
    }
    case "book": {
      const others = view.books.filter(({ userID, token }) => userID !== item.userID || token !== item.token);
      return { ...view, books: [...others, item] };
    }
    case "slot":
      return { ...view, slots: withSlots(view.slots, [item]) };
    case "ended":
      return { ...view, children: withEnded(view, item) };
    default:
      return view;
  }
}

const withEnded = ({ children = new Map(), orders }: LaneView, ended: Ended): LaneView["children"] =>
  new Map(
    [...children].map(([orderId, records]) => {
      const parent = orders.find(({ intent }) => intent.orderId === orderId)?.intent.parent;
      return [orderId, parent?.orderId === ended.orderId ? { ...records, ended } : records];
    }),
  );

function afterRemoval(view: LaneView, { of, item }: Extract<ItemWrite, { kind: "remove" }>): LaneView {
  switch (of) {
    case "slot":
      return { ...view, slots: view.slots.filter((slot) => slot.place !== item.place) };
    case "job": {
      const settled = view.orders.find(({ intent }) => intent.orderId === item.orderId)?.intent.token;
      return {
        ...view,
        // Forgets that the token was reported missing, because the hosts' balances may be older than this fill.
        ...(view.missed && { missed: view.missed.filter((token) => token !== settled) }),
        lane: view.lane && { ...view.lane, jobs: view.lane.jobs - 1 },
        jobs: view.jobs.filter(({ orderId }) => orderId !== item.orderId),
        orders: view.orders.filter(({ intent }) => intent.orderId !== item.orderId),
      };
    }
    case "lane":
      return { ...view, lane: undefined };
    default:
      return view;
  }
}

/** Replaces or adds slots and keeps them sorted by place. */
export const withSlots = <Slot extends SlotTerms>(slots: readonly Slot[], changed: readonly Slot[]): Slot[] =>
  [...slots.filter((slot) => !changed.some((other) => other.place === slot.place)), ...changed].toSorted(
    (a, b) => a.place - b.place,
  );

export const isSettleable = <F extends FamilyTypes>(
  order: TradeOrder<F>,
  isFinalSlot: (slot: F["slot"]) => boolean,
  slots: readonly F["slot"][],
): boolean => hasEnded(order) && slotsOf(order, slots).every(isFinalSlot);
