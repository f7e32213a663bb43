import { fromAnyHost } from "../../chains/hosts/from-any-host.ts";
import { ChainUnavailable } from "../../chains/hosts/host-fault.ts";
import { mostListed, pastTransactionCall, signaturesCall } from "../../chains/sol/calls/past-calls.ts";
import { accountsCall } from "../../chains/sol/calls/rpc-call.ts";
import type { SolReader } from "../../chains/sol/venues/reader.ts";
import { forEachConcurrently } from "../../core/concurrency.ts";
import type { Candle } from "../core/candle.ts";
import { intervalStart } from "../core/candles.ts";
import type { HistoryState, TokenName } from "../core/market.ts";
import type { TokenStore, TokenWriter } from "../runs/chain-markets.ts";
import { savePast } from "../runs/token-store.ts";
import { decimalsOfCoin, type SolPool } from "./pools.ts";
import { type OpenedMinute, pastMinutes } from "./rules/past-minutes.ts";
import { type AccountAt, sampledVenues } from "./venues.ts";

/** A request for the minute candles of a reference pool before a reader's first sample. */
export type SampledHistoryOrder = {
  name: TokenName & { chain: "sol" };
  pool: Pick<SolPool, "pool" | "quote" | "venue" | "accounts">;
  decimals: number;
  /** The first sample: its slot and its time. */
  first: { block: number; time: number };
};

type HistoryDeps = {
  reader: Pick<SolReader, "chain" | "client">;
  store: Pick<TokenStore, "loadCandles">;
  writer: Pick<TokenWriter, "saveCandles">;
};

const daySeconds = 86_400;

/** Maximum number of lists of signatures. A pool with more transactions in a day has a shorter history. */
export const mostLists = 20;

/** Number of transactions that are opened at a time. */
const openedAtOnce = 4;

/** The last successful transaction of a minute, and the number of those in the minute. */
type Chosen = { start: number; id: string; count: number };

/**
 * Stores minute candles of the 24 hours before a reader's first sample, from one transaction a minute at most. They come
 * from single hosts, so they are not final and replace no final candles.
 *
 * @param untilMs No request begins after this time.
 */
export async function loadSampledHistory(
  { reader, store, writer }: HistoryDeps,
  { name, pool, decimals, first }: SampledHistoryOrder,
  untilMs: number,
): Promise<HistoryState> {
  const end = intervalStart(first.time, "1m");
  const since = end - daySeconds;
  const { chosen, isWhole } = await chooseTransactions(reader, pool.pool, { first, since, untilMs });
  const opened = await openAll(reader, pool, chosen, untilMs);
  const sampled = { pool: pool.pool, quote: pool.quote, decimals, quoteDecimals: decimalsOfCoin };
  // Marks the reader's first minute as incomplete, because the reader itself knows the rest of that minute.
  const minutes = pastMinutes(sampled, opened).map(
    (minute): Candle => (minute.start === end ? { ...minute, hasGaps: true } : minute),
  );
  await savePast(store, writer, name, minutes);
  return isWhole && opened.length === chosen.length ? "complete" : "unavailable";
}

/** Chooses the last successful transaction of each minute, the newest first. */
async function chooseTransactions(
  reader: HistoryDeps["reader"],
  pool: string,
  { first, since, untilMs }: Pick<SampledHistoryOrder, "first"> & { since: number; untilMs: number },
): Promise<{ chosen: Chosen[]; isWhole: boolean }> {
  const byMinute = new Map<number, Chosen>();
  let before: string | undefined;
  for (let lists = 0; lists < mostLists && Date.now() < untilMs; lists++) {
    const [listed] = await fromAnyHost(reader, 0, (ask) =>
      ask([signaturesCall(pool, { limit: mostListed, before })]),
    );
    for (const { id, slot, isFailed, time } of listed) {
      if (isFailed || time === undefined || slot > first.block || time < since) continue;
      const start = intervalStart(time, "1m");
      const known = byMinute.get(start);
      if (known === undefined) byMinute.set(start, { start, id, count: 1 });
      else known.count++;
    }
    const last = listed.at(-1);
    const isWhole = listed.length < mostListed || (last?.time ?? since) < since;
    if (isWhole || last === undefined) return { chosen: [...byMinute.values()], isWhole: true };
    before = last.id;
  }
  return { chosen: [...byMinute.values()], isWhole: false };
}

/** Opens transactions until the time is up, or no host answers. */
async function openAll(
  reader: HistoryDeps["reader"],
  { venue, accounts }: SampledHistoryOrder["pool"],
  chosen: readonly Chosen[],
  untilMs: number,
): Promise<OpenedMinute[]> {
  const [present] = await fromAnyHost(reader, 0, (ask) =>
    ask([accountsCall(accounts, { commitment: "finalized" })]),
  );
  const accountAt: AccountAt = (account) => present.accounts[accounts.indexOf(account)];
  const opened: OpenedMinute[] = [];
  const end = new AbortController();
  await forEachConcurrently(
    chosen,
    { concurrency: openedAtOnce, signal: end.signal },
    async ({ start, id, count }) => {
      if (Date.now() >= untilMs) end.abort();
      if (end.signal.aborted) return;
      const found = await fromAnyHost(reader, opened.length % 2, async (ask) => {
        const [transaction] = await ask([pastTransactionCall(id)]);
        return transaction;
      }).catch((error: unknown) => {
        if (!(error instanceof ChainUnavailable)) throw error;
        end.abort();
        return undefined;
      });
      const [before, after] = [found?.before, found?.after].map(
        (balances) =>
          balances && sampledVenues[venue].pastAmounts(accounts, (each) => balances.get(each), accountAt),
      );
      // Leaves out a time other than the listed one, with which a host could write candles of any minute.
      if (found && before && after && intervalStart(found.time, "1m") === start)
        opened.push({ start, slot: found.slot, time: found.time, before, after, count });
    },
  );
  return opened;
}
