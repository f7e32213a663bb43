import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { KmsError } from "./kms-error.ts";

/** Names the secret that sealed a ciphertext. The header stores the ARN's length in one byte, which is enough. */
export type Origin = { keyArn: string; materialId: string };

/** Pairs that decryption must repeat exactly, in any order. */
export type EncryptionContext = Readonly<Record<string, string>>;

const FORMAT = 1;
const MATERIAL_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const ALGORITHM = "aes-256-gcm";

/**
 * Encrypts. Layout: format (1 byte), length of the ARN (1), ARN, material id (32), IV (12), tag (16), encrypted bytes.
 */
export function seal(
  origin: Origin,
  secret: string,
  context: EncryptionContext,
  plaintext: Uint8Array,
): Buffer {
  const header = encodeHeader(origin);
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, Buffer.from(secret, "base64"), iv);
  cipher.setAAD(additionalData(header, context));
  const encrypted = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([header, iv, cipher.getAuthTag(), encrypted]);
}

/**
 * Reads the key that sealed a ciphertext.
 *
 * @throws {KmsError} InvalidCiphertextException if the format is wrong
 */
export function readOrigin(ciphertext: Buffer): Origin {
  const arnLength = ciphertext[1];
  if (ciphertext[0] !== FORMAT || arnLength === undefined) throw new KmsError("InvalidCiphertextException");
  const arnEnd = 2 + arnLength;
  const materialEnd = arnEnd + MATERIAL_BYTES;
  if (ciphertext.length < materialEnd + IV_BYTES + TAG_BYTES) {
    throw new KmsError("InvalidCiphertextException");
  }
  return {
    keyArn: ciphertext.toString("utf8", 2, arnEnd),
    materialId: ciphertext.toString("hex", arnEnd, materialEnd),
  };
}

/**
 * Decrypts.
 *
 * @throws {KmsError} InvalidCiphertextException if a byte or the context has changed
 */
export function open(secret: string, context: EncryptionContext, ciphertext: Buffer): Buffer {
  const header = encodeHeader(readOrigin(ciphertext));
  const ivEnd = header.length + IV_BYTES;
  const tagEnd = ivEnd + TAG_BYTES;
  const decipher = createDecipheriv(
    ALGORITHM,
    Buffer.from(secret, "base64"),
    ciphertext.subarray(header.length, ivEnd),
  );
  decipher.setAAD(additionalData(header, context));
  decipher.setAuthTag(ciphertext.subarray(ivEnd, tagEnd));
  try {
    return Buffer.concat([decipher.update(ciphertext.subarray(tagEnd)), decipher.final()]);
  } catch {
    throw new KmsError("InvalidCiphertextException");
  }
}

function encodeHeader({ keyArn, materialId }: Origin): Buffer {
  const arn = Buffer.from(keyArn);
  return Buffer.concat([Buffer.from([FORMAT, arn.length]), arn, Buffer.from(materialId, "hex")]);
}

/** Authenticates the header and the context. Sorted pairs make the JSON independent of their order. */
function additionalData(header: Buffer, context: EncryptionContext): Buffer {
  const pairs = Object.keys(context)
    .sort()
    .map((name) => [name, context[name]]);
  return Buffer.concat([header, Buffer.from(JSON.stringify(pairs))]);
}
