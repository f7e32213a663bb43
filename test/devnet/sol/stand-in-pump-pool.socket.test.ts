import { buyQuoteInput, canonicalPumpPoolPda, GLOBAL_CONFIG_PDA } from "@pump-fun/pump-swap-sdk";
import { AccountRole, type Address, type IInstruction } from "@solana/web3.js";
import fc from "fast-check";
import { graduate } from "trading-terminal-devnet/sol/graduation";
import { associatedAccount, bytesOf, derived, programs } from "trading-terminal-devnet/sol/published";
import type { PumpPool } from "trading-terminal-devnet/sol/pump-deployment";
import { pumpPoolErrors } from "trading-terminal-devnet/sol/stand-in-pump-pool";
import { startTestSurfnet, type TestSurfnet } from "trading-terminal-devnet/sol/test-surfnet";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bigintOf, librariesOf, withAccount } from "../../support/pump-on-chain.ts";
import { marketOf, pumpPoolClient } from "../../support/pump-pool-client.ts";

const { keyOf, numberOf } = librariesOf("@pump-fun/pump-swap-sdk");

let chain: TestSurfnet;
let client: Awaited<ReturnType<typeof pumpPoolClient>>;
beforeAll(async () => {
  chain = await startTestSurfnet();
  client = await pumpPoolClient(chain, chain.deployment.pump.pools.GRAD);
});
afterAll(() => chain.stop());

async function run(instruction: IInstruction, by = client.wallet) {
  const before = await client.held(by.address);
  const { meta } = await chain.transact(by, [instruction]);
  const after = await client.held(by.address);
  return { error: meta.err, coins: after.coins - before.coins, tokens: after.tokens - before.tokens };
}

/** Places in a pool's account. */
const places = {
  creator: 11,
  coinCreator: 211,
  isMayhem: 243,
  isCashback: 244,
  virtualQuotes: 245,
  rate: 261,
};

/** Changes the pool, runs a body, and changes the pool back. */
async function withPool(change: (data: Buffer) => void, body: () => Promise<void>): Promise<void> {
  const { data } = await client.dataAt(client.market.pool);
  const before = Buffer.from(data);
  await client.rewrite(client.market.pool, change);
  await body();
  await client.rewrite(client.market.pool, (each) => void before.copy(each));
}

async function tradeAtQuotes(seed: number, runs: number): Promise<void> {
  await run(await client.buyOf(10n ** 10n, 10n ** 12n));
  const trades = fc.sample(
    fc.record({
      side: fc.constantFrom("buy", "sell" as const),
      size: fc.bigInt(1n, 10n ** 13n),
      shift: fc.bigInt(0n, 43n),
    }),
    { seed, numRuns: runs },
  );
  for (const { side, size, shift } of trades) {
    const { tokens: owned } = await client.held(client.wallet.address);
    const tokens = (size >> shift) + 1n;
    const base = side === "sell" && tokens > owned ? owned : tokens;
    const quote = await client.quoted(side, base).catch(() => 0n);
    // Skips sales of dust, for which the SDK's result is below 0.
    if (quote <= 0n) continue;
    const order = side === "buy" ? client.buyOf : client.sellOf;
    const worse = side === "buy" ? quote - 1n : quote + 1n;
    expect(await client.refusal(client.wallet.address, [await order(base, worse)])).toBe(
      pumpPoolErrors.slippage,
    );
    const [coins, change] = side === "buy" ? [-quote, base] : [quote, -base];
    expect(await run(await order(base, quote))).toEqual({ error: null, coins, tokens: change });
  }
}

describe("the stand-in of PumpSwap", () => {
  it("takes and pays exactly the SDK's quotes", () => tradeAtQuotes(5, 28), 60_000);

  it.each([
    ["a pool of anybody", (data: Buffer) => data.fill(9, places.creator, places.creator + 32), true],
    ["no creator", (data: Buffer) => data.fill(0, places.coinCreator, places.coinCreator + 32), false],
    ["virtual coins", (data: Buffer) => data.writeBigUInt64LE(20_000_000_000n, places.virtualQuotes), false],
  ] as const)("takes and pays the SDK's quotes with %s", async (_, change, isOfOther) => {
    await withPool(
      (data) => void change(data),
      async () => {
        // Only the pool's own seeds sign for its tokens, so another creator can only be tried.
        if (!isOfOther) return tradeAtQuotes(6, 6);
        const quote = await client.quoted("buy", 10n ** 9n);
        const refused = await client.refusal(client.wallet.address, [
          await client.buyOf(10n ** 9n, quote - 1n),
        ]);
        expect(refused).toBe(pumpPoolErrors.slippage);
        expect(await client.refusal(client.wallet.address, [await client.buyOf(10n ** 9n, quote)])).not.toBe(
          refused,
        );
      },
    );
  });

  it("sells as many tokens as an exact number of coins buys", async () => {
    for (const coins of [10_000n, 123_456_789n, 2_000_000_001n]) {
      const state = await client.stateFor(client.wallet.address);
      const { base, internalQuoteWithoutFees } = buyQuoteInput({
        ...marketOf(state),
        quote: numberOf(coins),
      });
      const tokens = bigintOf(base);
      const refused = await client.refusal(client.wallet.address, [await client.spendOf(coins, tokens + 1n)]);
      expect(refused).toBe(pumpPoolErrors.fewerTokens);
      const spent = await run(await client.spendOf(coins, tokens));
      expect(spent).toMatchObject({ error: null, tokens });
      expect(-spent.coins).toBeLessThanOrEqual(coins);
      expect(-spent.coins).toBeGreaterThan(bigintOf(internalQuoteWithoutFees));
    }
  });

  it("makes the user pay the rent of accounts that the trade creates", async () => {
    const trader = await client.traderOf();
    const before = await client.lamports(trader.address);
    const creator = (await chain.newWallet()).address;
    await withPool(
      (data) => data.set(bytesOf(creator), places.coinCreator),
      async () => {
        const quote = await client.quoted("buy", 10n ** 9n);
        const bought = await run(await client.buyOf(10n ** 9n, quote, trader.address), trader);
        expect(bought).toMatchObject({ error: null, coins: -quote });
      },
    );
    expect(before - (await client.lamports(trader.address))).toBe(
      (await client.rent(137)) + (await client.rent(165)) + 5000n,
    );
    const vault = await derived(programs.pumpPools, "creator_vault", bytesOf(creator));
    expect(await client.units(await client.coinsOf(vault))).toBeGreaterThan(0n);
  });

  it("pays fees to the protocol, to buybacks and to the creator, or to the user as cashback", async () => {
    const { feeRecipients, buybacks } = chain.deployment.pump;
    const vault = await derived(programs.pumpPools, "creator_vault", bytesOf(client.market.creator));
    const accumulator = await derived(
      programs.pumpPools,
      "user_volume_accumulator",
      bytesOf(client.wallet.address),
    );
    const owners = [feeRecipients[2], buybacks[4], vault, accumulator, client.market.pool] as Address[];
    const balances = async () =>
      Promise.all(owners.map(async (owner) => client.units(await client.coinsOf(owner))));
    for (const hasCashback of [false, true])
      await withPool(
        (data) => data.writeUInt8(Number(hasCashback), places.isCashback),
        async () => {
          for (const [side, order] of [
            ["buy", client.buyOf],
            ["sell", client.sellOf],
          ] as const) {
            const quote = await client.quoted(side, 10n ** 9n);
            const before = await balances();
            expect(await run(await order(10n ** 9n, quote))).toMatchObject({ error: null });
            const paid = (await balances()).map((each, index) => each - (before[index] ?? 0n));
            const [fee = 0n, buyback = 0n, creator = 0n, cashback = 0n, pool = 0n] = paid;
            const sum = fee + buyback + creator + cashback;
            expect(side === "buy" ? quote - pool : -pool - quote).toBe(sum);
            expect(buyback).toBe((fee + buyback) / 2n);
            expect(hasCashback ? creator : cashback).toBe(0n);
            expect(creator + cashback).toBeGreaterThan(fee);
          }
        },
      );
  });

  it("reads the creator's own rate only if creators may set one", async () => {
    const withRates = (isOn: boolean) =>
      // The flag precedes the highest rate.
      client.rewrite(GLOBAL_CONFIG_PDA.toBase58() as Address, (data) =>
        data.writeUInt8(Number(isOn), data.length - 9),
      );
    await withPool(
      (data) => data.writeBigUInt64LE(250n, places.rate),
      async () => {
        for (const isOn of [false, true]) {
          await withRates(isOn);
          const quote = await client.quoted("buy", 10n ** 9n);
          expect(
            await client.refusal(client.wallet.address, [await client.buyOf(10n ** 9n, quote - 1n)]),
          ).toBe(6004);
          expect(
            await client.refusal(client.wallet.address, [await client.buyOf(10n ** 9n, quote)]),
          ).toBeNull();
        }
      },
    );
    await withRates(false);
  });

  it("refuses nothing, all tokens of the pool, more than the user has, and trades that are switched off", async () => {
    const { tokens } = await client.held(client.wallet.address);
    const all = await client.units(client.market.vaults.token);
    const [buy, sell] = [await client.buyOf(10n ** 6n, 10n ** 12n), await client.sellOf(10n ** 6n, 0n)];
    for (const [instruction, code] of [
      [await client.buyOf(0n, 10n ** 12n), pumpPoolErrors.noBase],
      [await client.buyOf(all, 10n ** 12n), pumpPoolErrors.tooManyTokens],
      [await client.sellOf(0n, 0n), pumpPoolErrors.noBase],
      [await client.sellOf(tokens + 1n, 0n), pumpPoolErrors.overflow],
    ] as const)
      expect(await client.refusal(client.wallet.address, [instruction])).toBe(code);
    const disable = (bits: number) =>
      client.rewrite(GLOBAL_CONFIG_PDA.toBase58() as Address, (data) => data.writeUInt8(bits, 56));
    await disable(8 + 16);
    expect(await client.refusal(client.wallet.address, [buy])).toBe(pumpPoolErrors.buyDisabled);
    expect(await client.refusal(client.wallet.address, [sell])).toBe(pumpPoolErrors.sellDisabled);
    await disable(1 + 2 + 4);
    expect(await client.refusal(client.wallet.address, [buy])).toBeNull();
    await disable(0);
  });
});

const { READONLY, WRITABLE } = AccountRole;
const [seeds, relation, missing] = [2006, 2001, 3012];

/** Codes for a stranger's account in place of each account of a purchase. */
const codes = [
  ...[3007, 2015, seeds, relation, relation, missing, missing, relation, relation],
  ...[pumpPoolErrors.otherRecipient, seeds, 3008, 3008, 3008, 3008, seeds, 3008],
  ...[seeds, seeds, seeds, seeds, seeds, 2012],
  ...[pumpPoolErrors.otherPoolV2, pumpPoolErrors.otherBuyback, seeds],
];

describe("accounts of a trade in PumpSwap's pool", () => {
  it.each([
    ["buy", false],
    ["sell", false],
    ["buy", true],
    ["sell", true],
  ] as const)(
    "refuses to %s with any other account, or with fewer rights (cashback: %s)",
    async (side, hasCashback) => {
      const payer = await chain.newWallet();
      const stranger = await client.traderOf();
      await run(await client.buyOf(10n ** 9n, 10n ** 12n));
      await withPool(
        (data) => data.writeUInt8(Number(hasCashback), places.isCashback),
        async () => {
          const instruction =
            side === "buy" ? await client.buyOf(10n ** 6n, 10n ** 12n) : await client.sellOf(10n ** 6n, 0n);
          expect(await client.refusal(client.wallet.address, [instruction])).toBeNull();
          const expected =
            side === "buy" ? [...codes] : codes.filter((_, index) => index !== 19 && index !== 20);
          const { otherAccumulator, otherAccumulatorTokens } = pumpPoolErrors;
          if (hasCashback)
            expected.splice(-3, 0, otherAccumulatorTokens, ...(side === "buy" ? [] : [otherAccumulator]));
          expect(instruction.accounts).toHaveLength(expected.length);
          const found: unknown[] = [];
          for (const [index] of expected.entries())
            found.push(
              await client.refusal(payer.address, [
                withAccount(instruction, index, { address: stranger.address }),
              ]),
            );
          expect(found).toEqual(expected);
          const named = side === "buy" ? 23 : 21;
          for (const [index, { role }] of (instruction.accounts ?? []).entries()) {
            if (role !== WRITABLE) continue;
            const weaker = withAccount(instruction, index, { role: READONLY });
            const code = await client.refusal(payer.address, [weaker]);
            if (index < named) expect([index, code]).toEqual([index, 2000]);
            else expect(code).not.toBeNull();
          }
          const unsigned = withAccount(instruction, 1, { role: WRITABLE });
          expect(await client.refusal(payer.address, [unsigned])).toBe(3010);
          const unpaid = withAccount(instruction, 1, { role: AccountRole.READONLY_SIGNER });
          expect(await client.refusal(payer.address, [unpaid])).toBe(2000);
          const short = { ...instruction, accounts: instruction.accounts?.slice(0, -1) ?? [] };
          expect(await client.refusal(client.wallet.address, [short])).toBe(pumpPoolErrors.noBuyback);
        },
      );
    },
  );

  it("refuses accounts of other mints, owners and creators", async () => {
    const instruction = await client.buyOf(10n ** 6n, 10n ** 12n);
    const stranger = await client.traderOf();
    const swapped = (index: number, address: Address) =>
      client.refusal(client.wallet.address, [withAccount(instruction, index, { address })]);
    expect(await swapped(5, await client.tokensOf(stranger.address))).toBe(2015);
    expect(await swapped(6, await client.coinsOf(stranger.address))).toBe(2015);
    expect(await swapped(6, await client.tokensOf(client.wallet.address))).toBe(missing);
    const vault = await derived(programs.pumpPools, "creator_vault", bytesOf(stranger.address));
    const ofOther = withAccount(instruction, 17, { address: await client.coinsOf(vault) });
    const creators = withAccount(ofOther, 18, { address: vault });
    expect(await client.refusal(client.wallet.address, [creators])).toBe(seeds);
    await withPool(
      (data) => data.writeUInt8(1, places.isMayhem),
      async () => expect(await swapped(0, client.market.pool)).toBe(pumpPoolErrors.otherRecipient),
    );
  });
});

describe("graduate", () => {
  it("moves a completed curve's liquidity to its pool, which trades at the SDK's quotes", async () => {
    const { BRIM } = chain.deployment.pump.curves;
    expect(await graduate(chain.request, BRIM)).toBeUndefined();
    await client.rewrite(BRIM.curve, (data) => data.writeUInt8(1, 48));
    const held = await client.units(await associatedAccount(BRIM.curve, BRIM.program, BRIM.mint));
    client = await pumpPoolClient(chain, (await graduate(chain.request, BRIM)) as PumpPool);
    expect(client.market.pool).toBe(canonicalPumpPoolPda(keyOf(BRIM.mint)).toBase58());
    const { vaults } = client.market;
    // A curve keeps what the real program demands for the pool's accounts.
    expect(await client.units(vaults.coin)).toBe(84n * 10n ** 9n - 15_000_001n);
    expect(await client.units(vaults.token)).toBe(held);
    expect(await client.units(await associatedAccount(BRIM.curve, BRIM.program, BRIM.mint))).toBe(0n);
    expect(await client.curve(BRIM.curve)).toMatchObject({ complete: true });
    expect(await graduate(chain.request, BRIM)).toBeUndefined();
    await tradeAtQuotes(8, 6);
  });
});
