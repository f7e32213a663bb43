import {
  buyBaseInput,
  buyQuoteInput,
  GLOBAL_CONFIG_PDA,
  PUMP_AMM_FEE_CONFIG_PDA,
  PUMP_AMM_SDK,
  sellBaseInput,
} from "@pump-fun/pump-swap-sdk";
import { AccountRole, type Address, type IInstruction } from "@solana/web3.js";
import fc from "fast-check";
import {
  associatedAccount,
  bytesOf,
  derived,
  programs,
  wrappedCoin,
} from "trading-terminal-devnet/sol/published";
import type { PumpPool } from "trading-terminal-devnet/sol/pump-deployment";
import { pumpPoolErrors } from "trading-terminal-devnet/sol/stand-in-pump-pool";
import {
  startTestSurfnet,
  type TestSurfnet,
  tokenAccountBytes,
} from "trading-terminal-devnet/sol/test-surfnet";
import type { TestWallet } from "trading-terminal-devnet/sol/test-wallet";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  bigintOf,
  createAccount,
  instructionOf,
  librariesOf,
  pumpReader,
  type SdkInstruction,
  withAccount,
} from "../../support/pump-on-chain.ts";

const { keyOf, numberOf } = librariesOf("@pump-fun/pump-swap-sdk");

let chain: TestSurfnet;
let reader: ReturnType<typeof pumpReader>;
let wallet: TestWallet;
let grad: PumpPool;
beforeAll(async () => {
  chain = await startTestSurfnet();
  reader = pumpReader(chain);
  grad = chain.deployment.pump.pools.GRAD;
  wallet = await traderOf();
});
afterAll(() => chain.stop());

const coinRent = 2_039_280n;
const coinsOf = (owner: Address) => associatedAccount(owner, programs.token, wrappedCoin);
const tokensOf = (owner: Address) => associatedAccount(owner, grad.program, grad.mint);

/** Makes a wallet that has an account for the token, and 1,000 wrapped coins. */
async function traderOf(): Promise<TestWallet> {
  const trader = await chain.newWallet(10n ** 12n);
  const { address } = trader;
  const wrapped = 10n ** 12n;
  const data = tokenAccountBytes(wrappedCoin, address, wrapped, { rent: coinRent });
  await chain.setAccount(await coinsOf(address), coinRent + wrapped, programs.token, data);
  await chain.transact(trader, [await createAccount(address, grad.mint, grad.program)]);
  return trader;
}

const held = async (owner: Address) => ({
  coins: await reader.units(await coinsOf(owner)),
  tokens: await reader.units(await tokensOf(owner)),
});

/** Reads everything that the SDK needs to quote and to build a trade. */
async function stateFor(user: Address) {
  const pool = PUMP_AMM_SDK.decodePool(await reader.dataAt(grad.pool));
  const globalConfig = PUMP_AMM_SDK.decodeGlobalConfig(await reader.dataAt(GLOBAL_CONFIG_PDA.toBase58()));
  const feeConfig = PUMP_AMM_SDK.decodeFeeConfig(await reader.dataAt(PUMP_AMM_FEE_CONFIG_PDA.toBase58()));
  const { data: mint } = await reader.dataAt(grad.mint);
  return {
    // Leaves one recipient of each kind, because the SDK picks one at random.
    globalConfig: {
      ...globalConfig,
      protocolFeeRecipients: globalConfig.protocolFeeRecipients.slice(2, 3),
      buybackFeeRecipients: globalConfig.buybackFeeRecipients.slice(4, 5),
    },
    feeConfig,
    pool,
    poolKey: keyOf(grad.pool),
    poolAccountInfo: await reader.dataAt(grad.pool),
    poolBaseAmount: numberOf(await reader.units(grad.vaults.token)),
    poolQuoteAmount: numberOf(await reader.units(grad.vaults.coin)),
    baseMint: pool.baseMint,
    baseMintAccount: { supply: mint.readBigUInt64LE(36) },
    baseTokenProgram: keyOf(grad.program),
    quoteTokenProgram: keyOf(programs.token),
    user: keyOf(user),
    userBaseTokenAccount: keyOf(await tokensOf(user)),
    userQuoteTokenAccount: keyOf(await coinsOf(user)),
    userBaseAccountInfo: null,
    userQuoteAccountInfo: null,
  } as unknown as Parameters<typeof PUMP_AMM_SDK.buyInstructions>[0];
}

type State = Awaited<ReturnType<typeof stateFor>>;

/** Picks the program's own instruction among those for accounts. */
function tradeIn(instructions: readonly SdkInstruction[]): IInstruction {
  const found = instructions.find(({ programId }) => programId.toBase58() === programs.pumpPools);
  if (found === undefined) throw new Error("The SDK built no trade");
  return instructionOf(found);
}

const buyOf = async (base: bigint, most: bigint, user = wallet.address) =>
  tradeIn(await PUMP_AMM_SDK.buyInstructions(await stateFor(user), numberOf(base), numberOf(most)));

const sellOf = async (base: bigint, least: bigint, user = wallet.address) =>
  tradeIn(await PUMP_AMM_SDK.sellInstructions(await stateFor(user), numberOf(base), numberOf(least)));

/** Turns a purchase of an exact number of tokens into one for an exact number of coins, which names the same accounts. */
async function spendOf(coins: bigint, least: bigint): Promise<IInstruction> {
  const instruction = await buyOf(1n, 1n);
  const data = Buffer.alloc(25, 1);
  data.write("c62e1552b4d9e870", "hex");
  data.writeBigUInt64LE(coins, 8);
  data.writeBigUInt64LE(least, 16);
  return { ...instruction, data };
}

const marketOf = (state: State) => ({
  slippage: 0,
  baseReserve: state.poolBaseAmount,
  quoteReserve: state.poolQuoteAmount,
  virtualQuoteReserves: state.pool.virtualQuoteReserves,
  globalConfig: state.globalConfig,
  baseMintAccount: state.baseMintAccount,
  baseMint: state.pool.baseMint,
  coinCreator: state.pool.coinCreator,
  creator: state.pool.creator,
  feeConfig: state.feeConfig,
  creatorFeeBps: state.pool.creatorFeeBps,
});

async function quoted(side: "buy" | "sell", base: bigint): Promise<bigint> {
  const facts = { ...marketOf(await stateFor(wallet.address)), base: numberOf(base) };
  return bigintOf((side === "buy" ? buyBaseInput(facts) : sellBaseInput(facts)).uiQuote);
}

async function run(instruction: IInstruction, by = wallet) {
  const before = await held(by.address);
  const { meta } = await chain.transact(by, [instruction]);
  const after = await held(by.address);
  return { error: meta.err, coins: after.coins - before.coins, tokens: after.tokens - before.tokens };
}

async function rewrite(at: Address, change: (data: Buffer) => void): Promise<void> {
  const { data, lamports, owner } = await reader.dataAt(at);
  change(data);
  await chain.setAccount(at, BigInt(lamports), owner.toBase58() as Address, data);
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
  const { data } = await reader.dataAt(grad.pool);
  const before = Buffer.from(data);
  await rewrite(grad.pool, change);
  await body();
  await rewrite(grad.pool, (each) => void before.copy(each));
}

async function tradeAtQuotes(seed: number, runs: number): Promise<void> {
  await run(await buyOf(10n ** 10n, 10n ** 12n));
  const trades = fc.sample(
    fc.record({
      side: fc.constantFrom("buy", "sell" as const),
      size: fc.bigInt(1n, 10n ** 13n),
      shift: fc.bigInt(0n, 43n),
    }),
    { seed, numRuns: runs },
  );
  for (const { side, size, shift } of trades) {
    const { tokens: owned } = await held(wallet.address);
    const tokens = (size >> shift) + 1n;
    const base = side === "sell" && tokens > owned ? owned : tokens;
    const quote = await quoted(side, base).catch(() => 0n);
    // Skips sales of dust, for which the SDK's result is below 0.
    if (quote <= 0n) continue;
    const order = side === "buy" ? buyOf : sellOf;
    const worse = side === "buy" ? quote - 1n : quote + 1n;
    expect(await reader.refusal(wallet.address, [await order(base, worse)])).toBe(pumpPoolErrors.slippage);
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
        const quote = await quoted("buy", 10n ** 9n);
        const refused = await reader.refusal(wallet.address, [await buyOf(10n ** 9n, quote - 1n)]);
        expect(refused).toBe(pumpPoolErrors.slippage);
        expect(await reader.refusal(wallet.address, [await buyOf(10n ** 9n, quote)])).not.toBe(refused);
      },
    );
  });

  it("sells as many tokens as an exact number of coins buys", async () => {
    for (const coins of [10_000n, 123_456_789n, 2_000_000_001n]) {
      const state = await stateFor(wallet.address);
      const { base, internalQuoteWithoutFees } = buyQuoteInput({
        ...marketOf(state),
        quote: numberOf(coins),
      });
      const tokens = bigintOf(base);
      const refused = await reader.refusal(wallet.address, [await spendOf(coins, tokens + 1n)]);
      expect(refused).toBe(pumpPoolErrors.fewerTokens);
      const spent = await run(await spendOf(coins, tokens));
      expect(spent).toMatchObject({ error: null, tokens });
      expect(-spent.coins).toBeLessThanOrEqual(coins);
      expect(-spent.coins).toBeGreaterThan(bigintOf(internalQuoteWithoutFees));
    }
  });

  it("makes the user pay the rent of accounts that the trade creates", async () => {
    const trader = await traderOf();
    const before = await reader.lamports(trader.address);
    const creator = (await chain.newWallet()).address;
    await withPool(
      (data) => data.set(bytesOf(creator), places.coinCreator),
      async () => {
        const quote = await quoted("buy", 10n ** 9n);
        const bought = await run(await buyOf(10n ** 9n, quote, trader.address), trader);
        expect(bought).toMatchObject({ error: null, coins: -quote });
      },
    );
    const rent = async (size: number) =>
      BigInt((await chain.request("getMinimumBalanceForRentExemption", [size])) as number);
    expect(before - (await reader.lamports(trader.address))).toBe(
      (await rent(137)) + (await rent(165)) + 5000n,
    );
    const vault = await derived(programs.pumpPools, "creator_vault", bytesOf(creator));
    expect(await reader.units(await coinsOf(vault))).toBeGreaterThan(0n);
  });

  it("pays fees to the protocol, to buybacks and to the creator, or to the user as cashback", async () => {
    const { feeRecipients, buybacks } = chain.deployment.pump;
    const vault = await derived(programs.pumpPools, "creator_vault", bytesOf(grad.creator));
    const accumulator = await derived(programs.pumpPools, "user_volume_accumulator", bytesOf(wallet.address));
    const owners = [feeRecipients[2], buybacks[4], vault, accumulator, grad.pool] as Address[];
    const balances = async () => Promise.all(owners.map(async (owner) => reader.units(await coinsOf(owner))));
    for (const hasCashback of [false, true])
      await withPool(
        (data) => data.writeUInt8(Number(hasCashback), places.isCashback),
        async () => {
          for (const [side, order] of [
            ["buy", buyOf],
            ["sell", sellOf],
          ] as const) {
            const quote = await quoted(side, 10n ** 9n);
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
      rewrite(GLOBAL_CONFIG_PDA.toBase58() as Address, (data) =>
        data.writeUInt8(Number(isOn), data.length - 9),
      );
    await withPool(
      (data) => data.writeBigUInt64LE(250n, places.rate),
      async () => {
        for (const isOn of [false, true]) {
          await withRates(isOn);
          const quote = await quoted("buy", 10n ** 9n);
          expect(await reader.refusal(wallet.address, [await buyOf(10n ** 9n, quote - 1n)])).toBe(6004);
          expect(await reader.refusal(wallet.address, [await buyOf(10n ** 9n, quote)])).toBeNull();
        }
      },
    );
    await withRates(false);
  });

  it("refuses nothing, all tokens of the pool, more than the user has, and trades that are switched off", async () => {
    const { tokens } = await held(wallet.address);
    const all = await reader.units(grad.vaults.token);
    const [buy, sell] = [await buyOf(10n ** 6n, 10n ** 12n), await sellOf(10n ** 6n, 0n)];
    for (const [instruction, code] of [
      [await buyOf(0n, 10n ** 12n), pumpPoolErrors.noBase],
      [await buyOf(all, 10n ** 12n), pumpPoolErrors.tooManyTokens],
      [await sellOf(0n, 0n), pumpPoolErrors.noBase],
      [await sellOf(tokens + 1n, 0n), pumpPoolErrors.overflow],
    ] as const)
      expect(await reader.refusal(wallet.address, [instruction])).toBe(code);
    const disable = (bits: number) =>
      rewrite(GLOBAL_CONFIG_PDA.toBase58() as Address, (data) => data.writeUInt8(bits, 56));
    await disable(8 + 16);
    expect(await reader.refusal(wallet.address, [buy])).toBe(pumpPoolErrors.buyDisabled);
    expect(await reader.refusal(wallet.address, [sell])).toBe(pumpPoolErrors.sellDisabled);
    await disable(1 + 2 + 4);
    expect(await reader.refusal(wallet.address, [buy])).toBeNull();
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
      const stranger = await traderOf();
      await run(await buyOf(10n ** 9n, 10n ** 12n));
      await withPool(
        (data) => data.writeUInt8(Number(hasCashback), places.isCashback),
        async () => {
          const instruction =
            side === "buy" ? await buyOf(10n ** 6n, 10n ** 12n) : await sellOf(10n ** 6n, 0n);
          expect(await reader.refusal(wallet.address, [instruction])).toBeNull();
          const expected =
            side === "buy" ? [...codes] : codes.filter((_, index) => index !== 19 && index !== 20);
          const { otherAccumulator, otherAccumulatorTokens } = pumpPoolErrors;
          if (hasCashback)
            expected.splice(-3, 0, otherAccumulatorTokens, ...(side === "buy" ? [] : [otherAccumulator]));
          expect(instruction.accounts).toHaveLength(expected.length);
          const found: unknown[] = [];
          for (const [index] of expected.entries())
            found.push(
              await reader.refusal(payer.address, [
                withAccount(instruction, index, { address: stranger.address }),
              ]),
            );
          expect(found).toEqual(expected);
          const named = side === "buy" ? 23 : 21;
          for (const [index, { role }] of (instruction.accounts ?? []).entries()) {
            if (role !== WRITABLE) continue;
            const weaker = withAccount(instruction, index, { role: READONLY });
            const code = await reader.refusal(payer.address, [weaker]);
            if (index < named) expect([index, code]).toEqual([index, 2000]);
            else expect(code).not.toBeNull();
          }
          const unsigned = withAccount(instruction, 1, { role: WRITABLE });
          expect(await reader.refusal(payer.address, [unsigned])).toBe(3010);
          const unpaid = withAccount(instruction, 1, { role: AccountRole.READONLY_SIGNER });
          expect(await reader.refusal(payer.address, [unpaid])).toBe(2000);
          const short = { ...instruction, accounts: instruction.accounts?.slice(0, -1) ?? [] };
          expect(await reader.refusal(wallet.address, [short])).toBe(pumpPoolErrors.noBuyback);
        },
      );
    },
  );

  it("refuses accounts of other mints and owners", async () => {
    const instruction = await buyOf(10n ** 6n, 10n ** 12n);
    const stranger = await traderOf();
    const swapped = (index: number, address: Address) =>
      reader.refusal(wallet.address, [withAccount(instruction, index, { address })]);
    expect(await swapped(5, await tokensOf(stranger.address))).toBe(2015);
    expect(await swapped(6, await coinsOf(stranger.address))).toBe(2015);
    expect(await swapped(6, await tokensOf(wallet.address))).toBe(missing);
    await withPool(
      (data) => data.writeUInt8(1, places.isMayhem),
      async () => expect(await swapped(0, grad.pool)).toBe(pumpPoolErrors.otherRecipient),
    );
  });
});
