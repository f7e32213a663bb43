import { gunzipSync, gzipSync } from "node:zlib";
import type { TradingChain } from "../../core/chain-facts.ts";
import { forEachConcurrently } from "../../core/concurrency.ts";
import { epochSeconds } from "../../core/time.ts";
import { queryRange, type Table } from "../../table/table.ts";
import { write } from "../../table/write.ts";
import { heldTokensIn, heldTokensKey } from "./keys.ts";
import { itemFormat, notLaterThan } from "./market-items.ts";

/** The tokens in which a user has open positions, as a run of readMarkets passes them to the next one. */
export type HeldNote = {
  /** Digest of the user's id, because a deletion of the user cannot find the note. */
  user: string;
  /** Names of the tokens. */
  tokens: readonly string[];
  /** Time when the positions were read. */
  readMs: number;
};

type Stored = { content: Uint8Array; epoch: number; format: number; savedMs: number; expiresAt: number };

/** Holdings of a user. The indices are places of the user's tokens in the part's list. */
type Row = readonly [user: string, readMs: number, ...indices: number[]];

type Part = { tokens: string[]; rows: Row[]; bytes: number };

/**
 * Maximum number of bytes of a part before it is compressed. DynamoDB allows 400 KB for an item. With the number of
 * parts, it bounds what a run stores and the next one reads, to those of about 90,000 users.
 */
const mostBytes = 300_000;
const mostParts = 20;

/** Maximum number of tokens in a note. Users with more are left out, and the next run reads their positions. */
const mostTokens = 200;

/** Age at which notes are of no use, because all positions would be read again anyway. */
const usefulMs = 10 * 60_000;

const partsAtOnce = 4;

/** Stores the notes of a run, for the next one. Leaves out those for which there is no room. */
export async function writeHeldNotes(
  table: Table,
  reader: TradingChain | "all",
  notes: readonly HeldNote[],
  { epoch, nowMs }: { epoch: number; nowMs: number },
): Promise<void> {
  const parts = partsOf(notes).slice(0, mostParts);
  await forEachConcurrently([...parts.entries()], { concurrency: partsAtOnce }, async ([part, each]) => {
    const stored: Stored = {
      content: gzipSync(JSON.stringify([each.tokens, each.rows])),
      epoch,
      format: itemFormat,
      savedMs: nowMs,
      expiresAt: epochSeconds(new Date(nowMs + usefulMs)),
    };
    const when = ["absent", notLaterThan(epoch)] as const;
    await write(table, { kind: "put", key: heldTokensKey(reader, part), item: stored, when });
  });
}

/** Reads the notes of the last run that stored any, if they are still useful. */
export async function readHeldNotes(
  table: Table,
  reader: TradingChain | "all",
  nowMs: number,
): Promise<HeldNote[]> {
  const found = await queryRange<Stored>(table, heldTokensIn(reader));
  const useful = found.filter(({ format, savedMs }) => format <= itemFormat && nowMs - savedMs < usefulMs);
  const newest = Math.max(...useful.map(({ epoch }) => epoch));
  return useful.filter(({ epoch }) => epoch === newest).flatMap(({ content }) => notesOf(content));
}

function notesOf(content: Uint8Array): HeldNote[] {
  const [names, rows]: [string[], Row[]] = JSON.parse(gunzipSync(content).toString());
  return rows.map(([user, readMs, ...indices]) => ({
    user,
    readMs,
    tokens: indices.map((index) => names[index] as string),
  }));
}

/** Divides notes into parts. A part names each token once, because many users hold the same ones. */
function partsOf(notes: readonly HeldNote[]): Part[] {
  const parts: Part[] = [];
  let places = new Map<string, number>();
  for (const { user, tokens, readMs } of notes) {
    if (tokens.length > mostTokens) continue;
    let part = parts.at(-1);
    if (part === undefined || part.bytes >= mostBytes) {
      part = { tokens: [], rows: [], bytes: 0 };
      parts.push(part);
      places = new Map();
    }
    const row: [string, number, ...number[]] = [user, readMs];
    for (const name of tokens) {
      const place = places.get(name) ?? part.tokens.push(name) - 1;
      if (!places.has(name)) part.bytes += name.length + 3;
      places.set(name, place);
      row.push(place);
    }
    part.rows.push(row);
    part.bytes += JSON.stringify(row).length + 1;
  }
  return parts;
}
