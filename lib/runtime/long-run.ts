import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Context } from "aws-lambda";

/** The next run takes over within ten minutes. If it fails to start, this run continues a little longer. */
const longestRunMs = 13 * 60_000;

/**
 * Hashes a function's bundle, which includes the configuration of the chains.
 *
 * @param filename Path of the bundle.
 */
export const buildOf = (filename: string): string =>
  createHash("sha256").update(readFileSync(filename)).digest("hex");

/** Returns how long a run may continue, and leaves time for its end. */
export const longestMsOf = (context: Context, shutdownMs: number): number =>
  Math.min(longestRunMs, context.getRemainingTimeInMillis() - shutdownMs);
