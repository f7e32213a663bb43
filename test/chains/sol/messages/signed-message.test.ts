import { ed25519 } from "@noble/curves/ed25519.js";
import { getTransactionDecoder } from "@solana/web3.js";
import bs58 from "bs58";
import { describe, expect, it } from "vitest";
import {
  joinTransaction,
  readTransaction,
  signMessageAndWipe,
} from "../../../../lib/chains/sol/messages/signed-message.ts";
import type { MessageTerms } from "../../../../lib/chains/sol/venues/message-terms.ts";
import {
  buyTerms,
  byJupiter,
  clearTerms,
  messageOf,
  saleTerms,
  solKey,
  tipAccount,
} from "../../../support/sol-terms.ts";

const signedBy = (message: Uint8Array, ...names: string[]) =>
  joinTransaction(
    message,
    names.map((name) => signMessageAndWipe(message, solKey(name).seed)),
  );

const samples: readonly (readonly [string, () => Promise<MessageTerms>, string[]])[] = [
  ["a buy", async () => buyTerms, ["wallet"]],
  ["a clear", async () => clearTerms, ["wallet"]],
  ["a sale by Jupiter", () => byJupiter(saleTerms), ["helper", "wallet"]],
];

describe("signMessageAndWipe", () => {
  it("signs messages as strictly as the chain verifies them, and wipes the seed", async () => {
    const message = await messageOf(clearTerms);
    const { seed, address } = solKey("wallet");
    const signature = signMessageAndWipe(message, seed);
    expect(ed25519.verify(signature, message, bs58.decode(address), { zip215: false })).toBe(true);
    expect(signature).toEqual(ed25519.sign(message, solKey("wallet").seed));
    expect(seed.every((byte) => byte === 0)).toBe(true);
    const short = new Uint8Array(31).fill(1);
    expect(() => signMessageAndWipe(message, short)).toThrow();
    expect(short.every((byte) => byte === 0)).toBe(true);
  });
});

describe("joinTransaction", () => {
  it.each(samples)("joins %s that Solana's library decodes", async (_, sample, names) => {
    const message = await messageOf(await sample());
    const { id, bytes } = signedBy(message, ...names);
    const { messageBytes, signatures } = getTransactionDecoder().decode(bytes);
    expect(Buffer.from(messageBytes).equals(message)).toBe(true);
    expect(Object.keys(signatures).toSorted()).toEqual(names.map((each) => solKey(each).address).toSorted());
    expect(bs58.encode(Object.values(signatures)[0] as Uint8Array)).toBe(id);
  });

  it("requires the signatures of all signers, and of nobody else", async () => {
    const [alone, both] = [await messageOf(buyTerms), await messageOf(await byJupiter(buyTerms))];
    expect(() => signedBy(alone)).toThrow("is absent");
    expect(() => signedBy(alone, "thief")).toThrow("is absent");
    expect(() => signedBy(both, "wallet")).toThrow("is absent");
    expect(() => signedBy(alone, "wallet", "helper")).toThrow("number of signers");
  });
});

describe("readTransaction", () => {
  it.each(samples)("reads the terms of %s", async (_, sample, names) => {
    const terms = await sample();
    const { bytes } = signedBy(await messageOf(terms), ...names);
    expect(await readTransaction(bytes, [tipAccount])).toEqual(terms);
    expect(await readTransaction(bytes, [])).toEqual("tip" in terms ? undefined : terms);
  });

  it.each(samples)("rejects every change of one bit in %s", async (_, sample, names) => {
    const { bytes } = signedBy(await messageOf(await sample()), ...names);
    const kept: number[] = [];
    // Changes one bit in about every sixteenth byte, or every bit with FULL=1.
    const step = process.env.FULL ? 1 : 127;
    for (let bit = 0; bit < bytes.length * 8; bit += step) {
      const changed = Uint8Array.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
      if ((await readTransaction(changed, [tipAccount])) !== undefined) kept.push(bit);
    }
    expect(kept).toEqual([]);
  });

  it("rejects a signature that someone has derived from the wallet's", async () => {
    const message = await messageOf(buyTerms);
    const { bytes } = signedBy(message, "wallet");
    const sum = Buffer.from(bytes.subarray(33, 65)).reverse().toString("hex");
    const order = ed25519.Point.Fn.ORDER;
    const moved = (BigInt(`0x${sum}`) + order).toString(16).padStart(64, "0");
    const changed = Uint8Array.from(bytes);
    changed.set(Buffer.from(moved, "hex").reverse(), 33);
    expect(await readTransaction(changed, [tipAccount])).toBeUndefined();
  });

  it("rejects bytes that are not a transaction, or that have the wrong number of signatures", async () => {
    const message = await messageOf(clearTerms);
    const { bytes } = signedBy(message, "wallet");
    expect(await readTransaction(new Uint8Array(), [])).toBeUndefined();
    expect(await readTransaction(Uint8Array.of(0, ...message), [])).toBeUndefined();
    const twice = Uint8Array.of(2, ...bytes.subarray(1, 65), ...bytes.subarray(1));
    expect(await readTransaction(twice, [])).toBeUndefined();
  });
});
