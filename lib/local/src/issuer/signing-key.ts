import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from "jose";
import type { Store } from "../storage/store.ts";

export const ALGORITHM = "ES256";

/** A private key that is kept from run to run, so that tokens stay good over a restart. */
export async function signingKey(store: Store): Promise<JWK> {
  const known = store.load<JWK>("issuer");
  if (known !== undefined) return known;
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const jwk = await exportJWK(privateKey);
  const made = { ...jwk, kid: await calculateJwkThumbprint(jwk), alg: ALGORITHM, use: "sig" };
  store.save("issuer", made);
  return made;
}
