import { environment } from "./environment.ts";
import type { Issuer } from "./token-verifier.ts";

/** The issuer that the stack has configured. */
export function issuerOfEnvironment(): Issuer {
  return {
    issuer: environment("ISSUER"),
    audience: environment("AUDIENCE"),
    jwksUri: environment("JWKS_URI"),
  };
}
