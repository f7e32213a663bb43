import { ed25519 } from "@noble/curves/ed25519.js";
import bs58 from "bs58";
import type { Derivations } from "./secret.ts";
import { addressOfSeed } from "./solana-key.ts";

/** By WebCrypto and Solana's library, and by noble and bs58. */
export const solanaDerivations: Derivations = [
  addressOfSeed,
  (secret) => bs58.encode(ed25519.getPublicKey(secret)),
];
