import type { Claims } from "./token-verifier.ts";

/**
 * Who the claims of a token are about. Cognito's `username` is the subject over again when users sign in by email; then it
 * is no name.
 */
export function identityOf({ sub, preferred_username, nickname, username, ref }: Claims) {
  return { userID: sub, names: [preferred_username, nickname, username === sub ? undefined : username], ref };
}
