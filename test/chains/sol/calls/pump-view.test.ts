import type { Address } from "@solana/web3.js";
import { beforeAll, describe, expect, it } from "vitest";
import {
  bytesOfAddress,
  programs,
  tokenAccountOf,
  wsolMint,
} from "../../../../lib/chains/sol/calls/addresses.ts";
import type { Mint } from "../../../../lib/chains/sol/calls/mint.ts";
import type { PoolPlaces } from "../../../../lib/chains/sol/calls/pool-view.ts";
import {
  bondingCurveOf,
  pumpConfigOf,
  pumpFeeConfigOf,
  pumpPoolCreatorOf,
  pumpPoolOf,
} from "../../../../lib/chains/sol/calls/pump-addresses.ts";
import { pumpTableOf, tableProgram } from "../../../../lib/chains/sol/calls/pump-table.ts";
import { pumpPlaces } from "../../../../lib/chains/sol/calls/pump-view.ts";
import {
  type CurveFields,
  curveAccount,
  curveConfigAccount,
  feeConfigAccount,
  pumpKey,
  pumpPoolAccount,
  pumpPoolConfigAccount,
  pumpRecipients,
} from "../../../support/pump-accounts.ts";
import { solKey } from "../../../support/sol-terms.ts";

const coin = 10n ** 9n;
const mint = solKey("mint").address;
const table = solKey("pump table").address;
const onMint: Mint = {
  program: programs.token2022,
  decimals: 6,
  supply: 10n ** 15n,
  isDefaultFrozen: false,
  isNonTransferable: false,
  isPausable: false,
  isPaused: false,
  isScaled: false,
  transferFees: [],
  accountBytes: 170,
};

const fresh: CurveFields = {
  virtualTokens: 1_073_000_000_000_000n,
  virtualCoins: 30n * coin,
  tokens: 793_100_000_000_000n,
  coins: 0n,
};

function tokenData(amount: bigint): Buffer {
  const data = Buffer.alloc(165);
  data.writeBigUInt64LE(amount, 64);
  data.writeUInt8(1, 108);
  return data;
}

/** The accounts of a token whose curve and pool are as given. */
async function accountsOf({ curve = fresh, flags = 0, hasPool = true } = {}) {
  const pool = await pumpPoolOf(mint);
  const [coins, tokens] = [
    await tokenAccountOf(pool, wsolMint, programs.token),
    await tokenAccountOf(pool, mint, programs.token2022),
  ];
  const [usual, mayhem, buyback] = [pumpRecipients.usual, pumpRecipients.mayhem, pumpRecipients.buyback].map(
    ([first]) => first as Address,
  ) as [Address, Address, Address];
  const head = Buffer.alloc(56);
  head.writeUInt32LE(1, 0);
  head.fill(255, 4, 12);
  const held = await pumpTableOf({ usual, mayhem, buyback });
  const fees = feeConfigAccount([{ from: 0n, rates: [20n, 95n, 30n] }]);
  const vaults = { base: tokens, quote: coins };
  const ofPool = { creator: await pumpPoolCreatorOf(mint), base: mint, quote: wsolMint, vaults };
  const data = new Map<Address, { owner: string; data: Uint8Array }>([
    [table, { owner: tableProgram, data: Buffer.concat([head, ...held.map(bytesOfAddress)]) }],
    [await bondingCurveOf(mint), { owner: "", data: curveAccount(curve) }],
    [await pumpConfigOf("curve"), { owner: "", data: curveConfigAccount() }],
    [await pumpFeeConfigOf("curve"), { owner: "", data: fees }],
    [await pumpConfigOf("pool"), { owner: "", data: pumpPoolConfigAccount({ flags }) }],
    [await pumpFeeConfigOf("pool"), { owner: "", data: fees }],
  ]);
  if (hasPool) {
    data.set(pool, { owner: "", data: pumpPoolAccount(ofPool) });
    data.set(coins, { owner: programs.token, data: tokenData(85n * coin) });
    data.set(tokens, { owner: programs.token2022, data: tokenData(206_900_000_000_000n) });
  }
  return data;
}

type Accounts = Awaited<ReturnType<typeof accountsOf>>;

let places: PoolPlaces;
beforeAll(async () => {
  [places] = (await pumpPlaces(mint, { pumpTable: table })) as [PoolPlaces];
});

const viewIn = (accounts: Accounts, seen: Partial<Mint> = {}) =>
  places.viewIn({
    address: mint,
    mint: { ...onMint, ...seen },
    epoch: 0n,
    time: 0n,
    accountAt(address) {
      const found = accounts.get(address);
      return found && { ...found, lamports: 1n };
    },
  });

describe("pumpPlaces", () => {
  it("looks nowhere without a lookup table", async () => {
    expect(await pumpPlaces(mint, {})).toEqual([]);
  });

  it("finds a token on its curve, and in its pool once the curve is complete", async () => {
    expect(viewIn(await accountsOf())).toMatchObject({
      route: { venue: "pump", pool: await bondingCurveOf(mint) },
      next: { venue: "pumpswap", pool: await pumpPoolOf(mint) },
      feeRate: 12_500n,
      coins: 0n,
    });
    expect(viewIn(await accountsOf({ curve: { ...fresh, isComplete: true } }))).toMatchObject({
      route: { venue: "pumpswap", pool: await pumpPoolOf(mint) },
      feeRate: 14_500n,
      coins: 85n * coin,
    });
  });

  it.each([
    ["a curve for another coin", { curve: { ...fresh, quote: pumpKey(9) }, hasPool: false }, {}],
    ["a complete curve without a pool", { curve: { ...fresh, isComplete: true }, hasPool: false }, {}],
    ["a mint that withholds fees", {}, { transferFees: [{ fromEpoch: 0n, bps: 1, most: 1n }] }],
  ])("finds nothing for %s", async (_, asked, seen) => {
    expect(viewIn(await accountsOf(asked), seen)).toBeUndefined();
  });

  it.each(["table", "settings", "fees"])("finds nothing if a host hides the %s", async (hidden) => {
    const accounts = await accountsOf({ hasPool: false });
    const hiddenAt = { table, settings: await pumpConfigOf("curve"), fees: await pumpFeeConfigOf("curve") };
    accounts.delete(hiddenAt[hidden as keyof typeof hiddenAt]);
    expect(viewIn(accounts)).toBeUndefined();
  });

  it("pays nothing on the side that Pump has stopped", async () => {
    const curve = { ...fresh, isComplete: true };
    const stopped = viewIn(await accountsOf({ curve, flags: 0b1000 }));
    expect(stopped?.pay("buy", coin).amountOut).toBe(0n);
    expect(stopped?.pay("sell", 10n ** 12n).amountOut).toBeGreaterThan(0n);
    expect(viewIn(await accountsOf({ curve, flags: 0b1_1000 }))?.isOpen).toBe(false);
  });

  it("states the price impact of a small trade as nothing, and of a large one as a lot", async () => {
    const view = viewIn(await accountsOf());
    expect(view?.pay("buy", coin / 1000n).priceImpact).toBeLessThan(0.01);
    // Thirty coins against thirty halve what a coin buys.
    expect(view?.pay("buy", 30n * coin).priceImpact).toBeCloseTo(49.7, 0);
  });
});
