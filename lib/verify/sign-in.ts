import { randomUUID } from "node:crypto";
import { requestToken } from "cdk-local-runner";

/** Where the tokens of a deployment with its own issuer come from. */
export type TokenVariables = { VERIFY_TOKEN?: string | undefined; VERIFY_EXPIRED_TOKEN?: string | undefined };

/** A way to sign in as a user. */
export type SignIn = {
  /** Signs in as a user that nobody else is. */
  start(): Promise<SignedIn>;
  /** Returns an expired token of any user, or undefined if the operator has provided no such token. */
  expiredToken(): Promise<string | undefined>;
};

export type SignedIn = {
  token: string;
  /** Removes the user from the issuer. */
  remove(): Promise<void>;
};

/** Users of the local runner's issuer, which keeps none. */
export function runnerSignIn(port: number): SignIn {
  const sub = `verify-${randomUUID()}`;
  return {
    start: async () => ({ token: await requestToken(port, { sub }), remove: async () => {} }),
    expiredToken: () => requestToken(port, { sub, expiresIn: -60 }),
  };
}

/** The user whose token the environment has. */
export function tokenSignIn({
  VERIFY_TOKEN: token,
  VERIFY_EXPIRED_TOKEN,
}: TokenVariables): SignIn | undefined {
  if (!token) return undefined;
  return {
    start: async () => ({ token, remove: async () => {} }),
    expiredToken: async () => VERIFY_EXPIRED_TOKEN,
  };
}
