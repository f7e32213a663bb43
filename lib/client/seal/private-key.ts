import type { Bytes } from "./bytes.ts";

const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/**
 * Maximum number of base58 digits for 64 bytes. Longer text is rejected before decoding, because decoding takes
 * quadratic time.
 */
const mostDigits = 88;

const recoveryPhrase = /^(?:[a-z]{3,12}\s+){11,24}[a-z]{3,12}$/i;

/**
 * Parses a private key. EVM networks use 64 hex digits. Solana uses the base58 form of 64 bytes or of the seed's 32
 * bytes, or a JSON list of these bytes, as in the file `id.json`. Spaces are ignored.
 * @throws {TypeError} for any other text, without quoting it
 */
export function privateKeyBytes(network: string, text: string): Bytes {
  const trimmed = text.trim();
  if (recoveryPhrase.test(trimmed))
    throw new TypeError(
      "A recovery phrase is not a private key: export the key of one wallet, and import that",
    );
  if (trimmed.startsWith("{"))
    throw new TypeError("A keystore file is not a private key: import the private key that it protects");
  const compact = trimmed.replace(/\s+/g, "");
  const bytes = listedBytes(compact) ?? (network === "sol" ? base58Bytes(compact) : hexBytes(compact));
  if (bytes?.length === 32 || (bytes?.length === 64 && network === "sol")) return bytes;
  throw new TypeError(
    network === "sol"
      ? "The private key must be base58 of 64 bytes, or of the 32 of a seed, or a list of these bytes"
      : "The private key must have 64 hex digits",
  );
}

/** Reads a list of at most 64 bytes with at most three digits each. */
function listedBytes(text: string): Bytes | undefined {
  if (!/^\[(?:\d{1,3},){31,63}\d{1,3}\]$/.test(text)) return undefined;
  const numbers = text.slice(1, -1).split(",").map(Number);
  return numbers.every((number) => number < 256) ? Uint8Array.from(numbers) : undefined;
}

function hexBytes(text: string): Bytes | undefined {
  const [, digits] = /^(?:0x)?([\da-f]{64})$/i.exec(text) ?? [];
  return digits === undefined
    ? undefined
    : Uint8Array.from(digits.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

function base58Bytes(text: string): Bytes | undefined {
  if (text.length > mostDigits) return undefined;
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
