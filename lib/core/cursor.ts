import { createHash } from "node:crypto";
import { DomainError } from "./domain-error.ts";

const digestBytes = 12;

/** Anybody could compute it. It only has to keep cursors from being mixed up: a position is always within a user's own list. */
const digestOf = (position: string, list: readonly unknown[]): Buffer =>
  createHash("sha256")
    .update(JSON.stringify([position, ...list]))
    .digest()
    .subarray(0, digestBytes);

/**
 * Where a list goes on, for a client to send back with the same request.
 *
 * @param list What the list is of: its user, its kind and its filters.
 */
export const cursorAt = (position: string, list: readonly unknown[]): string =>
  Buffer.concat([digestOf(position, list), Buffer.from(position)]).toString("base64url");

/** Anything that sorts after the other characters of a key would be beyond the list's end, which DynamoDB refuses. */
const isPosition = (text: string) => /^[\x21-\x7e]+$/.test(text);

/** The position in a cursor, or undefined if it is not one of this list. */
export function positionIn(cursor: string, list: readonly unknown[]): string | undefined {
  const bytes = Buffer.from(cursor, "base64url");
  const position = bytes.subarray(digestBytes).toString();
  // Compared as text, since decoding skips what is not base64url.
  return isPosition(position) && cursorAt(position, list) === cursor ? position : undefined;
}

/**
 * The same for a request that may have no cursor.
 *
 * @throws {DomainError} INVALID_REQUEST if the cursor is not one of this list.
 */
export function positionGiven(cursor: string | undefined, list: readonly unknown[]): string | undefined {
  if (cursor === undefined) return undefined;
  const position = positionIn(cursor, list);
  if (position !== undefined) return position;
  throw new DomainError("INVALID_REQUEST", "cursor must be one of the same list, with the same filters", {
    field: "cursor",
  });
}
