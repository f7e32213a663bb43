import type { Bytes } from "./bytes.ts";

const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/**
 * Parses a private key: 64 hex digits for EVM networks, base58 of 64 bytes, or of the 32 of a seed, for Solana.
 *
 * @throws {TypeError} for any other text, which the message does not repeat
 */
export function privateKeyBytes(network: string, text: string): Bytes {
  const bytes = network === "sol" ? base58Bytes(text.trim()) : hexBytes(text.trim());
  if (bytes?.length === 32 || bytes?.length === 64) return bytes;
  throw new TypeError(
    network === "sol"
      ? "The private key must be base58 of 64 bytes, or of the 32 of a seed"
      : "The private key must have 64 hex digits",
  );
}

function hexBytes(text: string): Bytes | undefined {
  const [, digits] = /^(?:0x)?([\da-f]{64})$/i.exec(text) ?? [];
  return digits === undefined
    ? undefined
    : Uint8Array.from(digits.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

function base58Bytes(text: string): Bytes | undefined {
  let value = 0n;
  for (const digit of text) {
    const index = alphabet.indexOf(digit);
    if (index < 0) return undefined;
    value = value * 58n + BigInt(index);
  }
  const bytes: number[] = [];
  for (; value > 0n; value >>= 8n) bytes.unshift(Number(value & 0xffn));
  const [zeros = ""] = /^1*/.exec(text) ?? [];
  return Uint8Array.from([...Array<number>(zeros.length).fill(0), ...bytes]);
}
