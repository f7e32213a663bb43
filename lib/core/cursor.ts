import { createHash } from "node:crypto";
import { DomainError } from "./domain-error.ts";

const digestBytes = 12;

/**
 * Computes a digest that ties a cursor to its list. The digest need not be secret, because any position that a user
 * could forge lies within that user's own list.
 */
const digestOf = (position: string, list: readonly unknown[]): Buffer =>
  createHash("sha256")
    .update(JSON.stringify([position, ...list]))
    .digest()
    .subarray(0, digestBytes);

/**
 * Makes the cursor at which a list continues. Clients send it back with the same request.
 *
 * @param list identifies the list: user, kind and filters.
 */
export const cursorAt = (position: string, list: readonly unknown[]): string =>
  Buffer.concat([digestOf(position, list), Buffer.from(position)]).toString("base64url");

/** Checks a position, because DynamoDB rejects one that sorts after the list's last key. */
const isPosition = (text: string) => /^[\x21-\x7e]+$/.test(text);

/** Returns the position in a cursor, or undefined if the cursor belongs to another list. */
export function positionIn(cursor: string, list: readonly unknown[]): string | undefined {
  const bytes = Buffer.from(cursor, "base64url");
  const position = bytes.subarray(digestBytes).toString();
  // Compares the cursors as text, because decoding skips characters outside base64url.
  return isPosition(position) && cursorAt(position, list) === cursor ? position : undefined;
}

/**
 * Reads an optional cursor.
 *
 * @throws {DomainError} INVALID_REQUEST if the cursor belongs to another list.
 */
export function positionGiven(cursor: string | undefined, list: readonly unknown[]): string | undefined {
  if (cursor === undefined) return undefined;
  const position = positionIn(cursor, list);
  if (position !== undefined) return position;
  throw new DomainError("INVALID_REQUEST", "cursor must be one of the same list, with the same filters", {
    field: "cursor",
  });
}
