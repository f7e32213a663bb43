import { ed25519 } from "@noble/curves/ed25519.js";
import { createKeyPairFromPrivateKeyBytes, getAddressFromPublicKey } from "@solana/web3.js";
import bs58 from "bs58";
import type { Derivations } from "./secret.ts";

/** By WebCrypto and Solana's library, and by noble and bs58. */
export const solanaDerivations: Derivations = [
  async (secret) => {
    const pair = await createKeyPairFromPrivateKeyBytes(secret, true);
    return getAddressFromPublicKey(pair.publicKey);
  },
  (secret) => bs58.encode(ed25519.getPublicKey(secret)),
];
