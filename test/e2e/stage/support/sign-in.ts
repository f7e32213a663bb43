import { randomUUID } from "node:crypto";
import { requestToken } from "cdk-local-runner";
import { decodeJwt } from "jose";
import { readProfile } from "../../../../lib/users/profile-records.ts";
import { forgetUser } from "./forget-user.ts";
import type { Service } from "./service.ts";
import { poolSignIn } from "./user-pool.ts";

/** The user of all checks, or why there is none. */
export type TestUser = { id: string; token: string } | { missing: string };

/** Names the variables with tokens of an issuer that is not the stack's own. */
export type TokenVariables = { VERIFY_TOKEN?: string | undefined; VERIFY_EXPIRED_TOKEN?: string | undefined };

/** Removes something that a run has made. */
export type Removal = { what: string; remove: () => Promise<void> };

/**
 * Signs in as a user whom the service has not seen before.
 *
 * @param toRemove gets what has to be removed in the end, the latest last.
 * @returns also an expired token, which is empty if the operator has provided none.
 */
export async function signIn(
  service: Service,
  env: TokenVariables,
  toRemove: Removal[],
): Promise<{ user: TestUser; expiredToken: string }> {
  const { token, expiredToken = "", remove } = await tokenFor(service, env);
  const without = (missing: string) => ({ user: { missing }, expiredToken });
  if (!token) return without("there is no user: set VERIFY_TOKEN to a token of a new user of your issuer");
  const { sub: id = "" } = decodeJwt(token);
  if (remove) toRemove.push({ what: `the sign-in of user ${id}`, remove });
  if (id === "") throw new Error("The token has no claim sub");
  // Everything of the user is deleted in the end.
  if ((await readProfile(service.table, id)) !== undefined)
    return without("the user of VERIFY_TOKEN has data already: set it to a token of a new user");
  toRemove.push({
    what: `the data and the API keys of user ${id}`,
    remove: () => forgetUser(service, id),
  });
  return { user: { id, token }, expiredToken };
}

type Tokens = { token?: string | undefined; expiredToken?: string | undefined; remove?: () => Promise<void> };

async function tokenFor({ issuer }: Service, env: TokenVariables): Promise<Tokens> {
  const { VERIFY_TOKEN: token, VERIFY_EXPIRED_TOKEN: expiredToken } = env;
  if (issuer === undefined) return { token, expiredToken };
  // A token of the pool lives 15 minutes.
  if ("poolId" in issuer) return { ...(await poolSignIn(issuer)), expiredToken };
  const sub = `verify-${randomUUID()}`;
  return {
    token: await requestToken(issuer.port, { sub }),
    expiredToken: expiredToken ?? (await requestToken(issuer.port, { sub, expiresIn: -60 })),
  };
}
