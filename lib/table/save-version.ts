import { randomUUID } from "node:crypto";
import { DomainError } from "../core/domain-error.ts";
import type { Key } from "./keys.ts";
import { oneOf, type When } from "./step.ts";
import type { Item, Table } from "./table.ts";
import { writeOne } from "./write.ts";

/** A record whose version each change raises by 1. */
type Versioned = {
  version: number;
  /** Id of the last conditional change. */
  changeId?: string;
};

/**
 * Creates or changes a record in one write, and returns the result.
 *
 * @param expected the versions to accept; 0 means that there is no record. Undefined accepts every version.
 * @throws {DomainError} PRECONDITION_FAILED, without writing, if the version in the table is not among them.
 */
export async function saveVersion<Content extends object>(
  table: Table,
  key: Key,
  set: Readonly<Record<string, unknown>>,
  expected?: readonly number[],
): Promise<Item<Content & Versioned>> {
  const changeId = expected && randomUUID();
  const { isWritten, item } = await writeOne<Content & Versioned>(table, {
    kind: "change",
    key,
    set: { ...(changeId !== undefined && { changeId }), ...set },
    add: { version: 1 },
    when: expected && versionIn(expected),
  });
  // Recognizes its own change: if the SDK repeats a write whose answer was lost, the repetition fails because the first
  // write succeeded.
  const isOurs = isWritten || (changeId !== undefined && item?.changeId === changeId);
  if (item === undefined || !isOurs)
    throw new DomainError(
      "PRECONDITION_FAILED",
      "The record has changed, or never had a version that If-Match names",
    );
  return item;
}

function versionIn(versions: readonly number[]): When {
  // Uses 0 to match no record, because versions start at 1.
  const isStored = { version: oneOf(versions.length === 0 ? [0] : versions) };
  return versions.includes(0) ? ["absent", isStored] : isStored;
}
