import { readFileSync } from "node:fs";
import { join } from "node:path";
import { decodeJwt, importJWK, type JWK, type JWTHeaderParameters, SignJWT } from "jose";
import { localRunner } from "./deployment.ts";

/** Signs any claims and header with the key of the local issuer. */
export async function signAsIssuer(
  claims: object,
  header: Partial<JWTHeaderParameters> = {},
): Promise<string> {
  const key: JWK = JSON.parse(readFileSync(join(localRunner().dataDir, "issuer.json"), "utf8"));
  const { alg = "ES256", kid = "" } = key;
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg, kid, typ: "JWT", ...header })
    .sign(await importJWK(key, alg));
}

/** Copies the claims of a valid token with changes. `undefined` removes a claim. */
export function claimsLike(good: string, change: object): object {
  const claims = { ...decodeJwt(good), ...change };
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
}

/** Returns the NumericDate this many seconds from now. */
export const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;
