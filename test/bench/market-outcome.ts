import { type Spread, spreadOf } from "./statistics.ts";

/** A block, the time at which it was there, and the tokens that it traded. */
export type MinedBlock = { number: number; at: number; tokens: readonly string[] };

/** A message with markets, as a client received it. */
export type MarketReceipt = {
  at: number;
  /** When the delivery began, by its own statement. */
  sentAt: number;
  bytes: number;
  markets: readonly { token: string; revision: number; block: number }[];
};

export type MarketOutcome = {
  messages: number;
  /** The mean size of a message. */
  bytes: number;
  /** Markets that are older than what their client had got before. */
  superseded: number;
  /** Messages to a client within a second after another one. */
  hasty: number;
  /** The shortest time between two receipts of a client, in milliseconds. */
  shortestMs: number;
  /** Swaps that a client never saw the effect of. */
  lost: number;
  /** Delay from a swap's block until a client has it, in blocks and milliseconds. */
  lagBlocks: Spread;
  lagMs: Spread;
};

/** The least time between two messages to a client. */
const leastGapMs = 1000;

/** A busy process of clients may notice a message so much later than the next one. */
const noticeMs = 100;

/**
 * Compares what clients received with what happened on the chain.
 *
 * @param clients the receipts of each client, in their order, and the tokens that it follows.
 * @param blocks the blocks whose trades are measured and those after them, in their order.
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

/** Measures each trade of a token until a client has it. Undefined stands for one that it never had. */
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
