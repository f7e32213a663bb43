import type { Address } from "@solana/web3.js";
import { describe, expect, it } from "vitest";
import {
  programs,
  tokenAccountOf,
  wsolAccountOf,
  wsolMint,
} from "../../../../lib/chains/sol/calls/addresses.ts";
import { composeMessage } from "../../../../lib/chains/sol/messages/compose-message.ts";
import { jupiterProgram } from "../../../../lib/chains/sol/venues/jupiter.ts";
import type { BuiltSwap } from "../../../../lib/chains/sol/venues/jupiter-client.ts";
import {
  buildQuestion,
  enforcing,
  jupiterVenue,
  type SwapByJupiter,
} from "../../../../lib/chains/sol/venues/jupiter-venue.ts";
import type { VenueAccount } from "../../../../lib/chains/sol/venues/message-terms.ts";
import {
  buyTerms,
  helper,
  orderId,
  routeData,
  saleTerms,
  solKey,
  tipAccount,
  wallet,
} from "../../../support/sol-terms.ts";

const { mint } = buyTerms;
const swap: SwapByJupiter = {
  wallet,
  orderId,
  side: "buy",
  mint,
  tokenProgram: programs.token,
  decimals: 6,
  amountIn: buyTerms.amountIn,
};
const sale: SwapByJupiter = { ...swap, side: "sell", tokenProgram: programs.token2022 };
const w = await wsolAccountOf(wallet, orderId);
const [table, vault, inTable] = ["table", "vault", "in table"].map((name) => solKey(name).address) as [
  Address,
  Address,
  Address,
];

/** Returns Jupiter's answer for a helper, assuming that the helper owns the spent and the received tokens. */
async function builtFor({ side, tokenProgram, amountIn }: SwapByJupiter): Promise<BuiltSwap> {
  const coin = { mint: wsolMint, program: programs.token };
  const token = { mint, program: tokenProgram };
  const [from, to] = side === "buy" ? [coin, token] : [token, coin];
  const source = await tokenAccountOf(helper, from.mint, from.program);
  const destination = await tokenAccountOf(helper, to.mint, to.program);
  const places: readonly (readonly [Address, boolean])[] = [
    ...([
      [helper, false],
      [source, true],
      [destination, true],
      [from.mint, false],
    ] as const),
    ...([
      [to.mint, false],
      [from.program, false],
      [to.program, false],
      [jupiterProgram, false],
    ] as const),
    ...([
      [solKey("event").address, false],
      [jupiterProgram, false],
      [vault, true],
    ] as const),
    [inTable, true],
    ...[helper, source, destination].map((each) => [each, true] as const),
  ];
  return {
    accounts: places.map(([address, isWritable]) => ({ address, isWritable })),
    data: routeData(amountIn, { name: "route_v2" }),
    // Tables of real routes also name common mints and programs.
    tables: new Map([[table, [wsolMint, programs.token, jupiterProgram, mint, inTable]]]),
    amountOut: 1n,
    labels: [],
    setupPrograms: [],
  };
}

const at = (accounts: readonly VenueAccount[], place: number) => accounts[place];

describe("jupiterVenue", () => {
  it("names the wallet's accounts wherever Jupiter names the helper's, for both buys and sales", async () => {
    for (const [each, source, destination] of [
      [swap, w, await tokenAccountOf(wallet, mint, programs.token)],
      [sale, await tokenAccountOf(wallet, mint, programs.token2022), w],
    ] as const) {
      const { accounts } = await jupiterVenue(each, helper, await builtFor(each));
      for (const place of [1, 13]) expect(at(accounts, place)).toEqual({ address: source, isWritable: true });
      for (const place of [2, 14])
        expect(at(accounts, place)).toEqual({ address: destination, isWritable: true });
      expect(at(accounts, 12)).toEqual({ address: helper, isWritable: true });
    }
  });

  it("uses lookup tables for all accounts that the signer need not check", async () => {
    const { accounts } = await jupiterVenue(swap, helper, await builtFor(swap));
    expect(at(accounts, 11)).toEqual({ table, index: 4, isWritable: true });
    expect(at(accounts, 10)).toEqual({ address: vault, isWritable: true });
    expect(accounts.slice(0, 10).every((each) => "address" in each)).toBe(true);
  });

  it("names the decimals of the spent token", async () => {
    expect(await jupiterVenue(swap, helper, await builtFor(swap))).toMatchObject({ sourceDecimals: 9 });
    expect(await jupiterVenue(sale, helper, await builtFor(sale))).toMatchObject({ sourceDecimals: 6 });
  });

  it.each([
    [swap, buyTerms],
    [sale, saleTerms],
  ])(
    "makes messages that the signer composes, with the minimum output to the unit (%#)",
    async (each, terms) => {
      const venue = await jupiterVenue(each, helper, await builtFor(each));
      const composed = (leastOut: bigint) =>
        composeMessage({ ...terms, venue: enforcing(venue, leastOut) }, [tipAccount]);
      expect(await composed(terms.minAmountOut)).toHaveProperty("message");
      expect(await composed(terms.minAmountOut - 1n)).toEqual({
        refused: "the venue's minimum is below the order's",
      });
    },
  );

  it("leaves data unchanged if it is not a route's", async () => {
    const venue = await jupiterVenue(swap, helper, await builtFor(swap));
    for (const data of [new Uint8Array(), Uint8Array.of(1, 2, 3), routeData(1n).subarray(0, 20)])
      expect(enforcing({ ...venue, data }, 5n).data).toEqual(data);
  });
});

describe("buildQuestion", () => {
  it("requests a swap by the helper, without naming an account of the wallet", async () => {
    expect(await buildQuestion(swap, helper)).toEqual({
      inputMint: wsolMint,
      outputMint: mint,
      amountIn: swap.amountIn,
      helper,
    });
    expect(await buildQuestion(sale, helper)).toMatchObject({ inputMint: mint, outputMint: wsolMint });
  });
});
