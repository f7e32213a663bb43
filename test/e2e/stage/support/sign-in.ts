import { randomUUID } from "node:crypto";
import { requestToken } from "cdk-local-runner";
import { decodeJwt } from "jose";
import { readProfile } from "../../../../lib/users/profile-records.ts";
import { forgetUser } from "./forget-user.ts";
import type { Service } from "./service.ts";
import { poolSignIn } from "./user-pool.ts";

/** Holds the user of all checks, or the reason why none could be created. */
export type TestUser = { id: string; token: string } | { missing: string };

/** Environment variables with tokens of an issuer outside the stack. */
export type TokenVariables = {
  [name in (typeof userVariables)[number] | "VERIFY_EXPIRED_TOKEN"]?: string | undefined;
};

const userVariables = ["VERIFY_TOKEN", "VERIFY_OTHER_TOKEN"] as const;

/** Something that the run created and must remove. */
export type Removal = { what: string; remove: () => Promise<void> };

/**
 * Signs in as two users new to the service.
 *
 * @param toRemove collects the removals, which run in reverse order.
 * @returns the users, and an expired token, which is empty if the operator has provided none.
 */
export async function signIn(
  service: Service,
  env: TokenVariables,
  toRemove: Removal[],
): Promise<{ user: TestUser; other: TestUser; expiredToken: string }> {
  const { issuer } = service;
  const expiredToken = env.VERIFY_EXPIRED_TOKEN ?? (await expiredTokenOf(issuer));
  const [user, other] = [
    await signInAs("VERIFY_TOKEN", service, env, toRemove),
    await signInAs("VERIFY_OTHER_TOKEN", service, env, toRemove),
  ];
  return { user, other, expiredToken };
}

async function signInAs(
  variable: (typeof userVariables)[number],
  service: Service,
  env: TokenVariables,
  toRemove: Removal[],
): Promise<TestUser> {
  const { token, remove } = await tokenFor(service.issuer, env[variable]);
  if (!token) return { missing: `set ${variable} to a token of a new user of your issuer` };
  const { sub: id = "" } = decodeJwt(token);
  if (remove) toRemove.push({ what: `the sign-in of user ${id}`, remove });
  if (id === "") throw new Error("The token has no claim sub");
  // Refuses a user with data, because the run deletes all of the user's data at the end.
  if ((await readProfile(service.table, id)) !== undefined)
    return { missing: `the user of ${variable} has data already: set it to a token of a new user` };
  toRemove.push({
    what: `the data and the API keys of user ${id}`,
    remove: () => forgetUser(service, id),
  });
  return { id, token };
}

type Tokens = { token?: string | undefined; remove?: () => Promise<void> };

async function tokenFor(issuer: Service["issuer"], token: string | undefined): Promise<Tokens> {
  if (issuer === undefined) return { token };
  // Tokens of the pool are valid for 15 minutes.
  if ("poolId" in issuer) return poolSignIn(issuer);
  return { token: await requestToken(issuer.port, { sub: newId() }) };
}

const expiredTokenOf = async (issuer: Service["issuer"]): Promise<string> =>
  issuer && "port" in issuer ? requestToken(issuer.port, { sub: newId(), expiresIn: -60 }) : "";

const newId = () => `verify-${randomUUID()}`;
