import type { Address } from "@solana/web3.js";
import { describe, expect, it } from "vitest";
import {
  markerOf,
  programs,
  tokenAccountOf,
  wsolAccountOf,
  wsolMint,
} from "../../../../lib/chains/sol/calls/addresses.ts";

/** Address of 32 bytes that are all 1. */
const wallet = "4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi" as Address;
const usdc = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v" as Address;
const orderId = "01KAMZ3Q5T9WJ2M4N6P8R0S1V3";

describe("programs", () => {
  it("uses the published addresses of all programs", () => {
    expect(programs).toEqual({
      system: "11111111111111111111111111111111",
      computeBudget: "ComputeBudget111111111111111111111111111111",
      token: "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
      token2022: "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb",
      associatedToken: "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL",
    });
  });
});

describe("tokenAccountOf", () => {
  it.each<[string, owner: string, mint: string, program: Address, account: string]>([
    [
      "the published account of a mainnet wallet",
      "5tzFkiKscXHK5ZXCGbXZxdw7gTjjD1mBwuoFbhUvuAi9",
      usdc,
      programs.token,
      "FzbcyEZ9m8xjtergWgWDq7mfPoHEbboBF791B6cTpzbq",
    ],
    [
      "the account that Jupiter names for wrapped SOL",
      "11111111111111111111111111111111",
      wsolMint,
      programs.token,
      "aqxoAhCwpy3oB1BpNw9hL1HdLYLgPpbPjzxDrrQj3Fs",
    ],
    [
      "the account that @solana/spl-token names for Token-2022",
      wallet,
      usdc,
      programs.token2022,
      "6mjL8U6ekDjfwKRWGfpkDov39u9UgqKwpPZVBkCzWKLC",
    ],
  ])("derives %s", async (_, owner, mint, program, account) => {
    expect(await tokenAccountOf(owner as Address, mint as Address, program)).toBe(account);
  });
});

describe("accounts of an order", () => {
  // Addresses as createWithSeed of @solana/web3.js 1 derives them.
  it("derives the addresses of an order's accounts from their seeds", async () => {
    expect(await markerOf(wallet, orderId)).toBe("2xFYB7C55SJuc3mjNgdDYeB16nnRvsDP3uAzU3ZimjAN");
    expect(await wsolAccountOf(wallet, orderId)).toBe("GsiHgCZuDerqXb5uwp23nUiLk61pTwzNokH5SHvt2PkN");
  });
});
