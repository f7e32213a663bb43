import { randomBytes } from "node:crypto";
import { ed25519 } from "@noble/curves/ed25519.js";
import type { Address } from "@solana/web3.js";
import bs58 from "bs58";
import { signMessageAndWipe } from "./signed-message.ts";

/** A new key for one message. It owns nothing, and may move only what the message lets it. */
export function newHelper(): { address: Address; seed: Uint8Array } {
  const seed = Uint8Array.from(randomBytes(32));
  return { address: bs58.encode(ed25519.getPublicKey(seed)) as Address, seed };
}

/** As many keys of messages that nobody has signed are kept. */
const mostKept = 100;

/** Keeps helper keys in memory alone, each until it has signed. */
export class HelperKeys {
  readonly #seeds = new Map<string, Uint8Array>();

  /** Makes a key, and returns its address. */
  make(): Address {
    const { address, seed } = newHelper();
    this.#seeds.set(address, seed);
    const [oldest] = this.#seeds.keys();
    if (this.#seeds.size > mostKept && oldest !== undefined) this.#forget(oldest);
    return address;
  }

  has(helper: string): boolean {
    return this.#seeds.has(helper);
  }

  /** Signs once, and forgets the key. Returns the signature in base58, or undefined if the key is not there. */
  sign(helper: string, message: Uint8Array): string | undefined {
    const seed = this.#seeds.get(helper);
    if (seed === undefined) return undefined;
    this.#seeds.delete(helper);
    return bs58.encode(signMessageAndWipe(message, seed));
  }

  #forget(helper: string): void {
    this.#seeds.get(helper)?.fill(0);
    this.#seeds.delete(helper);
  }
}
