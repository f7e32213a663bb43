import { ed25519 } from "@noble/curves/ed25519.js";
import bs58 from "bs58";
import type { Derivations } from "./secret.ts";
import { addressOfSeed } from "./solana-key.ts";

/** One derivation uses OpenSSL and Solana's library, the other noble and bs58. */
export const solanaDerivations: Derivations = [
  addressOfSeed,
  (secret) => bs58.encode(ed25519.getPublicKey(secret)),
];
