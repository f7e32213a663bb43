import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import type { Address } from "@solana/web3.js";
import bs58 from "bs58";

/**
 * Makes a key for one message. The key owns nothing, and may move only the amount that the message allows. Uses Node's
 * own Ed25519, so that functions that only quote need no other implementation.
 */
export function newHelper(): { address: Address; key: KeyObject } {
  const { publicKey, privateKey: key } = generateKeyPairSync("ed25519");
  const { x = "" } = publicKey.export({ format: "jwk" });
  return { address: bs58.encode(Buffer.from(x, "base64url")) as Address, key };
}

/** Maximum number of helper keys that are kept for unsigned messages. */
const mostKept = 100;

/** Keeps helper keys in memory only. Each key is kept until it has signed. */
export class HelperKeys {
  readonly #keys = new Map<string, KeyObject>();

  /** Makes a key, and returns its address. */
  make(): Address {
    const { address, key } = newHelper();
    this.#keys.set(address, key);
    const [oldest] = this.#keys.keys();
    if (this.#keys.size > mostKept && oldest !== undefined) this.#keys.delete(oldest);
    return address;
  }

  has(helper: string): boolean {
    return this.#keys.has(helper);
  }

  /** Signs once, then forgets the key. Returns the signature in base58, or undefined if the key no longer exists. */
  sign(helper: string, message: Uint8Array): string | undefined {
    const key = this.#keys.get(helper);
    if (key === undefined) return undefined;
    this.#keys.delete(helper);
    return bs58.encode(sign(null, message, key));
  }
}
