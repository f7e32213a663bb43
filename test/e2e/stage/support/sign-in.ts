import { randomUUID } from "node:crypto";
import { requestToken } from "cdk-local-runner";
import { decodeJwt } from "jose";
import { readProfile } from "../../../../lib/users/profile-records.ts";
import { forgetUser } from "./forget-user.ts";
import type { Service } from "./service.ts";
import { poolSignIn } from "./user-pool.ts";

/** Holds the user of all checks, or the reason why no user could be made. */
export type TestUser = { id: string; token: string } | { missing: string };

/** The variables with tokens of an issuer outside the stack. */
export type TokenVariables = { VERIFY_TOKEN?: string | undefined; VERIFY_EXPIRED_TOKEN?: string | undefined };

/** Something that the run has created and must remove. */
export type Removal = { what: string; remove: () => Promise<void> };

/**
 * Signs in as a user new to the service.
 *
 * @param toRemove receives the removals, to be carried out in reverse order.
 * @returns the user, and an expired token, which is empty if the operator has provided none.
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
  // All data of the user are deleted at the end.
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
  // The pool's tokens are valid for 15 minutes.
  if ("poolId" in issuer) return { ...(await poolSignIn(issuer)), expiredToken };
  const sub = `verify-${randomUUID()}`;
  return {
    token: await requestToken(issuer.port, { sub }),
    expiredToken: expiredToken ?? (await requestToken(issuer.port, { sub, expiresIn: -60 })),
  };
}
