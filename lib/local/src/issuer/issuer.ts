import { randomUUID } from "node:crypto";
import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  type JSONWebKeySet,
  type JWK,
  jwtVerify,
  SignJWT,
} from "jose";
import * as v from "valibot";
import type { Store } from "../storage/store.ts";

/**
 * Claims of a token. `expiresIn` is in seconds; a negative value makes an expired token. `signedInSecondsAgo` sets
 * `auth_time` before the time of issue, as in a refreshed token.
 */
export type TokenRequest = v.InferInput<typeof TokenRequest>;

const name = v.pipe(v.string(), v.nonEmpty(), v.maxLength(256));

export const TokenRequest = v.strictObject({
  sub: name,
  username: v.optional(name),
  ref: v.optional(name),
  expiresIn: v.optional(v.pipe(v.number(), v.safeInteger()), 900),
  signedInSecondsAgo: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0)), 0),
});

/** An OpenID Connect issuer that signs any token on request. */
export type Issuer = {
  /** The issuer's URL: the claim `iss` of its tokens. */
  url: string;
  jwksUri: string;
  metadata: object;
  keys: JSONWebKeySet;
  token(request: TokenRequest): Promise<{ access_token: string; token_type: "Bearer"; expires_in: number }>;
  /** Signs an ID token, which tells a client who has signed in. */
  idToken(identity: Identity): Promise<string>;
  /** True if the issuer has signed this ID token for the client, even if it has expired. */
  isIdToken(token: string, clientId: string): Promise<boolean>;
};

export type Identity = {
  user: string;
  clientId: string;
  /** Time of the sign-in in milliseconds. */
  signedInMs: number;
  nonce?: string | undefined;
};

const ALGORITHM = "ES256";

/**
 * Creates an issuer.
 *
 * @param audience the claim `aud` of every token
 */
export function createIssuer(url: string, key: JWK, audience: string): Issuer {
  const { d: _, ...publicKey } = key;
  const jwksUri = `${url}/jwks.json`;
  return {
    url,
    jwksUri,
    metadata: {
      issuer: url,
      jwks_uri: jwksUri,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/oauth/token`,
      revocation_endpoint: `${url}/revoke`,
      end_session_endpoint: `${url}/logout`,
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      scopes_supported: ["openid", "profile", "offline_access"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
      revocation_endpoint_auth_methods_supported: ["none"],
      authorization_response_iss_parameter_supported: true,
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: [ALGORITHM],
    },
    keys: { keys: [publicKey] },

    async token(request) {
      const { sub, username, ref, expiresIn, signedInSecondsAgo } = v.parse(TokenRequest, request);
      const now = Math.floor(Date.now() / 1000);
      const expiry = now + expiresIn;
      // Backdates an expired token, because some verifiers reject tokens that expire before they were issued.
      const issued = Math.min(now, expiry);
      const auth_time = issued - signedInSecondsAgo;
      const access_token = await new SignJWT({ preferred_username: username, ref, auth_time })
        .setProtectedHeader({ alg: ALGORITHM, typ: "JWT", kid: key.kid ?? "" })
        .setIssuer(url)
        .setAudience(audience)
        .setSubject(sub)
        .setJti(randomUUID())
        .setIssuedAt(issued)
        .setExpirationTime(expiry)
        .sign(key);
      return { access_token, token_type: "Bearer", expires_in: expiresIn };
    },

    idToken: ({ user, clientId, signedInMs, nonce }) =>
      new SignJWT({ nonce, preferred_username: user, auth_time: Math.floor(signedInMs / 1000) })
        .setProtectedHeader({ alg: ALGORITHM, typ: "JWT", kid: key.kid ?? "" })
        .setIssuer(url)
        .setAudience(clientId)
        .setSubject(user)
        .setIssuedAt()
        .setExpirationTime("15m")
        .sign(key),

    async isIdToken(token, clientId) {
      // Reads the token as of the start of its life, because sign-outs may come long after.
      const currentDate = new Date(0);
      const checks = { issuer: url, audience: clientId, algorithms: [ALGORITHM], currentDate };
      return jwtVerify(token, publicKey, checks).then(
        () => true,
        () => false,
      );
    },
  };
}

/** Loads or creates the issuer's private key. The store keeps it, so tokens remain valid after a restart. */
export async function signingKey(store: Store): Promise<JWK> {
  const known = store.load<JWK>("issuer");
  if (known !== undefined) return known;
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const jwk = await exportJWK(privateKey);
  const created = { ...jwk, kid: await calculateJwkThumbprint(jwk), alg: ALGORITHM, use: "sig" };
  store.save("issuer", created);
  return created;
}
