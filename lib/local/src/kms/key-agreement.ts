import { createPrivateKey, createPublicKey, diffieHellman, type KeyObject } from "node:crypto";
import { currentMaterial, type MasterKey } from "./key-ring.ts";
import { KmsError } from "./kms-error.ts";

/** The only algorithm for key agreement. */
export const KEY_AGREEMENT_ALGORITHM = "ECDH";

const SPKI_BYTES = 91;
const POINT_BYTES = 65;
const UNCOMPRESSED = 0x04;

const spki = { type: "spki", format: "der" } as const;

/** Exports the public key as X.509 SubjectPublicKeyInfo in DER, 91 bytes. */
export const publicKeyOf = (key: MasterKey): Buffer => createPublicKey(privateKeyOf(key)).export(spki);

/**
 * Computes the x coordinate of the shared point, 32 bytes.
 *
 * @param publicKey the other party's key as X.509 SubjectPublicKeyInfo
 * @throws {KmsError} ValidationException if it is not an uncompressed point on the key's curve
 */
export function deriveSharedSecret(key: MasterKey, publicKey: Buffer): Buffer {
  return diffieHellman({ privateKey: privateKeyOf(key), publicKey: readPublicKey(publicKey) });
}

function privateKeyOf(key: MasterKey): KeyObject {
  return createPrivateKey({
    key: Buffer.from(currentMaterial(key).secret, "base64"),
    format: "der",
    type: "pkcs8",
  });
}

function readPublicKey(der: Buffer): KeyObject {
  // Rejects compressed points and bytes after the key, like KMS. Node accepts both.
  const isUncompressed = der.length === SPKI_BYTES && der[SPKI_BYTES - POINT_BYTES] === UNCOMPRESSED;
  const key = isUncompressed ? parse(der) : undefined;
  if (key?.asymmetricKeyDetails?.namedCurve !== "prime256v1") {
    throw new KmsError("ValidationException", "The public key is not valid for the key spec ECC_NIST_P256.");
  }
  return key;
}

function parse(der: Buffer): KeyObject | undefined {
  try {
    return createPublicKey({ key: der, ...spki });
  } catch {
    return undefined;
  }
}
