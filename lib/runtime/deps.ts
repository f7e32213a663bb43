import { admission } from "../plans/admit.ts";
import { openUsagePlans } from "../plans/usage-plans.ts";
import { openTable } from "../table/table.ts";
import { type AuthorizerDeps, identityOf } from "./authorizer.ts";
import { environment } from "./environment.ts";
import { logWarning } from "./log.ts";
import { tokenVerifier } from "./token-verifier.ts";

/** Makes the dependencies of both authorizers from their environment. */
export function authorizerDeps(operation: "authorize" | "authorizeConnection"): AuthorizerDeps {
  const onFault = (error: unknown) => logWarning(operation, error);
  const admit = admission(openTable(environment("TABLE_NAME")), {
    fallbackKey: environment("FALLBACK_KEY"),
    stages: environment("PLAN_STAGES"),
    onFault,
  });
  return {
    cookieName: environment("COOKIE_NAME"),
    origin: { originKey: environment("ORIGIN_KEY"), edgeOnly: environment("EDGE_ONLY") },
    verify: tokenVerifier(
      {
        issuer: environment("ISSUER"),
        audience: environment("AUDIENCE"),
        jwksUri: environment("JWKS_URI"),
      },
      onFault,
    ),
    admit: (claims, now) => admit(identityOf(claims), now),
  };
}

/** Makes the dependencies of functions that create API keys. */
export function mirrorDeps() {
  return {
    ...planDeps(),
    tierPlans: { Standard: environment("STANDARD_PLAN_ID"), Pro: environment("PRO_PLAN_ID") },
    graceMs: environment("KEY_GRACE_SECONDS") * 1000,
    now: () => new Date(),
  };
}

/** Makes the dependencies of all functions that manage API keys and usage plans. */
export function planDeps(table = openTable(environment("TABLE_NAME"))) {
  return {
    table,
    plans: openUsagePlans({ prefix: environment("PLAN_PREFIX"), stages: environment("PLAN_STAGES") }),
  };
}
