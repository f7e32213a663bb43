import { randomUUID } from "node:crypto";
import { type JSONWebKeySet, type JWK, SignJWT } from "jose";
import * as v from "valibot";
import { ALGORITHM } from "./signing-key.ts";

/** Whom a token is for. `expiresIn` is in seconds; a negative one makes a token that has expired. */
export type TokenRequest = v.InferInput<typeof TokenRequest>;

const name = v.pipe(v.string(), v.nonEmpty(), v.maxLength(256));

export const TokenRequest = v.strictObject({
  sub: name,
  username: v.optional(name),
  ref: v.optional(name),
  expiresIn: v.optional(v.pipe(v.number(), v.safeInteger()), 900),
});

export type Issuer = {
  /** The value of `iss`. */
  url: string;
  metadata: object;
  keys: JSONWebKeySet;
  /** Signs a token for whoever asks: this issuer believes everybody. */
  token(request: TokenRequest): Promise<{ access_token: string; token_type: "Bearer"; expires_in: number }>;
};

export const AUDIENCE = "trading-terminal";

export function createIssuer(url: string, key: JWK): Issuer {
  const { d: _, ...publicKey } = key;
  return {
    url,
    metadata: {
      issuer: url,
      jwks_uri: jwksUri(url),
      token_endpoint: `${url}/token`,
      response_types_supported: ["token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: [ALGORITHM],
    },
    keys: { keys: [publicKey] },

    async token(request) {
      const { sub, username, ref, expiresIn } = v.parse(TokenRequest, request);
      const now = Math.floor(Date.now() / 1000);
      const expiry = now + expiresIn;
      const access_token = await new SignJWT({ preferred_username: username, ref })
        .setProtectedHeader({ alg: ALGORITHM, typ: "JWT", kid: key.kid ?? "" })
        .setIssuer(url)
        .setAudience(AUDIENCE)
        .setSubject(sub)
        .setJti(randomUUID())
        // No token may have been issued after it expired.
        .setIssuedAt(Math.min(now, expiry))
        .setExpirationTime(expiry)
        .sign(key);
      return { access_token, token_type: "Bearer", expires_in: expiresIn };
    },
  };
}

export function jwksUri(issuer: string): string {
  return `${issuer}/jwks.json`;
}
