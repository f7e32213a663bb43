/**
 * Seals and opens HPKE messages (RFC 9180) with the platform's own cryptography: base mode, DHKEM(P-256, HKDF-SHA256),
 * HKDF-SHA256, AES-256-GCM, one message.
 */

import { type Bytes, joined, utf8 } from "./bytes.ts";

/** Browsers and Node have no common name for the type of a key. */
type Key = Parameters<typeof crypto.subtle.exportKey>[1];

export type KeyPair = { readonly privateKey: Key; readonly publicKey: Key };

/** A sealed message. `enc` is the sender's point of 65 bytes. */
export type Sealed = { enc: Bytes; ciphertext: Bytes };

/** Context that sender and receiver agree on besides the message. */
type Bound = { info: Bytes; aad?: Bytes };

const curve = { name: "ECDH", namedCurve: "P-256" };
const none: Bytes = new Uint8Array();
const kemSuite = joined(utf8("KEM"), Uint8Array.of(0x00, 0x10));
const suite = joined(utf8("HPKE"), Uint8Array.of(0x00, 0x10, 0x00, 0x01, 0x00, 0x02));
const hashBytes = 32;
const nonceBytes = 12;

async function hmac(key: Bytes, message: Bytes): Promise<Bytes> {
  // Replaces an empty key with zeros, which are equivalent, because some platforms reject an empty key.
  const raw = key.length > 0 ? key : new Uint8Array(hashBytes);
  const use = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", raw, use, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, message));
}

const extract = (ofSuite: Bytes, salt: Bytes, label: string, secret: Bytes) =>
  hmac(salt, joined(utf8("HPKE-v1"), ofSuite, utf8(label), secret));

/** Expands a key to at most the length of one hash. */
async function expand(
  ofSuite: Bytes,
  key: Bytes,
  label: string,
  info: Bytes,
  length: number,
): Promise<Bytes> {
  const labelled = joined(utf8("HPKE-v1"), ofSuite, utf8(label), info);
  const block = await hmac(key, joined(Uint8Array.of(0, length), labelled, Uint8Array.of(1)));
  return block.slice(0, length);
}

const pointOf = async (key: Key) => new Uint8Array(await crypto.subtle.exportKey("raw", key));

/** Derives the key and nonce of a message from one party's private key and the other's public key. */
async function cipherFor(
  { privateKey, publicKey }: { privateKey: Key; publicKey: Key },
  /** Points of the sender and the receiver. */
  points: readonly [Bytes, Bytes],
  { info, aad = none }: Bound,
  use: "encrypt" | "decrypt",
) {
  const agreed = await crypto.subtle.deriveBits(
    { name: "ECDH", public: publicKey },
    privateKey,
    8 * hashBytes,
  );
  const mixed = await extract(kemSuite, none, "eae_prk", new Uint8Array(agreed));
  const shared = await expand(kemSuite, mixed, "shared_secret", joined(...points), hashBytes);
  const context = joined(
    Uint8Array.of(0),
    await extract(suite, none, "psk_id_hash", none),
    await extract(suite, none, "info_hash", info),
  );
  const secret = await extract(suite, shared, "secret", none);
  const raw = await expand(suite, secret, "key", context, hashBytes);
  const iv = await expand(suite, secret, "base_nonce", context, nonceBytes);
  const key = await crypto.subtle.importKey("raw", raw, "AES-GCM", false, [use]);
  return [{ name: "AES-GCM", iv, additionalData: aad }, key] as const;
}

/** Imports a public key from its uncompressed point. */
export const publicKeyAt = (point: Bytes): Promise<Key> =>
  crypto.subtle.importKey("raw", point, curve, true, []);

/**
 * Makes a key pair.
 *
 * @returns a pair whose private half cannot be read
 */
export const newKeyPair = (): Promise<KeyPair> => crypto.subtle.generateKey(curve, false, ["deriveBits"]);

/** Seals a message to a public key. */
export async function sealMessage(to: Key, plaintext: Bytes, bound: Bound): Promise<Sealed> {
  const { privateKey, publicKey } = await newKeyPair();
  const enc = await pointOf(publicKey);
  const points = [enc, await pointOf(to)] as const;
  const [how, key] = await cipherFor({ privateKey, publicKey: to }, points, bound, "encrypt");
  return { enc, ciphertext: new Uint8Array(await crypto.subtle.encrypt(how, key, plaintext)) };
}

/**
 * Opens a message.
 *
 * @throws {DOMException} if the message is damaged, or was sealed to another key or with another info.
 */
export async function openMessage(
  { privateKey, publicKey }: KeyPair,
  { enc, ciphertext }: Sealed,
  bound: Bound,
): Promise<Bytes> {
  const points = [enc, await pointOf(publicKey)] as const;
  const sender = { privateKey, publicKey: await publicKeyAt(enc) };
  const [how, key] = await cipherFor(sender, points, bound, "decrypt");
  return new Uint8Array(await crypto.subtle.decrypt(how, key, ciphertext));
}
