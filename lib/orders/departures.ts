import type { TokenUnits } from "../core/units.ts";
import { greatest } from "./bigints.ts";
import { type Book, rebooked } from "./book.ts";
import type { FamilyTypes } from "./family.ts";
import type { LaneCore, LaneState } from "./lane-core.ts";
import { bookPuts, stillHeld } from "./lane-steps.ts";
import type { Departure, TradeStep } from "./table-step.ts";

/**
 * Maximum number of writes for one position: its book, the position and the held token. A position consists of two
 * items, and a transaction has at most 100.
 */
const writesOfPosition = 3;

/**
 * Maximum number of users of one wallet whose positions can shrink. All of their writes must fit in one transaction,
 * because a second transaction would start from the reduced positions and shrink them again.
 */
export const mostOwners = 24;

/** Maximum number of writes in a step. */
const mostWrites = writesOfPosition * mostOwners;

type Judged = { noted: Departure[]; step: TradeStep };

/**
 * Compares the books of a wallet's users with the wallet's balances, for tokens that were reported missing. Shrinks a
 * position only if both hosts show the loss in final blocks and the tokens have not come back by then.
 */
export function judgeDepartures<F extends FamilyTypes>(
  { departures }: Pick<LaneCore<F>, "departures">,
  state: LaneState<F>,
): Judged {
  const { view, snapshots, nowMs } = state;
  const known = new Map(view.lane?.watch?.departures?.map((each) => [each.token, each]));
  const noted: Departure[] = [];
  const step: TradeStep[number][] = [];
  for (const token of view.missed ?? []) {
    const books = view.books.filter((book) => book.token === token);
    const isTrading = view.orders.some(({ intent }) => intent.token === token);
    const total = books.reduce((sum, { base }) => sum + base.amount, 0n);
    const before = known.get(token);
    const answers = snapshots.map((snapshot) => snapshot?.held);
    const [a, b] = answers.map((held) => held?.get(token));
    // Waits while the token has an open order, which may still change the balance.
    if (isTrading || books.some(({ events }) => events.length > 0)) continue;
    if (a === undefined || b === undefined) {
      // Keeps the note about a token only while a host does not answer at all. A token that stops answering may never
      // answer again.
      if (before && answers.includes(undefined)) noted.push(before);
      continue;
    }
    const revisions = Object.fromEntries(books.map(({ userID, revision }) => [userID, revision]));
    const isSame =
      before !== undefined && books.every((book) => before.revisions[book.userID] === book.revision);
    const now = greatest(a, b);
    const held = isSame ? greatest(now, BigInt(before.held)) : now;
    if (held >= total) continue;
    // Adds no note just after a position has shrunk: the balance may fall in every block, and notes would then keep the
    // lane busy.
    const hasShrunk = before !== undefined && !isSame && total === BigInt(before.held);
    if (hasShrunk) continue;
    const isFinal = isSame ? departures.areFinal(before.seenIn, snapshots) : false;
    const blocks = departures.seenIn(snapshots);
    if (isFinal === undefined) noted.push(before as Departure);
    else if (isFinal || blocks?.length === 0) {
      const writes = shrunk(books, total, held, nowMs);
      // Leaves writes that do not fit to the lane's next step.
      if (step.length + writes.length <= mostWrites) step.push(...writes);
    } else if (blocks) noted.push({ token, held: String(now), revisions, seenIn: blocks });
  }
  return { noted, step: step.length > 0 ? [stillHeld(state), ...step] : [] };
}

/**
 * Divides the loss among the positions in proportion to their size. The last position also gets the rounding
 * difference.
 */
function shrunk(books: readonly Book[], total: TokenUnits, held: TokenUnits, nowMs: number): TradeStep {
  let rest = held;
  const open = books.filter(({ base }) => base.amount > 0n);
  return open.flatMap((old, index) => {
    const left = index < open.length - 1 ? (old.base.amount * held) / total : rest;
    rest -= left;
    const time = new Date(nowMs).toISOString();
    const event = { kind: "moved-out", orderId: "", place: 0, settled: true, time, left } as const;
    return bookPuts(old, rebooked(old, "", [event], nowMs), old);
  });
}
