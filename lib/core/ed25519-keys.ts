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
