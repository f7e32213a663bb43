import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const VERSION = 1;
const IV_LENGTH = 12;
const TAG_LENGTH = 16;

/** Binds a container to its wallet: decrypting it for any other wallet fails. */
export type Binding = Readonly<Record<"userID" | "walletId" | "network" | "address", string>>;

/**
 * An encrypted private key as stored: version (1 byte, 1) | length of the wrapped data key (2, big endian) | wrapped
 * data key | IV (12) | ciphertext | tag (16). The cipher is AES-256-GCM under the data key, with the version and the
 * binding as additional data. The additional data does not include the wrapped data key: KMS authenticates it already,
 * and so it can be rewrapped without decrypting the private key.
 */
export type Container = { wrappedKey: Uint8Array; body: Uint8Array };

/** @param dataKey 32 bytes. The caller wipes them. */
export function encrypt(secret: Uint8Array, dataKey: Uint8Array, binding: Binding): Uint8Array {
  const iv = randomBytes(IV_LENGTH);
  const cipher = createCipheriv("aes-256-gcm", dataKey, iv).setAAD(additionalData(binding));
  return Buffer.concat([iv, cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
}

/**
 * Decrypts into one buffer, so the caller can wipe the only copy of the secret.
 *
 * @throws {Error} if a bit of the body or of the binding has changed since encryption.
 */
export function decrypt(body: Uint8Array, dataKey: Uint8Array, binding: Binding): Uint8Array {
  const iv = body.subarray(0, IV_LENGTH);
  const tag = body.subarray(-TAG_LENGTH);
  const options = { authTagLength: TAG_LENGTH };
  const decipher = createDecipheriv("aes-256-gcm", dataKey, iv, options)
    .setAAD(additionalData(binding))
    .setAuthTag(tag);
  const secret = decipher.update(body.subarray(IV_LENGTH, -TAG_LENGTH));
  try {
    // Checks the tag. In GCM, `final` returns no further bytes.
    decipher.final();
    return secret;
  } catch (error) {
    secret.fill(0);
    throw error;
  }
}

export function pack({ wrappedKey, body }: Container): Uint8Array {
  const header = Buffer.alloc(3);
  header.writeUInt8(VERSION, 0);
  header.writeUInt16BE(wrappedKey.length, 1);
  return Buffer.concat([header, wrappedKey, body]);
}

/** @throws {Error} if the version is unknown or the container is truncated. */
export function unpack(container: Uint8Array): Container {
  const bytes = Buffer.from(container.buffer, container.byteOffset, container.length);
  if (bytes.length < 3 || bytes.readUInt8(0) !== VERSION) throw new Error("Unknown container version");
  const end = 3 + bytes.readUInt16BE(1);
  if (bytes.length < end + IV_LENGTH + TAG_LENGTH) throw new Error("The container is truncated");
  return { wrappedKey: bytes.subarray(3, end), body: bytes.subarray(end) };
}

function additionalData({ userID, walletId, network, address }: Binding): Buffer {
  return Buffer.from(JSON.stringify([VERSION, userID, walletId, network, address]));
}
