import { createHash } from "node:crypto";
import { ed25519 } from "@noble/curves/ed25519.js";
import bs58 from "bs58";

// Known addresses, so that a wrong one in the product fails a test.
export const system = "11111111111111111111111111111111";
export const token2022 = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb";
export const cpmm = "CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C";
export const wsol = "So11111111111111111111111111111111111111112";

/**
 * An instruction read from a message. Each account has S for signers, W for writable ones, then its address or its
 * place in a lookup table.
 */
export type SolInstructionRead = { program: string; accounts: string[]; data: Buffer };

/** Reads a version 0 message independently of the service and of Solana's library. */
export function readSolBytes(message: Uint8Array) {
  const bytes = Buffer.from(message);
  let at = 0;
  const take = (length: number) => {
    if (at + length > bytes.length) throw new Error("The message ends early");
    at += length;
    return bytes.subarray(at - length, at);
  };
  const byte = () => take(1)[0] as number;
  const count = () => {
    const low = byte();
    return low < 128 ? low : (low & 127) + byte() * 128;
  };
  const list = <Item>(item: () => Item): Item[] => Array.from({ length: count() }, item);
  if (byte() !== 0x80) throw new Error("The message has another version");
  const [signers, readSigners, readOthers] = [byte(), byte(), byte()];
  const keys = list(() => bs58.encode(take(32)));
  const blockhash = bs58.encode(take(32));
  const raw = list(() => ({ program: byte(), accounts: list(byte), data: take(count()) }));
  const tables = list(() => ({ table: bs58.encode(take(32)), written: list(byte), read: list(byte) }));
  if (at !== bytes.length) throw new Error("The message has more bytes");
  const names = [
    ...keys.map((key, index) => {
      const isRead = index < signers ? index >= signers - readSigners : index >= keys.length - readOthers;
      return `${index < signers ? "S" : ""}${isRead ? "" : "W"} ${key}`.trim();
    }),
    ...tables.flatMap(({ table, written }) => written.map((index) => `W ${table}/${index}`)),
    ...tables.flatMap(({ table, read }) => read.map((index) => `${table}/${index}`)),
  ];
  const instructions = raw.map(
    ({ program, accounts, data }): SolInstructionRead => ({
      program: keys[program] ?? "",
      accounts: accounts.map((index) => names[index] ?? ""),
      data,
    }),
  );
  return { signers: keys.slice(0, signers), keys, blockhash, instructions };
}

const sha256 = (...parts: readonly (string | Uint8Array)[]) =>
  parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();

/** Derives an address from a base, a seed and an owner like the System program. */
export const seededAddress = (base: string, seed: string, owner: string): string =>
  bs58.encode(sha256(bs58.decode(base), seed, bs58.decode(owner)));

/** Derives a program's address: tries bumps from the highest and takes the first result that is not a public key. */
export function programAddress(program: string, ...seeds: readonly (string | Uint8Array)[]): string {
  for (let bump = 255; bump >= 0; bump--) {
    const hash = sha256(...seeds, Uint8Array.of(bump), bs58.decode(program), "ProgramDerivedAddress");
    try {
      ed25519.Point.fromBytes(hash);
    } catch {
      return bs58.encode(hash);
    }
  }
  throw new Error("All bumps give public keys");
}
