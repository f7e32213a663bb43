import { DomainError } from "./domain-error.ts";

/** Maximum age of a sign-in for sensitive requests, so that a stolen token alone does not allow them. */
export const maxSignInAgeSeconds = 300;

/** Tolerance in milliseconds for issuers with fast clocks. */
const aheadMs = 60_000;

/** True if the user has signed in recently. A sign-in whose time is unknown never counts. */
export function isFreshSignIn(signedInAt: Date | undefined, now: Date): boolean {
  const ageMs = signedInAt === undefined ? Number.NaN : now.getTime() - signedInAt.getTime();
  return ageMs <= maxSignInAgeSeconds * 1000 && ageMs >= -aheadMs;
}

/** @throws {DomainError} SIGN_IN_REQUIRED if the user has not signed in recently. */
export function requireFreshSignIn(signedInAt: Date | undefined, now: Date): void {
  if (!isFreshSignIn(signedInAt, now)) throw signInRequired();
}

export const signInRequired = () =>
  new DomainError("SIGN_IN_REQUIRED", "Sign in again: this needs a sign-in of the last 5 minutes", {
    maxAgeSeconds: maxSignInAgeSeconds,
  });
