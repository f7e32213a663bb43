import { admitUser } from "../../lib/aws/registration.ts";
import { openTable } from "../../lib/aws/table.ts";
import { connectionAuthorizer } from "../../lib/runtime/connection-authorizer.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { identityOf } from "../../lib/runtime/identity.ts";
import { issuerOfEnvironment } from "../../lib/runtime/issuer-of-environment.ts";
import { tokenVerifier } from "../../lib/runtime/token-verifier.ts";

const table = openTable(environment("TABLE_NAME"));

export const handler = connectionAuthorizer({
  cookieName: environment("COOKIE_NAME"),
  allowedOrigins: JSON.parse(environment("ALLOWED_ORIGINS")),
  verify: tokenVerifier(issuerOfEnvironment()),
  admit: (claims, now) => admitUser(table, identityOf(claims), now),
});
