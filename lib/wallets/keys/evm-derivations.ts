import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { evmAddressOf } from "./evm-key.ts";
import type { Derivations } from "./secret.ts";

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

/** Writes a letter as a capital where the hash of the address has a digit of 8 or more (EIP-55). */
function checksummed(address: string): string {
  const hash = hexOf(keccak_256(Buffer.from(address)));
  return address.replace(/[a-f]/g, (letter, index: number) =>
    Number.parseInt(hash.charAt(index), 16) >= 8 ? letter.toUpperCase() : letter,
  );
}

/** One derivation uses OpenSSL and ethers, the other noble. */
export const evmDerivations: Derivations = [
  evmAddressOf,
  (secret) => {
    const coordinates = secp256k1.getPublicKey(secret, false).subarray(1);
    return `0x${checksummed(hexOf(keccak_256(coordinates).subarray(-20)))}`;
  },
];
