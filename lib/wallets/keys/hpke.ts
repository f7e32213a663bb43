import type { webcrypto } from "node:crypto";
import {
  Aes256Gcm,
  CipherSuite,
  DhkemP256HkdfSha256,
  HkdfSha256,
  type KemInterface,
  OpenError,
} from "@hpke/core";
import { ServiceError } from "../../core/service-error.ts";
import { pointBytes } from "./sealing.ts";

/** A sealed message with the public inputs that are needed to open it. */
export type SealedMessage = {
  /** The sender's ephemeral public key: a point on the curve, 65 bytes. */
  enc: Uint8Array;
  ciphertext: Uint8Array;
  info: Uint8Array;
  aad: Uint8Array;
};

/** A private key that never leaves its holder, such as KMS. */
export type RemoteKey = {
  /** Public half of the key: 65 bytes. */
  point: Uint8Array;
  /** Returns the x coordinate of the key's product with another point: 32 bytes. The caller wipes them after use. */
  agree: (point: Uint8Array) => Promise<Uint8Array>;
};

/** Reports that a message is damaged, or was sealed to a different key or with different info or additional data. */
export class NotForThisKey extends ServiceError {
  override readonly code = "NOT_FOR_THIS_KEY";
}

const kemId = 0x0010;
const secretBytes = 32;
const coordinateBytes = 32;
const text = new TextEncoder();
const kemSuite = Uint8Array.of(...text.encode("KEM"), kemId >> 8, kemId & 0xff);

/**
 * Opens the first message of a base-mode context.
 *
 * @returns the plaintext. The caller wipes it.
 * @throws {NotForThisKey}
 */
export async function openMessage(
  key: RemoteKey,
  { enc, ciphertext, info, aad }: SealedMessage,
): Promise<Uint8Array> {
  const shared: ArrayBuffer[] = [];
  const kem = remoteKem(key, (secret) => shared.push(secret));
  const suite = new CipherSuite({ kem, kdf: new HkdfSha256(), aead: new Aes256Gcm() });
  try {
    // Passes the suite an empty key. The suite only hands it to the KEM, which has its own key.
    const recipient = await suite.createRecipientContext({
      recipientKey: {} as webcrypto.CryptoKey,
      enc,
      info,
    });
    return new Uint8Array(await recipient.open(ciphertext, aad));
  } catch (error) {
    if (error instanceof OpenError) throw new NotForThisKey();
    throw error;
  } finally {
    for (const secret of shared) new Uint8Array(secret).fill(0);
  }
}

/** Seals a message to a point on the curve with a new ephemeral key. */
export async function sealMessage(
  point: Uint8Array,
  plaintext: Uint8Array,
  info: Uint8Array,
): Promise<Pick<SealedMessage, "enc" | "ciphertext">> {
  const kem = new DhkemP256HkdfSha256();
  const suite = new CipherSuite({ kem, kdf: new HkdfSha256(), aead: new Aes256Gcm() });
  const recipientPublicKey = await kem.deserializePublicKey(point);
  const { ct, enc } = await suite.seal({ recipientPublicKey, info }, plaintext);
  return { enc: new Uint8Array(enc), ciphertext: new Uint8Array(ct) };
}

/**
 * Builds DHKEM(P-256, HKDF-SHA256) by RFC 9180, 4.1, for a recipient. The multiplication is done by the holder of the
 * key.
 */
function remoteKem({ point, agree }: RemoteKey, noteSecret: (secret: ArrayBuffer) => void): KemInterface {
  const kdf = new HkdfSha256();
  kdf.init(kemSuite);
  const never = () => Promise.reject(new Error("This KEM can only open messages"));
  return {
    id: kemId,
    secretSize: secretBytes,
    encSize: pointBytes,
    publicKeySize: pointBytes,
    privateKeySize: secretBytes,
    async decap({ enc }) {
      const sender = new Uint8Array(enc as ArrayBuffer);
      const dh = await agree(sender);
      if (dh.length !== coordinateBytes) throw new Error("The shared secret is not a coordinate of P-256");
      const ikm = kdf.buildLabeledIkm(text.encode("eae_prk"), dh);
      try {
        const context = Buffer.concat([sender, point]);
        const info = kdf.buildLabeledInfo(text.encode("shared_secret"), context, secretBytes);
        const secret = await kdf.extractAndExpand(new Uint8Array(), ikm, info, secretBytes);
        noteSecret(secret);
        return secret;
      } finally {
        dh.fill(0);
        ikm.fill(0);
      }
    },
    serializePublicKey: never,
    deserializePublicKey: never,
    serializePrivateKey: never,
    deserializePrivateKey: never,
    importKey: never,
    generateKeyPair: never,
    deriveKeyPair: never,
    encap: never,
  };
}
