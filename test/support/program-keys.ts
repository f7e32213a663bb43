import { keptUntil, type ProgramKey } from "../../lib/orders/program-key.ts";
import type { Item } from "../../lib/table/table.ts";
import { programKeyKey } from "../../lib/trading/items/keys.ts";

/** Builds a program key of a user that is in force until 2027. */
export function programKey(changes: Partial<ProgramKey> = {}): ProgramKey {
  const endsAt = "2027-01-01T00:00:00.000Z";
  return {
    userID: "ann",
    keyId: "pk_abcdefghijklmnopqrst",
    name: "Rebalancer",
    publicKey: "QjH9Qmzs8H1nN6SJ0jxZM3oDh1heRkVdaKCm50YWUjY",
    scopes: ["read"],
    createdAt: "2026-11-21T09:00:00.000Z",
    endsAt,
    revision: 1,
    expiresAt: keptUntil(endsAt),
    ...changes,
  };
}

export const programKeyItem = (key: ProgramKey): Item => ({ ...programKeyKey(key), ...key });
