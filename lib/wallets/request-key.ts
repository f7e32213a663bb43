import { fingerprint } from "../core/fingerprint.ts";
import { requireKey } from "../core/idempotency-key.ts";
import type { RequestKey } from "./add-wallet.ts";
import type { WalletKeyName } from "./used-wallet-keys.ts";

/**
 * Builds the idempotency key of a request, with the fingerprint of the request's body. A `null` in the body equals an
 * absent field.
 *
 * @throws {DomainError} IDEMPOTENCY_KEY_MISSING
 */
export function requestKeyOf(
  { key, ...request }: Omit<WalletKeyName, "key"> & { key: string | undefined },
  body: object,
): RequestKey {
  requireKey(key, "adds no second wallet");
  const fields = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
  return { ...request, key, fingerprint: fingerprint(fields) };
}
