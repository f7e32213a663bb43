import { readFileSync } from "node:fs";
import { join } from "node:path";
import { decodeJwt, importJWK, type JWK, type JWTHeaderParameters, SignJWT } from "jose";
import { localRunner } from "./deployment.ts";

/** Signs these claims and this header, whatever they say, by the key of the local runner's issuer. */
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

/** The claims of a good token with some of them changed, or left out where they are undefined. */
export function claimsLike(good: string, change: object): object {
  const claims = { ...decodeJwt(good), ...change };
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
}

/** Seconds since 1970, so many from now. */
export const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;
