import { createPrivateKey, createPublicKey, diffieHellman, type KeyObject } from "node:crypto";
import { currentMaterial, type MasterKey } from "./key-ring.ts";
import { KmsError } from "./kms-error.ts";

/** The only algorithm of keys for key agreement. */
export const KEY_AGREEMENT_ALGORITHM = "ECDH";

const SPKI_BYTES = 91;
const POINT_BYTES = 65;
const UNCOMPRESSED = 0x04;

const spki = { type: "spki", format: "der" } as const;

/** In the form of X.509: SubjectPublicKeyInfo in DER, 91 bytes. */
export const publicKeyOf = (key: MasterKey): Buffer => createPublicKey(privateKeyOf(key)).export(spki);

/**
 * The x coordinate of the shared point, 32 bytes.
 *
 * @param publicKey of the other party, in the form of X.509
 * @throws KmsError ValidationException if it is no point on the key's curve in its uncompressed form
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
  // Node also takes a compressed point, and bytes after the key.
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
