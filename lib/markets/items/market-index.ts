import { gunzipSync, gzipSync } from "node:zlib";
import type { TradingChain } from "../../core/chain-facts.ts";
import { epochSeconds } from "../../core/time.ts";
import { readItem, type Table } from "../../table/table.ts";
import { write } from "../../table/write.ts";
import type { IndexedToken } from "../core/token-search.ts";
import { marketIndexKey } from "./keys.ts";
import { itemFormat, marketExpiry, notLaterThan } from "./market-items.ts";

type Stored = { tokens: Uint8Array; epoch: number; format: number; expiresAt: number };

/** A token in the item: a tuple, because field names would take up most of the space. */
type Row = [
  token: string,
  symbol: string,
  name: string,
  decimals: number,
  depthUsd: number,
  firstSeen: number,
  knownUntil?: number | undefined,
];

const mostTokens = 2000;

/** Maximum number of bytes of an item. DynamoDB allows 400 KB and bills reads by size. */
const mostBytes = 200_000;

/**
 * Writes the tokens of a chain that a search can find. If there are too many, keeps those with the deepest pools.
 *
 * @returns false, without writing, if another run of readMarkets has taken over.
 */
export async function writeMarketIndex(
  table: Table,
  chain: TradingChain,
  tokens: readonly IndexedToken[],
  { epoch, now }: { epoch: number; now: Date },
): Promise<boolean> {
  const rows = tokens
    .toSorted((a, b) => b.depthUsd - a.depthUsd)
    .slice(0, mostTokens)
    .map(
      (each): Row => [
        each.token,
        each.symbol,
        each.name,
        each.decimals,
        each.depthUsd,
        each.firstSeen,
        each.knownUntil,
      ],
    );
  const stored: Stored = {
    tokens: packed(rows),
    epoch,
    format: itemFormat,
    expiresAt: marketExpiry(now),
  };
  const when = ["absent", notLaterThan(epoch)] as const;
  return write(table, { kind: "put", key: marketIndexKey(chain), item: stored, when });
}

function packed(rows: readonly Row[]): Uint8Array {
  const bytes = gzipSync(JSON.stringify(rows));
  return bytes.length <= mostBytes ? bytes : packed(rows.slice(0, Math.floor(rows.length * 0.9)));
}

/** Reads the tokens of a chain that a search can find. */
export async function readMarketIndex(
  table: Table,
  chain: TradingChain,
  now = new Date(),
): Promise<IndexedToken[]> {
  const stored = await readItem<Stored>(table, marketIndexKey(chain));
  if (stored === undefined || stored.format > itemFormat) return [];
  const rows: Row[] = JSON.parse(gunzipSync(stored.tokens).toString());
  return rows.flatMap(([token, symbol, name, decimals, depthUsd, firstSeen, knownUntil]) =>
    // The index stays as it was while nobody wants a token of the chain.
    (knownUntil ?? Number.POSITIVE_INFINITY) > epochSeconds(now)
      ? [{ chain, token, symbol, name, decimals, depthUsd, firstSeen }]
      : [],
  );
}
