import { admitUser, type NewUser } from "../../lib/aws/registration.ts";
import { openTable } from "../../lib/aws/table.ts";
import { authorizer } from "../../lib/runtime/authorizer.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { type Claims, tokenVerifier } from "../../lib/runtime/token-verifier.ts";

const table = openTable(environment("TABLE_NAME"));

export const handler = authorizer({
  cookieName: environment("COOKIE_NAME"),
  verify: tokenVerifier({
    issuer: environment("ISSUER"),
    audience: environment("AUDIENCE"),
    jwksUri: environment("JWKS_URI"),
  }),
  admit: (claims, now) => admitUser(table, userOf(claims), now),
});

/** Cognito's `username` is the subject over again when users sign in by email; then it is no name. */
function userOf({ sub, preferred_username, nickname, username, ref }: Claims): NewUser {
  return { userID: sub, names: [preferred_username, nickname, username === sub ? undefined : username], ref };
}
