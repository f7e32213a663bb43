import { errors, jwtVerify } from "jose";
import * as v from "valibot";
import { isInForce, type ProgramKey, type ProgramKeyName } from "../orders/program-key.ts";
import { type Claims, clockToleranceSeconds, InvalidToken, subject } from "./token-verifier.ts";

/**
 * The method of a request, and the paths that may be signed, without the query: the path as sent and, if it has a stage,
 * the path without it.
 */
export type SignedRequest = { method: string; paths: readonly string[] };

/** A verified token of a program. All but the hash of the body has been checked. */
export type ProgramClaims = Claims & {
  jti: string;
  /** SHA-256 of the body in base64url. Absent if the request has no body. */
  bh?: string | undefined;
  key: ProgramKey;
};

/** Maximum time between `iat` and `exp`. */
const maxSeconds = 60;

const headerSchema = v.object({
  alg: v.picklist(["EdDSA", "Ed25519"]),
  typ: v.literal("JWT"),
  kid: v.pipe(v.string(), v.regex(/^pk_[\w-]{20,64}$/)),
});

const claimsSchema = v.object({
  sub: v.pipe(v.string(), v.regex(subject)),
  iat: v.number(),
  exp: v.number(),
  jti: v.pipe(v.string(), v.regex(/^[\w-]{16,64}$/)),
  htm: v.string(),
  htu: v.string(),
  bh: v.optional(v.pipe(v.string(), v.regex(/^[\w-]{43}$/))),
});

/** True if a program has made a token. All tokens of an issuer name the issuer. */
export function isOfProgram(token: string): boolean {
  const claims = partOf(token, 1);
  return typeof claims === "object" && claims !== null && !("iss" in claims) && "htu" in claims;
}

/**
 * Makes a function that verifies tokens of programs. It rejects with {@link InvalidToken} if the token is not accepted
 * for the request.
 *
 * @param readKey Reads a key as it is now, so that revoking it counts from the next request.
 */
export const programVerifier =
  (readKey: (name: ProgramKeyName) => Promise<ProgramKey | undefined>) =>
  async (token: string, request: SignedRequest, now: Date): Promise<ProgramClaims> => {
    const header = v.safeParse(headerSchema, partOf(token, 0));
    const parsed = v.safeParse(claimsSchema, partOf(token, 1));
    if (!header.success || !parsed.success) throw new InvalidToken("invalid");
    const claims = parsed.output;
    checkTimes(claims, now);
    if (claims.htm !== request.method || !request.paths.includes(claims.htu))
      throw new InvalidToken("misdirected");
    const key = await readKey({ userID: claims.sub, keyId: header.output.kid });
    if (key === undefined) throw new InvalidToken("invalid");
    await verifySignature(token, key, now);
    if (!isInForce(key, now.getTime())) throw new InvalidToken("ended");
    return { ...claims, key };
  };

/** Tolerates only clocks that are ahead: a slow one has the rest of the minute. */
function checkTimes({ iat, exp }: { iat: number; exp: number }, now: Date): void {
  const seconds = now.getTime() / 1000;
  if (exp <= seconds) throw new InvalidToken("expired");
  if (iat > seconds + clockToleranceSeconds) throw new InvalidToken("early");
  if (exp - iat > maxSeconds) throw new InvalidToken("lasting");
}

async function verifySignature(token: string, { publicKey }: ProgramKey, now: Date): Promise<void> {
  const jwk = { kty: "OKP", crv: "Ed25519", x: publicKey };
  const options = {
    algorithms: ["EdDSA", "Ed25519"],
    currentDate: now,
    clockTolerance: clockToleranceSeconds,
  };
  try {
    await jwtVerify(token, jwk, options);
  } catch (error) {
    throw error instanceof errors.JOSEError ? new InvalidToken("invalid") : error;
  }
}

/** Decodes the header or the claims of a token, which nobody has verified. Undefined if it is not a token. */
function partOf(token: string, index: 0 | 1): unknown {
  try {
    return JSON.parse(Buffer.from(token.split(".")[index] as string, "base64url").toString());
  } catch {
    return undefined;
  }
}
