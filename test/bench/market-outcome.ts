import { type Spread, spreadOf } from "./statistics.ts";

/** A block, its arrival time and its traded tokens. */
export type MinedBlock = { number: number; at: number; tokens: readonly string[] };

/** A message with markets as received by a client. */
export type MarketReceipt = {
  at: number;
  /** Start of the delivery, according to the message. */
  sentAt: number;
  bytes: number;
  markets: readonly { token: string; revision: number; block: number }[];
};

export type MarketOutcome = {
  messages: number;
  /** Mean size of a message. */
  bytes: number;
  /** Markets that reached a client after newer ones. */
  superseded: number;
  /** Messages that reached a client less than a second after the previous one. */
  hasty: number;
  /** Shortest time between two messages to a client, in milliseconds. */
  shortestMs: number;
  /** Swaps whose effect never reached a client. */
  lost: number;
  /** Delay from a swap's block until a client receives its effect, in blocks and milliseconds. */
  lagBlocks: Spread;
  lagMs: Spread;
};

/** Shortest allowed time between two messages to a client. */
const leastGapMs = 1000;

/** A busy client process may notice one message this much later than the next. */
const noticeMs = 100;

/**
 * Compares the clients' messages with the chain's blocks.
 *
 * @param clients each client's followed tokens and its received messages in order.
 * @param blocks the measured blocks and those after them, in order.
 */
export function marketOutcome(
  clients: readonly { tokens: readonly string[]; receipts: readonly MarketReceipt[] }[],
  blocks: readonly MinedBlock[],
): MarketOutcome {
  const all = clients.flatMap(({ receipts }) => receipts);
  const gaps = clients.flatMap(({ receipts }) =>
    receipts.slice(1).map(({ at, sentAt }, index) => {
      const before = receipts[index] as MarketReceipt;
      return { received: at - before.at, sent: sentAt - before.sentAt };
    }),
  );
  const isHasty = ({ received, sent }: (typeof gaps)[number]) =>
    sent < leastGapMs || received < leastGapMs - noticeMs;
  const lags = clients.flatMap(({ tokens, receipts }) =>
    tokens.flatMap((token) => lagsOf(token, receipts, blocks)),
  );
  const known = lags.flatMap((lag) => lag ?? []);
  return {
    messages: all.length,
    bytes: all.reduce((sum, { bytes }) => sum + bytes, 0) / all.length,
    superseded: clients.reduce((sum, { receipts }) => sum + supersededIn(receipts), 0),
    hasty: gaps.filter(isHasty).length,
    shortestMs: gaps.reduce((least, { received }) => Math.min(least, received), Number.POSITIVE_INFINITY),
    lost: lags.length - known.length,
    lagBlocks: spreadOf(known.map(({ blocks: behind }) => behind)),
    lagMs: spreadOf(known.map(({ ms }) => ms)),
  };
}

function supersededIn(receipts: readonly MarketReceipt[]): number {
  const newest = new Map<string, { revision: number; block: number }>();
  let count = 0;
  for (const { token, revision, block } of receipts.flatMap(({ markets }) => markets)) {
    const before = newest.get(token);
    const isOlder =
      before !== undefined &&
      (revision < before.revision || (revision === before.revision && block < before.block));
    if (isOlder) count++;
    else newest.set(token, { revision, block });
  }
  return count;
}

/** Measures how long each of a token's trades took to reach a client. Undefined for a trade that never arrived. */
function lagsOf(token: string, receipts: readonly MarketReceipt[], blocks: readonly MinedBlock[]) {
  return blocks.flatMap(({ number, at, tokens }) => {
    if (!tokens.includes(token)) return [];
    const receipt = receipts.find(
      (each) =>
        each.at >= at && each.markets.some((market) => market.token === token && market.block >= number),
    );
    if (receipt === undefined) return [undefined];
    const head = blocks.findLast((block) => block.at <= receipt.at)?.number ?? number;
    return [{ blocks: head - number, ms: receipt.at - at }];
  });
}
