import { describe, expect, it } from "vitest";
import { composeMessage } from "../../../../lib/chains/sol/messages/compose-message.ts";
import type {
  AttemptTerms,
  JupiterVenue,
  VenueAccount,
} from "../../../../lib/chains/sol/venues/message-terms.ts";
import { cpmm, system, token2022, wsol } from "../../../support/sol-bytes.ts";
import {
  accountsOf,
  buyTerms,
  byJupiter,
  onCurve,
  onPumpSwap,
  orderId,
  routeData,
  saleTerms,
  solKey,
  thief,
  tipAccount,
  wallet,
} from "../../../support/sol-terms.ts";

/** A buy of a token of Token-2022, as Pump's are. */
const buying: AttemptTerms = { ...saleTerms, side: "buy" };

type PumpChanges = { wsolRentLamports?: bigint; venue?: object };

describe("composeMessage", () => {
  const other = solKey("another").address;
  it.each<[string, Partial<AttemptTerms>]>([
    ["an address is not base58", { mint: `${other.slice(0, -1)}0` as never }],
    ["an address is not base58", { wallet: `1${other}` as never }],
    ["an address is not base58", { blockhash: `1${other}` }],
    ["an address is not base58", { tip: { account: "1" as never, lamports: 1n } }],
    ["the order's id is neither a ULID nor that of a slice", { orderId: orderId.toLowerCase() }],
    ["the order's id is neither a ULID nor that of a slice", { orderId: orderId.slice(1) }],
    ["the order's id is neither a ULID nor that of a slice", { orderId: `${orderId}0` }],
    ["an amount is not one of 64 bits", { amountIn: 1n << 64n }],
    ["an amount is not one of 64 bits", { amountIn: -1n }],
    ["an amount is not one of 64 bits", { minAmountOut: 1n << 64n }],
    ["an amount is not one of 64 bits", { microLamportsPerUnit: 1n << 64n }],
    ["an amount is not one of 64 bits", { amountIn: (1n << 64n) - 1n }],
    ["the limit of compute units", { computeUnitLimit: 1_400_001 }],
    ["the limit of compute units", { computeUnitLimit: 0 }],
    ["the limit of compute units", { computeUnitLimit: 1.5 }],
    ["the marker's rent is 0, or above its ceiling", { markerRentLamports: 897_841n }],
    ["the marker's rent is 0, or above its ceiling", { markerRentLamports: 0n }],
    ["the rent of the account of wrapped SOL", { wsolRentLamports: 2_039_281n }],
    ["the rent of the account of wrapped SOL", { wsolRentLamports: -1n }],
    ["the amount or the minimum is 0", { amountIn: 0n }],
    ["the amount or the minimum is 0", { minAmountOut: 0n }],
    ["wrapped SOL is not traded", { mint: wsol as never }],
    ["neither Token nor Token-2022", { tokenProgram: cpmm as never }],
    ["the tip is 0, or for an account", { tip: { account: thief, lamports: 1n } }],
    ["the tip is 0, or for an account", { tip: { account: tipAccount, lamports: 0n } }],
    ["the pool is an account of the wallet", { venue: { kind: "cpmm", pool: wallet, config: other } }],
    [
      "the pool is an account of the wallet",
      { venue: { kind: "cpmm", pool: other, config: accountsOf(buyTerms).w as never } },
    ],
  ])("rejects invalid terms: %s (%#)", async (reason, changes) => {
    const composed = await composeMessage({ ...buyTerms, ...changes }, [tipAccount]);
    expect(composed).toEqual({ refused: expect.stringContaining(reason) });
  });

  const replaceAt = (place: number, address: string) => (accounts: readonly VenueAccount[]) =>
    accounts.with(place, { isWritable: true, address: address as never });
  const append = (address: string) => (accounts: readonly VenueAccount[]) => [
    ...accounts,
    { isWritable: false, address: address as never },
  ];
  const inTable = (place: number) => (accounts: readonly VenueAccount[]) =>
    accounts.with(place, { isWritable: true, table: other, index: 1 });
  const { own, w, marker } = accountsOf(buyTerms);

  it.each<[string, string, Partial<AttemptTerms>, Partial<JupiterVenue>, object?]>([
    [
      "another instruction",
      "not in the list",
      {},
      { data: Uint8Array.from(Buffer.from("e517cb977ae3ad2a", "hex")) },
    ],
    ["no instruction", "not in the list", {}, { data: new Uint8Array() }],
    ["data that ends early", "ends early", {}, { data: routeData(1_000_000_000n).subarray(0, 30) }],
    ["the wallet as its helper", "authority or token programs", {}, { helper: wallet }],
    ["decimals below 0", "decimals are not one byte", {}, { sourceDecimals: -1 }],
    ["decimals above a byte", "decimals are not one byte", {}, { sourceDecimals: 256 }],
    ["broken decimals", "decimals are not one byte", {}, { sourceDecimals: 6.5 }],
    ["other decimals of SOL", "SOL has 9 decimals", {}, { sourceDecimals: 6 }],
    ["a greater amount", "the venue's amount", {}, { data: routeData(1_000_000_001n) }],
    ["a smaller amount", "the venue's amount", {}, { data: routeData(999_999_999n) }],
    ["a platform's fee", "a fee", {}, { data: routeData(1_000_000_000n, { platformFeeBps: 1 }) }],
    ["a fee of 256 points", "a fee", {}, { data: routeData(1_000_000_000n, { platformFeeBps: 256 }) }],
    ["a fee on a better price", "a fee", {}, { data: routeData(1_000_000_000n, { positiveSlippageBps: 1 }) }],
    ["more slippage", "the venue's minimum", {}, { data: routeData(1_000_000_000n, { slippageBps: 201 }) }],
    [
      "a lower quote",
      "the venue's minimum",
      {},
      { data: routeData(1_000_000_000n, { quotedOut: 299_999_999n }) },
    ],
    [
      "slippage above all",
      "the venue's minimum",
      {},
      { data: routeData(1_000_000_000n, { slippageBps: 65_535 }) },
    ],
    ["a higher minimum of the order", "the venue's minimum", { minAmountOut: 294_000_001n }, {}],
  ])("rejects Jupiter's instruction with %s", async (_, reason, terms, venue) => {
    const sound = await byJupiter(buyTerms);
    const changed = { ...sound, ...terms, venue: { ...sound.venue, ...venue } };
    expect(await composeMessage(changed, [tipAccount])).toEqual({ refused: expect.stringContaining(reason) });
  });

  it.each<[string, string, (accounts: readonly VenueAccount[]) => VenueAccount[]]>([
    ["the wallet", "names the wallet or the marker", append(wallet)],
    ["the wallet as its authority", "names the wallet or the marker", replaceAt(1, wallet)],
    ["the marker", "names the wallet or the marker", append(marker)],
    ["another source", "accounts or mints are not the order's", replaceAt(2, other)],
    ["another destination", "accounts or mints are not the order's", replaceAt(5, thief)],
    ["the source as its destination", "accounts or mints are not the order's", replaceAt(5, w)],
    ["a destination from a table", "accounts or mints are not the order's", inTable(5)],
    ["another spent mint", "accounts or mints are not the order's", replaceAt(6, other)],
    ["another bought mint", "accounts or mints are not the order's", replaceAt(7, other)],
    ["another authority", "authority or token programs", replaceAt(1, thief)],
    ["another token program", "authority or token programs", replaceAt(8, other)],
    ["another program for its output", "authority or token programs", replaceAt(9, token2022)],
    [
      "a place that no lookup table has",
      "fit into no message",
      (accounts) => [...accounts, { isWritable: false, table: other, index: 256 }],
    ],
    ["a program that is written", "fit into no message", replaceAt(12, system)],
    [
      "too many accounts",
      "larger than the chain allows",
      (all) => [
        ...all,
        ...["a", "b", "c", "d", "e", "f"].map((name) => ({
          isWritable: false,
          address: solKey(name).address,
        })),
      ],
    ],
  ])("rejects Jupiter's instruction with %s in its accounts", async (_, reason, change) => {
    const sound = await byJupiter(buyTerms);
    const venue = { ...sound.venue, accounts: change(sound.venue.accounts) };
    const composed = await composeMessage({ ...sound, venue }, [tipAccount]);
    expect(composed).toEqual({ refused: expect.stringContaining(reason) });
  });

  it.each([
    ["wrapped SOL", { wsolRentLamports: 2_039_280n }, "no account of wrapped SOL"],
    ["another curve", { venue: { pool: solKey("thief").address } }, "not the token's own"],
    ["a broken table", { venue: { table: "table" } }, "base58"],
    ["a rest of 65 bits", { venue: { rest: 1n << 64n } }, "64 bits"],
  ])("rejects a trade on a curve with %s", async (_, { venue, ...terms }: PumpChanges, reason) => {
    const sound = await onCurve(buying);
    const changed = { ...sound, ...terms, venue: { ...sound.venue, ...venue } } as AttemptTerms;
    expect(await composeMessage(changed, [tipAccount])).toEqual({ refused: expect.stringContaining(reason) });
  });

  it("rejects a trade on PumpSwap without an account of wrapped SOL", async () => {
    const { wsolRentLamports: _, ...terms } = await onPumpSwap(buying);
    expect(await composeMessage(terms, [tipAccount])).toHaveProperty("refused");
  });

  it("allows route_v2 to pay no other account than the order's, which a second place may name", async () => {
    const sound = await byJupiter(buyTerms, { name: "route_v2" });
    const paying = (address: string) => {
      const venue = { ...sound.venue, accounts: replaceAt(7, address)(sound.venue.accounts) };
      return composeMessage({ ...sound, venue }, [tipAccount]);
    };
    expect(await composeMessage(sound, [tipAccount])).toHaveProperty("message");
    expect(await paying(own)).toHaveProperty("message");
    for (const address of [thief, w])
      expect(await paying(address)).toEqual({ refused: "the venue's accounts or mints are not the order's" });
  });
});
