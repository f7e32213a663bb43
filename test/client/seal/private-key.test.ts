import bs58 from "bs58";
import { describe, expect, it } from "vitest";
import { privateKeyBytes } from "../../../lib/client/seal/private-key.ts";
import { cpuMs } from "../../support/cpu-time.ts";

const secret = Uint8Array.from({ length: 64 }, (_, index) => 255 - index);
const seed = secret.slice(0, 32);
const hex = Buffer.from(seed).toString("hex");
const base58 = bs58.encode(secret);
const phrase = "legal winner thank year wave sausage worth useful legal winner thank yellow";
const keystore = JSON.stringify({ version: 3, crypto: { ciphertext: hex } });

describe("privateKeyBytes", () => {
  it.each([
    ["hex", hex],
    ["hex with 0x", `0x${hex}`],
    ["hex with 0X in upper case", `0X${hex.toUpperCase()}`],
    ["hex between spaces and lines", ` ${hex}\r\n`],
    ["hex in groups", hex.replace(/.{8}/g, "$& ")],
    ["a list of bytes", JSON.stringify([...seed])],
  ])("reads an EVM key from %s", (_, text) => {
    expect(privateKeyBytes("eth", text)).toEqual(seed);
  });

  it.each([
    ["base58", base58, secret],
    ["base58 of a seed", bs58.encode(seed), seed],
    ["base58 in two lines", `${base58.slice(0, 44)}\n${base58.slice(44)}\n`, secret],
    ["the list of id.json", JSON.stringify([...secret]), secret],
    ["a list with spaces and lines", JSON.stringify([...secret], null, 2), secret],
    ["a list of a seed", `[${[...seed].join(", ")}]`, seed],
  ])("reads a Solana key from %s", (_, text, bytes) => {
    expect(privateKeyBytes("sol", text)).toEqual(bytes);
  });

  it.each([
    ["a recovery phrase", phrase, /^A recovery phrase is not a private key/],
    [
      "a recovery phrase of 24 words in lines",
      `${phrase}\n${phrase}`.replaceAll(" ", "\n"),
      /^A recovery phrase/,
    ],
    ["a keystore", keystore, /^A keystore file is not a private key/],
    ["a list of 31 bytes", JSON.stringify([...seed.slice(1)]), /^The private key must/],
    ["a list of 65 bytes", JSON.stringify([...secret, 1]), /^The private key must/],
    ["a list with 256", JSON.stringify([256, ...seed.slice(1)]), /^The private key must/],
    ["a list of text", JSON.stringify([...seed].map(String)), /^The private key must/],
    ["nothing", "", /^The private key must/],
  ])("rejects %s for both families with a specific message", (_, text, message) => {
    for (const network of ["eth", "sol"])
      expect(() => privateKeyBytes(network, text)).toThrow(
        expect.objectContaining({ name: "TypeError", message: expect.stringMatching(message) }),
      );
  });

  it("rejects a list of 64 bytes on EVM networks", () => {
    expect(() => privateKeyBytes("base", JSON.stringify([...secret]))).toThrow("must have 64 hex digits");
  });

  it("never repeats the private key in its error", () => {
    for (const text of [phrase, keystore, `${hex}0`])
      expect(() => privateKeyBytes("eth", text)).toThrow(
        expect.not.objectContaining({ message: expect.stringMatching(/legal|fffe/) }),
      );
  });

  it("rejects 100,000 characters within milliseconds", () => {
    for (const text of ["z".repeat(100_000), "ab ".repeat(33_333), `[${"1,".repeat(50_000)}1]`])
      expect(cpuMs(() => expect(() => privateKeyBytes("sol", text)).toThrow(TypeError))).toBeLessThan(100);
  });
});
