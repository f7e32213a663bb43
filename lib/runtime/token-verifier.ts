import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import { LRUCache } from "lru-cache";
import * as v from "valibot";

/** What a valid token says of its bearer. */
export type Claims = JWTPayload & { sub: string; exp: number };

/** A token that is not accepted. An expired one was good until then, so a refresh will help. */
export class InvalidToken extends Error {
  override readonly name = "InvalidToken";
  readonly expired: boolean;

  constructor({ expired }: { expired: boolean }) {
    super(expired ? "Token expired" : "Invalid token");
    this.expired = expired;
  }
}

/** Which tokens are accepted: those of an issuer, for an audience. */
export type Issuer = {
  issuer: string;
  audience: string /** Found by OIDC discovery when empty. */;
  jwksUri: string;
};

/** Signatures that only the issuer can make. A symmetric algorithm would take the public key for a secret. */
const algorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

/** Seconds by which the clocks of the issuer and of Lambda may differ. */
const clockTolerance = 5;

/** How OpenID Connect limits a subject. */
const subject = /^[\x20-\x7e]{1,255}$/;

/**
 * Makes the function that verifies tokens. Verified tokens are remembered until they expire. The issuer's keys are
 * fetched when first needed, and again for an unknown key id, at most once a minute.
 *
 * The function rejects with {@link InvalidToken} for a token that is not accepted, and with any other error when the
 * issuer's keys cannot be had, which is no fault of the token's.
 */
export function tokenVerifier({ issuer, audience, jwksUri }: Issuer, now = () => new Date()) {
  const remembered = new LRUCache<string, Claims>({ max: 1000 });
  const keys = keySet(issuer, jwksUri);

  async function verify(token: string): Promise<Claims> {
    const options = {
      issuer,
      algorithms,
      clockTolerance,
      requiredClaims: ["exp", "sub"],
      currentDate: now(),
    };
    try {
      const { payload } = await jwtVerify(token, keys, options);
      return claimsFor(audience, payload);
    } catch (error) {
      if (error instanceof errors.JWTExpired && claimsFor(audience, error.payload))
        throw new InvalidToken({ expired: true });
      throw isAboutToken(error) ? new InvalidToken({ expired: false }) : error;
    }
  }

  return async (token: string): Promise<Claims> => {
    const known = remembered.get(token);
    if (known !== undefined && known.exp + clockTolerance > now().getTime() / 1000) return known;
    const claims = await verify(token);
    remembered.set(token, claims);
    return claims;
  };
}

/** @throws {InvalidToken} when the token is for somebody else's service. Cognito names it `client_id`, others `aud`. */
function claimsFor(audience: string, payload: JWTPayload): Claims {
  const audiences = [payload.aud ?? [], payload.client_id].flat();
  const { sub }: { sub?: unknown } = payload;
  if (!audiences.includes(audience) || typeof sub !== "string" || !subject.test(sub))
    throw new InvalidToken({ expired: false });
  return payload as Claims;
}

/** Everything jose finds wrong with a token, but not what it finds wrong with the issuer's keys. */
function isAboutToken(error: unknown): boolean {
  if (!(error instanceof errors.JOSEError) || error.code === "ERR_JOSE_GENERIC") return false;
  return !(error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid);
}

/** The issuer's keys. With no address given, OpenID Connect's discovery document tells it, once. */
function keySet(issuer: string, jwksUri: string): JWTVerifyGetKey {
  let jwks: JWTVerifyGetKey | undefined;
  return async (header, token) => {
    jwks ??= createRemoteJWKSet(new URL(jwksUri || (await discover(issuer))), {
      cooldownDuration: 60_000,
      timeoutDuration: 3000,
    });
    return jwks(header, token);
  };
}

const Discovery = v.object({ issuer: v.string(), jwks_uri: v.pipe(v.string(), v.url()) });

async function discover(issuer: string): Promise<string> {
  const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const response = await fetch(address, { redirect: "error", signal: AbortSignal.timeout(3000) });
  const document = v.parse(Discovery, await response.json());
  if (document.issuer !== issuer) throw new Error("The discovery document is another issuer's");
  return document.jwks_uri;
}
