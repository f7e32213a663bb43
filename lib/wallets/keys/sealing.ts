import { createHash, createPublicKey } from "node:crypto";
import { DomainError } from "../../core/domain-error.ts";
import type { Network } from "../../core/network.ts";

/** How private keys are sealed: the parts of the HPKE suite by their names in RFC 9180. */
export const suiteNames = {
  kem: "DHKEM(P-256, HKDF-SHA256)",
  kdf: "HKDF-SHA256",
  aead: "AES-256-GCM",
} as const;

/** The bytes of a point on P-256 as HPKE sends it: uncompressed. */
export const pointBytes = 65;

const uncompressed = 0x04;
const coordinateBytes = 32;

/** What comes before the point in a public key of P-256, as SubjectPublicKeyInfo in DER. */
const spkiHead = Buffer.from("3059301306072a8648ce3d020106082a8648ce3d030107034200", "hex");

export const spkiOf = (point: Uint8Array): Uint8Array => Buffer.concat([spkiHead, point]);

/**
 * The point in SubjectPublicKeyInfo.
 *
 * @throws {Error} if it is no key of P-256.
 */
export function pointIn(spki: Uint8Array): Uint8Array {
  const point = spki.subarray(spkiHead.length);
  if (!isPoint(point) || Buffer.compare(spkiOf(point), spki) !== 0)
    throw new Error("This is no public key of P-256");
  return point;
}

/** Whether these bytes are a point of the curve, other than the one at infinity. Compressed ones are not accepted. */
export function isPoint(bytes: Uint8Array): boolean {
  // Node reads compressed points too.
  if (bytes.length !== pointBytes || bytes[0] !== uncompressed) return false;
  try {
    createPublicKey({ key: Buffer.from(spkiOf(bytes)), format: "der", type: "spki" });
    return true;
  } catch {
    return false;
  }
}

/** Bytes as clients send and get them. */
export const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");
const sha256 = (input: string | Uint8Array) => createHash("sha256").update(input).digest();

/** By which clients name an import key. It does not say where the key is kept. */
export const keyIdOf = (spki: Uint8Array): string => base64url(sha256(spki));

/** Joins with NUL, which no part has. JSON would be written differently by other languages. */
const joined = (...parts: string[]): Uint8Array => Buffer.from(parts.join("\0"));

/** The info of a sealed import: it opens for this user, network and key alone. */
export const importInfo = (of: { network: Network; keyId: string; userID: string }): Uint8Array =>
  joined("trading-terminal/wallet-import/1", of.network, of.keyId, base64url(sha256(of.userID)));

/** The info of a sealed export. */
export const exportInfo = (of: { network: Network; walletId: string; userID: string }): Uint8Array =>
  joined("trading-terminal/wallet-export/1", of.network, of.walletId, base64url(sha256(of.userID)));

/** A public key of P-256 as a JWK. Its coordinates are base64url. */
export type PublicJwk = { kty: "EC"; crv: "P-256"; x: string; y: string };

/**
 * The point of a JWK.
 *
 * @throws {DomainError} INVALID_REQUEST if it is not on the curve.
 */
export function pointOfJwk({ x, y }: PublicJwk): Uint8Array {
  const coordinates = [x, y].map((text) => Buffer.from(text, "base64url"));
  const point = Buffer.concat([Buffer.of(uncompressed), ...coordinates]);
  if (coordinates.every(({ length }) => length === coordinateBytes) && isPoint(point)) return point;
  throw new DomainError("INVALID_REQUEST", "publicKey must be a point of P-256", { field: "publicKey" });
}

/** RFC 7638. */
export const thumbprintOf = ({ x, y }: PublicJwk): string =>
  base64url(sha256(JSON.stringify({ crv: "P-256", kty: "EC", x, y })));
