import { createHash } from "node:crypto";

/** Hashes an object's fields. Their order makes no difference, and undefined fields count as absent. */
export function fingerprint(fields: object): string {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  const sorted = present.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(sorted)).digest("hex");
}
