import { hashedId } from "../core/record-ids.ts";
import { coinText, formatAmount, formatPrice } from "./decimal-text.ts";
import type { Position } from "./execution.ts";
import { afterEvent, type BookEvent, type Holding, netRealizedPnl, nothingHeld } from "./holding.ts";
import type { LaneKey } from "./intent.ts";
import { storedNames } from "./trading-chain.ts";

export type BookKey = LaneKey & { userID: string; token: string };

/**
 * The fills of one token that a user has made with one wallet: fills that are not final yet, and a base that sums up
 * the final ones. Positions are computed from all of them, so a fill in a replaced block leaves no trace.
 */
export type Book = BookKey & {
  symbol: string;
  /** The token's own symbol. Books of earlier versions lack it. */
  baseSymbol?: string;
  decimals: number;
  /** The sum of the final fills. */
  base: Holding;
  /** Events of the book, in the order in which they are on the chain. */
  events: readonly BookEvent[];
  /** Positions as clients last saw them, starting with the base's position. */
  positions: readonly (Position & { ordinal: number })[];
  /** Lowest number that the next position may get. */
  nextOrdinal: number;
  revision: number;
};

export const emptyBook = (
  key: BookKey,
  { symbol, baseSymbol, decimals }: Pick<Book, "symbol" | "baseSymbol" | "decimals">,
): Book => ({
  chain: key.chain,
  wallet: key.wallet,
  userID: key.userID,
  token: key.token,
  symbol,
  ...(baseSymbol !== undefined && { baseSymbol }),
  decimals,
  base: nothingHeld,
  events: [],
  positions: [],
  nextOrdinal: 1,
  revision: 0,
});

/** Computes the positions after these events, starting with the base's position. */
export function holdingsAfter(base: Holding, events: readonly BookEvent[], nextOrdinal = 1): Holding[] {
  const holdings = [base];
  for (const event of events) {
    const last = holdings.at(-1) as Holding;
    const next = afterEvent(last, event, nextOrdinal);
    if (next.ordinal === last.ordinal) holdings.pop();
    holdings.push(next);
  }
  return holdings;
}

/**
 * Replaces the events of one order, and returns the book with the positions that change.
 *
 * @param events Empty if the order has no fill.
 * @param unsureFrom Lowest place at which another fill may yet turn up. No later event is final.
 */
export function rebooked(
  book: Book,
  orderId: string,
  events: readonly BookEvent[],
  nowMs: number,
  unsureFrom = Number.POSITIVE_INFINITY,
): { book: Book; changed: Position[] } {
  const others = book.events.filter((event) => event.orderId !== orderId);
  const known = book.events.findIndex((event) => event.orderId === orderId);
  // Events of the same place keep the order in which they were found: a sale that found no tokens comes before a buy
  // that took its nonce.
  const all = others
    .toSpliced(known < 0 ? others.length : known, 0, ...events)
    .toSorted((a, b) => a.place - b.place);
  const firstOpen = all.findIndex(({ place, settled }) => !settled || place > unsureFrom);
  const isFinal = firstOpen < 0;
  const final = isFinal ? all : all.slice(0, firstOpen);
  const judged = [
    ...final,
    ...all.slice(final.length).map((event) => ({ ...event, settled: false as const })),
  ];
  const shown = shownPositions(book, holdingsAfter(book.base, judged, book.nextOrdinal), isFinal, nowMs);
  const base = holdingsAfter(book.base, final, book.nextOrdinal).at(-1) as Holding;
  return {
    book: {
      ...book,
      base,
      events: all.slice(final.length),
      // If a position's fills turn out never to have happened, the position stays closed. The book forgets it but never
      // reuses its number.
      positions: shown.positions.filter(({ ordinal }) =>
        isFinal ? ordinal === base.ordinal : ordinal >= base.ordinal,
      ),
      nextOrdinal: isFinal
        ? Math.max(book.nextOrdinal, (shown.positions.at(-1)?.ordinal ?? 0) + 1)
        : book.nextOrdinal,
      revision: book.revision + 1,
    },
    changed: shown.changed,
  };
}

type Numbered = Position & { ordinal: number };

function shownPositions(book: Book, holdings: readonly Holding[], isFinal: boolean, nowMs: number) {
  const now = new Date(nowMs).toISOString();
  const known = new Map(book.positions.map((position) => [position.ordinal, position]));
  const changed: Position[] = [];
  const show = (ordinal: number, fields: Partial<Numbered>) => {
    const old = known.get(ordinal);
    const next = { ...(old ?? firstShown(book, ordinal)), ...fields } as Numbered;
    if (old !== undefined && isSameRecord(old, next)) return old;
    const { ordinal: _, ...position } = { ...next, version: next.version + 1, updatedAt: now };
    changed.push(position);
    return { ...position, ordinal };
  };
  const current = holdings
    .filter(({ ordinal }) => ordinal > 0)
    .map((held) => show(held.ordinal, fieldsOf(held, book)));
  const takenBack = book.positions
    .filter(({ ordinal }) => !holdings.some((held) => held.ordinal === ordinal))
    .map((old) => show(old.ordinal, { ...emptied, closedAt: old.closedAt ?? now, settled: isFinal }));
  return { positions: [...current, ...takenBack].toSorted((a, b) => a.ordinal - b.ordinal), changed };
}

/** Returns the id of the position that is open. */
export const openPositionOf = (book: Book): string | undefined =>
  book.positions.find(({ status }) => status === "open")?.positionId;

/** Returns the id of the position that is open, if it was opened by a time in milliseconds. */
export const openPositionBy = (book: Book, timeMs: number): string | undefined =>
  book.positions.find(({ status, openedAt }) => status === "open" && Date.parse(openedAt) <= timeMs)
    ?.positionId;

/** Returns the id of the position that an order's fill belongs to. Undefined once the fill is summed up. */
export function positionOfFill(book: Book, orderId: string): string | undefined {
  const at = book.events.findIndex((event) => event.orderId === orderId);
  if (at < 0) return undefined;
  const holdings = holdingsAfter(book.base, book.events.slice(0, at + 1), book.nextOrdinal);
  return positionIdOf(book, (holdings.at(-1) as Holding).ordinal);
}

const positionIdOf = ({ userID, chain, wallet, token }: Book, ordinal: number): string =>
  hashedId([userID, chain, wallet, token, ordinal]);

/** The values of a position whose fills were in blocks that the chain has replaced. */
const emptied = {
  status: "closed",
  amount: "0",
  cost: "0",
  costFees: "0",
  realizedPnl: "0",
  netRealizedPnl: "0",
  networkFees: "0",
} as const;

const firstShown = (book: Book, ordinal: number) => ({
  ordinal,
  positionId: positionIdOf(book, ordinal),
  wallet: book.wallet,
  chain: book.chain,
  token: book.token,
  version: 0,
});

function fieldsOf(held: Holding, book: Book): Partial<Numbered> {
  const { chain, decimals } = book;
  return {
    ...storedNames(chain, book),
    status: held.closedAt === undefined ? "open" : "closed",
    amount: formatAmount(held.amount, decimals),
    cost: coinText(chain, held.cost),
    costFees: coinText(chain, held.costFees ?? 0n),
    averageEntryPrice: formatPrice(chain, held.entry.cost, held.entry.amount, decimals),
    realizedPnl: coinText(chain, held.realizedPnl),
    netRealizedPnl: coinText(chain, netRealizedPnl(held)),
    networkFees: coinText(chain, held.networkFees),
    movedOut: held.movedOut === 0n ? undefined : formatAmount(held.movedOut, decimals),
    settled: held.settled,
    openedAt: held.openedAt,
    closedAt: held.closedAt,
    reason: held.reason,
  };
}

const isSameRecord = (a: Numbered, b: Numbered) =>
  (Object.keys(b) as (keyof Numbered)[]).every((name) => a[name] === b[name]);
