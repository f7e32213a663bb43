import { openTable } from "../../lib/aws/table.ts";
import { connectionAuthorizer } from "../../lib/runtime/connection-authorizer.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { identityOf } from "../../lib/runtime/identity.ts";
import { issuerOfEnvironment } from "../../lib/runtime/issuer-of-environment.ts";
import { tokenVerifier } from "../../lib/runtime/token-verifier.ts";
import { admission } from "../../lib/users/admit.ts";

const admit = admission(openTable(environment("TABLE_NAME")), {
  fallbackKey: environment("FALLBACK_KEY"),
  stages: JSON.parse(environment("PLAN_STAGES")),
});

export const handler = connectionAuthorizer({
  cookieName: environment("COOKIE_NAME"),
  allowedOrigins: JSON.parse(environment("ALLOWED_ORIGINS")),
  verify: tokenVerifier(issuerOfEnvironment()),
  admit: (claims, now) => admit(identityOf(claims), now),
});
