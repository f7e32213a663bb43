import { decodeJwt, decodeProtectedHeader, type JWK } from "jose";
import type { Forge } from "../../cases/tokens.ts";

/** Forges a token from a valid one and the issuer's published data. */
export const forged = async (forge: Forge, good: string) => forge(good, await publishedKey(good));

/** Finds the public key of a token through OpenID Connect Discovery. */
async function publishedKey(good: string): Promise<JWK> {
  const { iss = "" } = decodeJwt(good);
  const read = async (address: string) => (await fetch(address)).json();
  const metadata = (await read(`${iss.replace(/\/$/, "")}/.well-known/openid-configuration`)) as {
    jwks_uri: string;
  };
  const { keys } = (await read(metadata.jwks_uri)) as { keys: JWK[] };
  const { kid } = decodeProtectedHeader(good);
  const key = keys.find((candidate) => candidate.kid === kid);
  if (key === undefined) throw new Error("The issuer does not publish the key of its token");
  return key;
}
