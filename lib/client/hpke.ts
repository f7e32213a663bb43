/**
 * Opens HPKE messages (RFC 9180) with the browser's own cryptography: base mode, DHKEM(P-256, HKDF-SHA256), HKDF-SHA256,
 * AES-256-GCM, one message, no additional data.
 */

type Bytes = Uint8Array<ArrayBuffer>;

/** The type has no name that browsers and Node share. */
type Key = Parameters<typeof crypto.subtle.exportKey>[1];

export type KeyPair = { readonly privateKey: Key; readonly publicKey: Key };

const textOf = new TextEncoder();
const none: Bytes = new Uint8Array();
const kemSuite = joined(textOf.encode("KEM"), Uint8Array.of(0x00, 0x10));
const suite = joined(textOf.encode("HPKE"), Uint8Array.of(0x00, 0x10, 0x00, 0x01, 0x00, 0x02));
const hashBytes = 32;
const nonceBytes = 12;

export function joined(...parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let end = 0;
  for (const part of parts) {
    whole.set(part, end);
    end += part.length;
  }
  return whole;
}

async function hmac(key: Bytes, message: Bytes): Promise<Bytes> {
  // An empty key is the same as zeros, but not accepted everywhere.
  const raw = key.length > 0 ? key : new Uint8Array(hashBytes);
  const imported = await crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
  ]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, message));
}

const extract = (ofSuite: Bytes, salt: Bytes, label: string, secret: Bytes) =>
  hmac(salt, joined(textOf.encode("HPKE-v1"), ofSuite, textOf.encode(label), secret));

/** Expands to at most one hash. */
async function expand(
  ofSuite: Bytes,
  key: Bytes,
  label: string,
  info: Bytes,
  length: number,
): Promise<Bytes> {
  const labelled = joined(textOf.encode("HPKE-v1"), ofSuite, textOf.encode(label), info);
  const block = await hmac(key, joined(Uint8Array.of(0, length), labelled, Uint8Array.of(1)));
  return block.slice(0, length);
}

/**
 * Opens a message.
 *
 * @param enc the sender's point, 65 bytes.
 * @throws {DOMException} if it was sealed to another key or with another info, or is damaged.
 */
export async function openMessage(
  { privateKey, publicKey }: KeyPair,
  { enc, ciphertext, info }: { enc: Bytes; ciphertext: Bytes; info: Bytes },
): Promise<Bytes> {
  const curve = { name: "ECDH", namedCurve: "P-256" };
  const sender = await crypto.subtle.importKey("raw", enc, curve, false, []);
  const point = new Uint8Array(await crypto.subtle.exportKey("raw", publicKey));
  const agreed = new Uint8Array(
    await crypto.subtle.deriveBits({ name: "ECDH", public: sender }, privateKey, 8 * hashBytes),
  );
  const shared = await expand(
    kemSuite,
    await extract(kemSuite, none, "eae_prk", agreed),
    "shared_secret",
    joined(enc, point),
    hashBytes,
  );
  const context = joined(
    Uint8Array.of(0),
    await extract(suite, none, "psk_id_hash", none),
    await extract(suite, none, "info_hash", info),
  );
  const secret = await extract(suite, shared, "secret", none);
  const key = await expand(suite, secret, "key", context, hashBytes);
  const iv = await expand(suite, secret, "base_nonce", context, nonceBytes);
  const opener = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["decrypt"]);
  return new Uint8Array(await crypto.subtle.decrypt({ name: "AES-GCM", iv }, opener, ciphertext));
}
