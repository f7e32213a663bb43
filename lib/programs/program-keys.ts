import { DomainError } from "../core/domain-error.ts";
import { keptUntil, type ProgramKey, type ProgramKeyName } from "../orders/program-key.ts";
import { queryRange, type Table, withoutKey } from "../table/table.ts";
import { writeOne } from "../table/write.ts";
import { programKeyKey, programKeysOf } from "../trading/items/keys.ts";

/** A program key as its user sees it. */
export type ShownKey = Omit<ProgramKey, "userID" | "endsAt" | "revision" | "expiresAt"> & {
  expiresAt: string;
};

export const shownKey = ({
  userID: _,
  revision: __,
  expiresAt: ___,
  endsAt,
  ...key
}: ProgramKey): ShownKey => ({
  ...key,
  expiresAt: endsAt,
});

/** Lists a user's program keys, newest first, with those that were revoked or ended within 30 days. */
export async function programKeysOfUser(table: Table, userID: string, now: Date): Promise<ProgramKey[]> {
  const keys = await queryRange<ProgramKey>(table, programKeysOf(userID));
  // Leaves out expired items, which DynamoDB may take days to delete.
  const kept = keys.filter(({ expiresAt }) => expiresAt * 1000 > now.getTime());
  return kept.map(withoutKey).toSorted((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
}

/**
 * Revokes a program key, from the next request and signature on. Revoking a revoked key changes nothing.
 *
 * @throws {DomainError} KEY_NOT_FOUND
 */
export async function revokeProgramKey(table: Table, name: ProgramKeyName, now: Date): Promise<ProgramKey> {
  const revokedAt = now.toISOString();
  const { item } = await writeOne<ProgramKey>(table, {
    kind: "change",
    key: programKeyKey(name),
    set: { revokedAt, expiresAt: keptUntil(revokedAt) },
    add: { revision: 1 },
    when: { revokedAt: undefined, keyId: name.keyId },
  });
  if (item === undefined) throw new DomainError("KEY_NOT_FOUND", "The user has no such program key");
  return item;
}
