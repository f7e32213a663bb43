import type * as v from "valibot";
import type { programKey } from "./schemas.ts";

/**
 * The public key that a user has registered for a program, with what the program may do. The authorizers and the signer
 * trust it, because only createKey and deleteKey write it.
 */
export type ProgramKey = v.InferOutput<typeof programKey>;

/** Identifies a program key. */
export type ProgramKeyName = Pick<ProgramKey, "userID" | "keyId">;

/** Maximum number of a user's program keys that are in force. */
export const mostProgramKeys = 20;

/** Time for which a revoked or ended key is kept, so that revoking it can be repeated. */
const keptMs = 30 * 24 * 60 * 60_000;

/** True if a program may use a key. An absent key counts as revoked. */
export const isInForce = (
  key: Pick<ProgramKey, "endsAt" | "revokedAt"> | undefined,
  nowMs: number,
): boolean => key !== undefined && key.revokedAt === undefined && nowMs < Date.parse(key.endsAt);

/** Returns the time to live, in seconds, of a key that ends or is revoked at a given time. */
export const keptUntil = (end: string): number => Math.ceil((Date.parse(end) + keptMs) / 1000);
