import bs58 from "bs58";
import { describe, expect, it } from "vitest";
import {
  foldedAddress,
  isMeantAsAddress,
  isSameAddress,
  readAddress,
} from "../../../lib/chains/families/address.ts";

const address = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const mint = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";

describe("readAddress", () => {
  const upper = address.slice(2).toUpperCase();

  it.each([address, address.toLowerCase(), `0x${upper}`, `0X${upper}`, address.replace("x", "X")])(
    "returns %s in EIP-55 form",
    (text) => {
      expect(readAddress("eth", text, "wallet")).toBe(address);
    },
  );

  it.each([
    [
      address.replace("F", "f"),
      "wallet has a wrong checksum. Compare it with its source, or write it in lower case",
    ],
    [`0x${"0".repeat(40)}`, "wallet must not be the zero address"],
    [`0X${"0".repeat(40)}`, "wallet must not be the zero address"],
    [address.slice(0, -1), "wallet must be an address: 0x and 40 hex digits"],
    ["", "wallet must be an address: 0x and 40 hex digits"],
  ])("rejects %j as an EVM address", (text, message) => {
    expect(() => readAddress("eth", text, "wallet")).toThrow(
      expect.objectContaining({ code: "INVALID_REQUEST", message, details: { field: "wallet" } }),
    );
  });

  it("accepts base58 of 32 bytes on sol, and returns it unchanged", () => {
    for (const text of [mint, "11111111111111111111111111111111"])
      expect(readAddress("sol", text, "token")).toBe(text);
  });

  it.each([
    ["31 bytes", bs58.encode(bs58.decode(mint).subarray(1))],
    ["33 bytes", bs58.encode(Uint8Array.of(1, ...bs58.decode(mint)))],
    ["a digit that base58 lacks", mint.replace("E", "0")],
    ["an address of the other family", address],
    ["a megabyte", "z".repeat(1e6)],
    ["nothing", ""],
  ])("rejects %s as an address on sol", (_, text) => {
    const message = "token must be an address: base58 of 32 bytes";
    expect(() => readAddress("sol", text, "token")).toThrow(
      expect.objectContaining({ code: "INVALID_REQUEST", message, details: { field: "token" } }),
    );
  });

  it("rejects base58 on EVM chains", () => {
    expect(() => readAddress("base", mint, "token")).toThrow(
      "token must be an address: 0x and 40 hex digits",
    );
  });
});

describe("foldedAddress and isSameAddress", () => {
  it("ignores case on EVM chains", () => {
    for (const text of [address, `0X${address.slice(2).toUpperCase()}`]) {
      expect(foldedAddress("base", text)).toBe(address.toLowerCase());
      expect(isSameAddress("eth", text, address.toLowerCase())).toBe(true);
    }
    expect(isSameAddress("eth", address, address.replace("f39", "f38"))).toBe(false);
  });

  it("distinguishes case on Solana", () => {
    expect(foldedAddress("sol", mint)).toBe(mint);
    expect(isSameAddress("sol", mint, mint)).toBe(true);
    expect(isSameAddress("sol", mint, mint.replace("E", "e"))).toBe(false);
  });
});

describe("isMeantAsAddress", () => {
  const chains = ["eth", "base", "sol"] as const;

  it.each([
    [`0x${"aB".repeat(20)}`, ["eth", "base"]],
    [mint, ["sol"]],
    [mint.slice(0, -2), []],
    [`0x${"ab".repeat(19)}`, []],
    ["moon", []],
  ])("recognizes %s as an address on %j only", (text, expected) => {
    expect(chains.filter((chain) => isMeantAsAddress(chain, text))).toEqual(expected);
  });
});
