import { admission, strangerKey } from "../plans/admit.ts";
import { readFallbackKeys } from "../plans/fallback-key-records.ts";
import { openUsagePlans } from "../plans/usage-plans.ts";
import { openTable } from "../table/table.ts";
import { readProgramKey, useToken } from "../trading/items/program-key-records.ts";
import { type AuthorizerDeps, identityOf } from "./authorizer.ts";
import { environment } from "./environment.ts";
import { logWarning } from "./log.ts";
import { isOfProgram, programVerifier } from "./program-token.ts";
import { remembered } from "./remembered.ts";
import { tokenVerifier } from "./token-verifier.ts";

/** Time for which an authorizer remembers which fallback keys are in use. Surplus keys are kept for far longer. */
const fallbackKeysMs = 60_000;

/** Makes the dependencies of both authorizers from their environment. */
export function authorizerDeps(operation: "authorize" | "authorizeConnection"): AuthorizerDeps {
  const onFault = (error: unknown) => logWarning(operation, error);
  const table = openTable(environment("TABLE_NAME"));
  const options = {
    sharedKey: environment("SHARED_KEY"),
    readFallbackKeys: remembered(() => readFallbackKeys(table), fallbackKeysMs),
    stages: environment("PLAN_STAGES"),
    onFault,
  };
  const admit = admission(table, options);
  const verifyOfIssuer = tokenVerifier(
    {
      issuer: environment("ISSUER"),
      audience: environment("AUDIENCE"),
      jwksUri: environment("JWKS_URI"),
      maxTokenSeconds: environment("MAX_TOKEN_SECONDS"),
    },
    onFault,
  );
  const verifyOfProgram = programVerifier((name) => readProgramKey(table, name));
  return {
    cookies: { cookieName: environment("COOKIE_NAME"), bareCookie: environment("BARE_COOKIE") },
    origin: { originKeys: environment("ORIGIN_KEYS"), edgeOnly: environment("EDGE_ONLY") },
    verify: (token, ...request) =>
      isOfProgram(token) ? verifyOfProgram(token, ...request) : verifyOfIssuer(token),
    useToken: ({ key, jti }, now) => useToken(table, key, jti, now),
    admit: (claims, now) => admit(identityOf(claims), now),
    strangerKey: strangerKey(options),
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

/** Makes the dependencies of the function that makes fallback keys. */
export function fallbackKeyDeps() {
  return {
    table: openTable(environment("TABLE_NAME")),
    plans: openUsagePlans({ prefix: environment("FALLBACK_PREFIX"), stages: environment("PLAN_STAGES") }),
    planId: environment("FALLBACK_PLAN_ID"),
    standardPlanId: environment("STANDARD_PLAN_ID"),
    sharedKey: environment("SHARED_KEY"),
    wanted: environment("FALLBACK_KEYS"),
    graceMs: environment("KEY_GRACE_SECONDS") * 1000,
    now: () => new Date(),
  };
}

/** Makes the dependencies of all functions that manage users' API keys and usage plans. */
export function planDeps(table = openTable(environment("TABLE_NAME"))) {
  return {
    table,
    plans: openUsagePlans({ prefix: environment("PLAN_PREFIX"), stages: environment("PLAN_STAGES") }),
  };
}
