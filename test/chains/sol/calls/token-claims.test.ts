import type { Address } from "@solana/web3.js";
import bs58 from "bs58";
import { describe, expect, it } from "vitest";
import { programs } from "../../../../lib/chains/sol/calls/addresses.ts";
import type { Mint } from "../../../../lib/chains/sol/calls/mint.ts";
import {
  claimsOfMint,
  metadataOf,
  metadataProgram,
  readMetadata,
} from "../../../../lib/chains/sol/calls/token-claims.ts";
import { usdc } from "../../../support/mainnet.ts";

const [mint, authority] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
const address = bs58.encode(mint);
const usdcMint = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v" as Address;

const text = (value: Uint8Array | string) => {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
};

const metadata = ({ kind = 4, name = "Moon\0\0\0\0" as string | Uint8Array, symbol = "MOON\0\0" } = {}) => ({
  owner: metadataProgram as string,
  lamports: 1n,
  data: Buffer.concat([Buffer.of(kind), authority, mint, text(name), text(symbol), text("https://x")]),
});

describe("metadataOf", () => {
  it("derives the address of USDC's Metaplex metadata on mainnet", async () => {
    expect(await metadataOf(usdcMint)).toBe("5x38Kp4hvdomTCnCrAny4UtMUt5rQBdB6px2K1Ui45Wq");
  });
});

describe("readMetadata", () => {
  it("reads the name of USDC from mainnet", () => {
    const account = {
      owner: "metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s",
      lamports: 1n,
      data: usdc.metadata,
    };
    expect(readMetadata(account, usdcMint)).toEqual({ name: "USD Coin", symbol: "USDC" });
  });

  it("reads a name and a symbol without their padding", () => {
    expect(readMetadata(metadata(), address)).toEqual({ name: "Moon", symbol: "MOON" });
  });

  it("leaves out a name that is not UTF-8", () => {
    expect(readMetadata(metadata({ name: Uint8Array.of(255) }), address)).toEqual({ symbol: "MOON" });
  });

  it.each([
    ["no account", undefined],
    ["an account of another program", { ...metadata(), owner: programs.token }],
    ["an account of another kind", metadata({ kind: 6 })],
    ["an account that is too short", { ...metadata(), data: metadata().data.subarray(0, 70) }],
    [
      "the account of another mint",
      { ...metadata(), data: Buffer.concat([Buffer.of(4), mint, authority, text(""), text("")]) },
    ],
  ])("rejects %s as metadata", (_, account) => {
    expect(readMetadata(account, address)).toBeUndefined();
  });
});

describe("claimsOfMint", () => {
  const plain: Mint = {
    program: programs.token,
    decimals: 6,
    supply: 5n,
    transferFees: [],
    accountBytes: 165,
    isDefaultFrozen: false,
    isNonTransferable: false,
    isPausable: false,
    isPaused: false,
    isScaled: false,
  };

  it("prefers the names in the mint to those of Metaplex", () => {
    const said = { name: "Moon", symbol: "MOON" };
    expect(claimsOfMint(plain, said)).toMatchObject({ decimals: 6n, totalSupply: 5n, ...said });
    expect(claimsOfMint({ ...plain, name: "Own", symbol: "OWN" }, said)).toMatchObject({
      name: "Own",
      symbol: "OWN",
    });
    expect(claimsOfMint(plain, undefined)).toMatchObject({ name: undefined, symbol: undefined });
  });
});
