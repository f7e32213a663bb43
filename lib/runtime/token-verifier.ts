import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import { RecentMap } from "../core/recent-map.ts";
import { ServiceError } from "../core/service-error.ts";
import { issuerKeys } from "./issuer-keys.ts";

/** Claims of a valid token. */
export type Claims = JWTPayload & { sub: string; exp: number };

/** Reasons for rejecting a token, in words for the client. */
const reasons = {
  invalid: "Invalid token",
  expired: "Token expired",
  lasting: "Token lasts too long: exp is too far in the future",
  early: "Token not valid yet: iat is in the future",
  misdirected: "Token of another request: htm and htu must be its method and path",
  used: "Token used before: each request that writes needs a jti of its own",
  ended: "The program key is revoked or has ended",
};

/** Reports that the token is not accepted. If it has expired, the client should refresh it. */
export class InvalidToken extends ServiceError {
  override readonly code = "INVALID_TOKEN";
  readonly expired: boolean;

  constructor(reason: keyof typeof reasons) {
    super(reasons[reason]);
    this.expired = reason === "expired";
  }
}

/** The accepted issuer and audience of tokens. */
export type Issuer = {
  issuer: string;
  audience: string;
  /** Address of the issuer's keys. If empty, OpenID Connect discovery finds it. */
  jwksUri: string;
};

export type VerifierOptions = Issuer & {
  /** Maximum accepted time until a token's expiry, in seconds. */
  maxTokenSeconds: number;
};

/** Claims of a token, and the revision of the issuer's keys that verified it. */
type Verified = { claims: Claims; version: number };

/** Accepts only asymmetric algorithms, because a symmetric one would accept the public key as the secret. */
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

/** Maximum accepted difference between the clocks of the issuer, or of a program, and of Lambda, in seconds. */
export const clockToleranceSeconds = 5;

/** Format of a subject in OpenID Connect: up to 255 ASCII characters. */
export const subject = /^[\x20-\x7e]{1,255}$/;

/**
 * Makes a function that verifies tokens. Caches verified tokens until they expire or the issuer's keys change, so a key
 * that the issuer withdraws is refused after ten minutes at most.
 *
 * The function rejects with {@link InvalidToken} if the token is not accepted, and with any other error if the issuer's
 * keys are needed and cannot be fetched.
 *
 * @param onOutage Receives the error if the issuer's keys cannot be fetched and older ones are used.
 */
export function tokenVerifier(
  { issuer, audience, jwksUri, maxTokenSeconds }: VerifierOptions,
  onOutage: (error: unknown) => void = () => {},
) {
  const verified = new RecentMap<string, Verified>(1000);
  const keys = issuerKeys(issuer, jwksUri, onOutage);

  async function verify(token: string): Promise<Verified> {
    let version = 0;
    const find: JWTVerifyGetKey = async (header, jws) => {
      // Reads the revision before the key, because the keys may change in between.
      version = await keys.version();
      return keys.find(header, jws);
    };
    const options = {
      issuer,
      algorithms,
      clockTolerance: clockToleranceSeconds,
      requiredClaims: ["exp", "sub"],
      currentDate: new Date(),
    };
    try {
      const { payload } = await jwtVerify(token, find, options);
      const claims = claimsFor(audience, payload);
      if (secondsUntil(claims.exp) > maxTokenSeconds + clockToleranceSeconds)
        throw new InvalidToken("lasting");
      return { claims, version };
    } catch (error) {
      if (error instanceof errors.JWTExpired && claimsFor(audience, error.payload))
        throw new InvalidToken("expired");
      throw error instanceof errors.JOSEError ? new InvalidToken("invalid") : error;
    }
  }

  const isStillGood = async ({ claims, version }: Verified): Promise<boolean> =>
    secondsUntil(claims.exp) > -clockToleranceSeconds && version === (await keys.version());

  return async (token: string): Promise<Claims> => {
    const known = verified.get(token);
    if (known !== undefined && (await isStillGood(known))) return known.claims;
    const fresh = await verify(token);
    verified.set(token, fresh);
    return fresh.claims;
  };
}

const secondsUntil = (seconds: number): number => seconds - Date.now() / 1000;

/**
 * Reads the claims of a token for this audience. `client_id` replaces `aud` only in tokens without an `aud`, such as
 * Cognito's access tokens. In a token with an `aud`, `client_id` names the client that requested the token, perhaps for
 * another service.
 *
 * @throws {InvalidToken} if the token is for another service.
 */
function claimsFor(audience: string, payload: JWTPayload): Claims {
  const audiences = [payload.aud ?? payload.client_id].flat();
  const { sub }: { sub?: unknown } = payload;
  if (!audiences.includes(audience) || typeof sub !== "string" || !subject.test(sub))
    throw new InvalidToken("invalid");
  return payload as Claims;
}
