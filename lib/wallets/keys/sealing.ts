import { createHash, createPublicKey } from "node:crypto";
import { DomainError } from "../../core/domain-error.ts";
import type { Network } from "../../core/network.ts";

/** The HPKE suite that seals private keys, named as in RFC 9180. */
export const suiteNames = {
  kem: "DHKEM(P-256, HKDF-SHA256)",
  kdf: "HKDF-SHA256",
  aead: "AES-256-GCM",
} as const;

/** Length of a point on P-256 as HPKE sends it, uncompressed. */
export const pointBytes = 65;

const uncompressed = 0x04;
const coordinateBytes = 32;

/** Bytes that precede the point in a P-256 public key in the format SubjectPublicKeyInfo (DER). */
const spkiHead = Buffer.from("3059301306072a8648ce3d020106082a8648ce3d030107034200", "hex");

export const spkiOf = (point: Uint8Array): Uint8Array => Buffer.concat([spkiHead, point]);

/**
 * Reads the point in SubjectPublicKeyInfo.
 *
 * @throws {Error} if the bytes are not a P-256 public key.
 */
export function pointIn(spki: Uint8Array): Uint8Array {
  const point = spki.subarray(spkiHead.length);
  if (!isPoint(point) || Buffer.compare(spkiOf(point), spki) !== 0) throw new Error("Not a P-256 public key");
  return point;
}

/** True if these bytes are an uncompressed point of the curve other than infinity. */
export function isPoint(bytes: Uint8Array): boolean {
  // Rejects compressed points, because Node would read them.
  if (bytes.length !== pointBytes || bytes[0] !== uncompressed) return false;
  try {
    createPublicKey({ key: Buffer.from(spkiOf(bytes)), format: "der", type: "spki" });
    return true;
  } catch {
    return false;
  }
}

/** Encodes bytes as clients send and receive them. */
export const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");
const sha256 = (input: string | Uint8Array) => createHash("sha256").update(input).digest();

/** Returns the id that clients use for an import key. It does not reveal where the key is kept. */
export const keyIdOf = (spki: Uint8Array): string => base64url(sha256(spki));

/**
 * Joins parts with NUL, which no part contains. JSON is not used, because its form differs between programming
 * languages.
 */
const joined = (...parts: string[]): Uint8Array => Buffer.from(parts.join("\0"));

/** Builds the HPKE info of a sealed import. It binds the message to this user, network and key. */
export const importInfo = (of: { network: Network; keyId: string; userID: string }): Uint8Array =>
  joined("trading-terminal/wallet-import/1", of.network, of.keyId, base64url(sha256(of.userID)));

/** Builds the HPKE info of a sealed export. */
export const exportInfo = (of: { network: Network; walletId: string; userID: string }): Uint8Array =>
  joined("trading-terminal/wallet-export/1", of.network, of.walletId, base64url(sha256(of.userID)));

/** A P-256 public key as a JWK. Its coordinates are base64url. */
export type PublicJwk = { kty: "EC"; crv: "P-256"; x: string; y: string };

/**
 * Reads the point of a JWK.
 *
 * @throws {DomainError} INVALID_REQUEST if the point is not on the curve.
 */
export function pointOfJwk(jwk: PublicJwk): Uint8Array {
  if (isJwkOnCurve(jwk)) return pointAt(jwk);
  throw new DomainError("INVALID_REQUEST", "publicKey must be a point of P-256", { field: "publicKey" });
}

/** True if both coordinates have their full length and the canonical form, and the point is on the curve. */
export const isJwkOnCurve = (jwk: Pick<PublicJwk, "x" | "y">): boolean =>
  [jwk.x, jwk.y].every((text) => {
    const bytes = Buffer.from(text, "base64url");
    return bytes.length === coordinateBytes && base64url(bytes) === text;
  }) && isPoint(pointAt(jwk));

const pointAt = ({ x, y }: Pick<PublicJwk, "x" | "y">) =>
  Buffer.concat([Buffer.of(uncompressed), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]);

/** Computes a key's thumbprint as defined in RFC 7638. */
export const thumbprintOf = ({ x, y }: PublicJwk): string =>
  base64url(sha256(JSON.stringify({ crv: "P-256", kty: "EC", x, y })));
