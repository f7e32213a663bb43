import { randomUUID } from "node:crypto";
import { epochSeconds } from "../../core/time.ts";
import type { ProgramKey, ProgramKeyName } from "../../orders/program-key.ts";
import { readItem, type Table } from "../../table/table.ts";
import { write } from "../../table/write.ts";
import { programKeyKey, usedTokenKey } from "./keys.ts";

/** Reads a program key as it is now. Undefined also if the item claims to be another key, which no user would see. */
export async function readProgramKey(table: Table, name: ProgramKeyName): Promise<ProgramKey | undefined> {
  const key = await readItem<ProgramKey>(table, programKeyKey(name));
  return key?.userID === name.userID && key.keyId === name.keyId ? key : undefined;
}

/** Time for which a used token is remembered, which is longer than any token is valid. */
const rememberedSeconds = 120;

/** Marks a token of a program as used. Returns false if it was used before. */
export async function useToken(
  table: Table,
  name: ProgramKeyName,
  tokenId: string,
  now: Date,
): Promise<boolean> {
  const use = randomUUID();
  return write(table, {
    kind: "put",
    key: usedTokenKey(name, tokenId),
    item: { use, expiresAt: epochSeconds(now) + rememberedSeconds },
    // Accepts this very use, because the SDK repeats a write whose answer was lost.
    when: ["absent", { use }],
  });
}
