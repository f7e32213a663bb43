import { DomainError } from "./domain-error.ts";

/**
 * @param consequence The end of the message: the effect that a repeated request must not have.
 *
 * @throws {DomainError} IDEMPOTENCY_KEY_MISSING
 */
export function requireKey(key: string | undefined, consequence: string): asserts key is string {
  if (key !== undefined) return;
  const message = `Idempotency-Key is required, so that a repeated request ${consequence}`;
  throw new DomainError("IDEMPOTENCY_KEY_MISSING", message, { field: "Idempotency-Key" });
}
