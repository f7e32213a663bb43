import { gunzipSync, gzipSync } from "node:zlib";
import type { TradingChain } from "../../core/chain-facts.ts";
import { epochSeconds } from "../../core/time.ts";
import { atMost } from "../../table/step.ts";
import { readItem, type Table } from "../../table/table.ts";
import { write, writeOne } from "../../table/write.ts";
import { type NewTokens, newSeconds, newTokensIn, searchedIn } from "../core/new-tokens.ts";
import type { SearchedToken } from "../core/token-search.ts";
import { newTokensKey, newTokensTurnKey } from "./keys.ts";
import { itemFormat, notLaterThan } from "./market-items.ts";

type Turn = { epoch: number; untilMs: number; expiresAt: number };

type Stored = { content: Uint8Array; epoch: number; format: number; expiresAt: number };

/** Time after which another request may read, if the one with the turn is gone. */
const longestTurnMs = 10_000;

/** Time between the starts of two turns. */
export const turnMs = 2000;

const expiry = (now: Date) => epochSeconds(now) + newSeconds;

/** Takes the turn to read the new pools of a chain. Undefined if another request has it, or has just had it. */
export async function takePoolTurn(
  table: Table,
  chain: TradingChain,
  now: Date,
): Promise<number | undefined> {
  const { isWritten, item } = await writeOne<Turn>(table, {
    kind: "change",
    key: newTokensTurnKey(chain),
    set: { untilMs: now.getTime() + longestTurnMs, expiresAt: expiry(now) },
    add: { epoch: 1 },
    when: ["absent", { untilMs: atMost(now.getTime()) }],
  });
  return isWritten ? item?.epoch : undefined;
}

/** Lets the next turn begin soon after the start of this one. */
export async function endPoolTurn(
  table: Table,
  chain: TradingChain,
  { epoch, startedAt }: { epoch: number; startedAt: Date },
): Promise<void> {
  const set = { untilMs: startedAt.getTime() + turnMs };
  await write(table, { kind: "change", key: newTokensTurnKey(chain), set, when: { epoch } });
}

/** Stores the new tokens of a chain for a day. Returns false, without writing, if a later turn has stored some. */
export async function writeNewTokens(
  table: Table,
  chain: TradingChain,
  tokens: NewTokens,
  { epoch, now }: { epoch: number; now: Date },
): Promise<boolean> {
  const content = gzipSync(JSON.stringify(tokens));
  const stored: Stored = { content, epoch, format: itemFormat, expiresAt: expiry(now) };
  const when = ["absent", notLaterThan(epoch)] as const;
  return write(table, { kind: "put", key: newTokensKey(chain), item: stored, when });
}

export async function readNewTokens(table: Table, chain: TradingChain): Promise<NewTokens | undefined> {
  const stored = await readItem<Stored>(table, newTokensKey(chain));
  if (stored === undefined || stored.format > itemFormat) return undefined;
  return JSON.parse(gunzipSync(stored.content).toString());
}

/** Reads the tokens of a chain with pools of the last day, for a search. */
export async function readMadeTokens(
  table: Table,
  chain: TradingChain,
  now = new Date(),
): Promise<SearchedToken[]> {
  const stored = await readNewTokens(table, chain);
  return stored === undefined ? [] : searchedIn(chain, newTokensIn(stored, epochSeconds(now)));
}
