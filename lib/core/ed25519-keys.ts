import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";

/** The PKCS#8 bytes (RFC 8410) that precede the seed of an Ed25519 key, and the SPKI bytes before its public half. */
const pkcs8Header = Buffer.from("302e020100300506032b657004220420", "hex");
const spkiHeader = Buffer.from("302a300506032b6570032100", "hex");

/**
 * Opens a key in OpenSSL, which wipes its own copy of the seed. Solana's library would leave a copy in memory, and also
 * write the seed as text.
 */
export function privateKeyOfSeed(seed: Uint8Array): KeyObject {
  const der = new Uint8Array(pkcs8Header.length + seed.length);
  try {
    der.set(pkcs8Header);
    der.set(seed, pkcs8Header.length);
    return createPrivateKey({ key: Buffer.from(der.buffer), format: "der", type: "pkcs8" });
  } finally {
    der.fill(0);
  }
}

/** @param bytes The 32 bytes of an address. */
export const publicKeyOf = (bytes: Uint8Array): KeyObject =>
  createPublicKey({ key: Buffer.concat([spkiHeader, bytes]), format: "der", type: "spki" });

/**
 * Encodings, in hex without the sign bit, of the points that have a small order. Anybody can sign for such a public key,
 * for example for one of zeros.
 */
const weakPoints: ReadonlySet<string> = new Set([
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
]);

/** True if a text is 32 bytes in base64url that can be the public key of a signer. */
export function isSigningKey(text: string): boolean {
  const bytes = Buffer.from(text, "base64url");
  if (bytes.length !== 32 || bytes.toString("base64url") !== text) return false;
  bytes[31] = (bytes[31] as number) & 0x7f;
  return !weakPoints.has(bytes.toString("hex"));
}
