import {
  getBuySolAmountFromTokenAmount,
  getSellSolAmountFromTokenAmount,
  PUMP_SDK,
} from "@pump-fun/pump-sdk";
import { AccountRole, type Address, type IInstruction } from "@solana/web3.js";
import fc from "fast-check";
import {
  associatedAccount,
  bytesOf,
  derived,
  programs,
  wrappedCoin,
} from "trading-terminal-devnet/sol/published";
import type { CurveToken } from "trading-terminal-devnet/sol/pump-deployment";
import { curveErrors } from "trading-terminal-devnet/sol/stand-in-curve";
import { startTestSurfnet, type TestSurfnet } from "trading-terminal-devnet/sol/test-surfnet";
import type { TestWallet } from "trading-terminal-devnet/sol/test-wallet";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  bigintOf,
  createAccount,
  instructionOf,
  librariesOf,
  pumpReader,
  withAccount,
} from "../../support/pump-on-chain.ts";

const { keyOf, numberOf } = librariesOf("@pump-fun/pump-sdk");
const signatureFee = 5000n;

let chain: TestSurfnet;
let reader: ReturnType<typeof pumpReader>;
let wallet: TestWallet;
let bend: CurveToken;
let brim: CurveToken;
beforeAll(async () => {
  chain = await startTestSurfnet();
  reader = pumpReader(chain);
  ({ BEND: bend, BRIM: brim } = chain.deployment.pump.curves);
  wallet = await traderOf([bend, brim]);
});
afterAll(() => chain.stop());

/** Makes a wallet that has accounts for tokens. */
async function traderOf(tokens: readonly CurveToken[]): Promise<TestWallet> {
  const trader = await chain.newWallet(1000n * 10n ** 9n);
  const create = ({ mint, program }: CurveToken) => createAccount(trader.address, mint, program);
  await chain.transact(trader, await Promise.all(tokens.map(create)));
  return trader;
}

const unitsOf = async ({ mint, program }: CurveToken, owner = wallet) =>
  reader.units(await associatedAccount(owner.address, program, mint));

const common = ({ mint, program, creator }: CurveToken, user: Address) => ({
  user: keyOf(user),
  mint: keyOf(mint),
  creator: keyOf(creator),
  tokenProgram: keyOf(program),
  feeRecipient: keyOf(chain.deployment.pump.feeRecipients[3] as Address),
  buybackFeeRecipient: keyOf(chain.deployment.pump.buybacks[5] as Address),
});

async function buyOf(token: CurveToken, tokens: bigint, most: bigint, user = wallet.address) {
  const amounts = { amount: numberOf(tokens), quoteAmount: numberOf(most) };
  return instructionOf(await PUMP_SDK.getBuyV2InstructionRaw({ ...common(token, user), ...amounts }));
}

async function sellOf(token: CurveToken, tokens: bigint, least: bigint, user = wallet.address) {
  const amounts = { amount: numberOf(tokens), quoteAmount: numberOf(least) };
  return instructionOf(await PUMP_SDK.getSellV2InstructionRaw({ ...common(token, user), ...amounts }));
}

/** Turns a purchase of an exact number of tokens into one for an exact number of coins, which names the same accounts. */
async function spendOf(token: CurveToken, coins: bigint, least: bigint): Promise<IInstruction> {
  const { accounts, programAddress } = await buyOf(token, 1n, 1n);
  const data = Buffer.alloc(24);
  data.write("c2ab1c46684d5b2f", "hex");
  data.writeBigUInt64LE(coins, 8);
  data.writeBigUInt64LE(least, 16);
  return { programAddress, data, ...(accounts && { accounts }) };
}

async function quoted(
  side: "buy" | "sell",
  token: CurveToken,
  tokens: bigint,
  supply = 10n ** 15n,
): Promise<bigint> {
  const global = await reader.global();
  const facts = {
    global,
    feeConfig: await reader.fees(),
    mintSupply: numberOf(supply),
    bondingCurve: await reader.curve(token.curve),
    amount: numberOf(tokens),
    quoteMint: keyOf(programs.system),
  };
  return bigintOf(
    side === "buy" ? getBuySolAmountFromTokenAmount(facts) : getSellSolAmountFromTokenAmount(facts),
  );
}

/** Runs an instruction of the wallet. Returns the error and the coins that it brought or cost, without the fee. */
async function run(instruction: IInstruction, by = wallet) {
  const before = await reader.lamports(by.address);
  const { meta } = await chain.transact(by, [instruction]);
  return { error: meta.err, coins: (await reader.lamports(by.address)) - before + signatureFee };
}

const volumeOf = (user: Address) => derived(programs.pump, "user_volume_accumulator", bytesOf(user));

/** Places in a curve's account. */
const places = {
  isComplete: 48,
  creator: 49,
  isMayhem: 81,
  isCashback: 82,
  quoteMint: 83,
  creatorFeeBps: 115,
};

describe("the stand-in of Pump's curve", () => {
  it("takes and pays exactly the SDK's quotes", async () => {
    await run(await buyOf(bend, 10n ** 12n, 10n ** 12n));
    const trades = fc.sample(
      fc.record({
        token: fc.constantFrom(bend, brim),
        side: fc.constantFrom("buy", "buy", "sell" as const),
        size: fc.bigInt(1n, 10n ** 13n),
        shift: fc.bigInt(0n, 43n),
      }),
      { seed: 7, numRuns: 32 },
    );
    const seen = { buy: 0, sell: 0 };
    for (const { token, side, size, shift } of trades) {
      const held = await unitsOf(token);
      const tokens = (size >> shift) + 1n;
      if (side === "sell" && tokens > held) continue;
      seen[side]++;
      const quote = await quoted(side, token, tokens);
      const order = side === "buy" ? buyOf : sellOf;
      const worse = side === "buy" ? quote - 1n : quote + 1n;
      const code = side === "buy" ? curveErrors.tooDear : curveErrors.tooLittle;
      expect(await reader.refusal(wallet.address, [await order(token, tokens, worse)])).toBe(code);
      const coins = side === "buy" ? -quote : quote;
      expect(await run(await order(token, tokens, quote))).toEqual({ error: null, coins });
      expect(await unitsOf(token)).toBe(side === "buy" ? held + tokens : held - tokens);
    }
    expect(Math.min(seen.buy, seen.sell)).toBeGreaterThan(5);
  }, 60_000);

  it("sells as many tokens as an exact number of coins buys", async () => {
    for (const coins of [10_000n, 123_456_789n, 2_000_000_001n]) {
      const { virtualQuoteReserves, virtualTokenReserves } = await reader.curve(bend.curve);
      const [held, bps] = [await unitsOf(bend), 123n];
      let net = (coins * 10_000n) / (10_000n + bps);
      const fees = (net * 93n + 9999n) / 10_000n + (net * 30n + 9999n) / 10_000n;
      if (net + fees > coins) net = coins - fees;
      const tokens =
        ((net - 1n) * bigintOf(virtualTokenReserves)) / (bigintOf(virtualQuoteReserves) + net - 1n);
      const tooMany = await spendOf(bend, coins, tokens + 1n);
      expect(await reader.refusal(wallet.address, [tooMany])).toBe(curveErrors.fewerTokens);
      const spent = await run(await spendOf(bend, coins, tokens));
      expect(spent).toEqual({ error: null, coins: -(net + fees) });
      expect((await unitsOf(bend)) - held).toBe(tokens);
    }
  });

  it("makes the user pay the rent of accounts that the trade creates", async () => {
    const creator = (await chain.newWallet()).address;
    const token = { ...bend, creator };
    await reader.rewrite(bend.curve, (data) => data.set(bytesOf(creator), places.creator));
    const trader = await traderOf([bend]);
    const quote = await quoted("buy", token, 10n ** 12n);
    const rents = (await reader.rent(137)) + (await reader.rent(0));
    const bought = await run(await buyOf(token, 10n ** 12n, quote, trader.address), trader);
    expect(bought).toEqual({ error: null, coins: -quote - rents });
    const { data, owner } = await reader.dataAt(await volumeOf(trader.address));
    expect([data.length, owner.toBase58()]).toEqual([137, programs.pump]);
    expect(data.subarray(8, 40)).toEqual(Buffer.from(bytesOf(trader.address)));
    await reader.rewrite(bend.curve, (each) => each.set(bytesOf(bend.creator), places.creator));
  });

  it("pays fees to the protocol, to buybacks and to the creator, or to the user as cashback", async () => {
    const { feeRecipients, buybacks } = chain.deployment.pump;
    const vault = await derived(programs.pump, "creator-vault", bytesOf(bend.creator));
    const receivers = [feeRecipients[3], buybacks[5], vault, await volumeOf(wallet.address), bend.curve];
    const balances = () => Promise.all(receivers.map((each) => reader.lamports(each as Address)));
    async function paid(instruction: IInstruction) {
      const before = await balances();
      expect(await run(instruction)).toMatchObject({ error: null });
      return (await balances()).map((each, index) => each - (before[index] ?? 0n));
    }
    for (const [side, order] of [
      ["buy", buyOf],
      ["sell", sellOf],
    ] as const)
      for (const hasCashback of [false, true]) {
        await reader.rewrite(bend.curve, (data) => data.writeUInt8(Number(hasCashback), places.isCashback));
        const quote = await quoted(side, bend, 10n ** 12n);
        const [fee = 0n, buyback = 0n, creator = 0n, cashback = 0n, curve = 0n] = await paid(
          await order(bend, 10n ** 12n, quote),
        );
        const price = side === "buy" ? curve : -curve;
        expect(fee + buyback).toBe((price * 93n + 9999n) / 10_000n);
        expect(buyback).toBe((fee + buyback) / 2n);
        const share = (price * 30n + 9999n) / 10_000n;
        expect([creator, cashback]).toEqual(hasCashback ? [0n, share] : [share, 0n]);
      }
    await reader.rewrite(bend.curve, (data) => data.writeUInt8(0, places.isCashback));
  });

  it("reads the creator's own rate only if creators may set one", async () => {
    const withRates = (isOn: boolean) =>
      derived(programs.pump, "global").then((at) =>
        // The flag precedes the highest rate, an address and another flag.
        reader.rewrite(at, (data) => data.writeUInt8(Number(isOn), data.length - 42)),
      );
    await reader.rewrite(bend.curve, (data) => data.writeBigUInt64LE(250n, places.creatorFeeBps));
    for (const isOn of [false, true]) {
      await withRates(isOn);
      const quote = await quoted("buy", bend, 10n ** 12n);
      expect(await reader.refusal(wallet.address, [await buyOf(bend, 10n ** 12n, quote - 1n)])).toBe(6002);
      expect(await reader.refusal(wallet.address, [await buyOf(bend, 10n ** 12n, quote)])).toBeNull();
    }
    await withRates(false);
    await reader.rewrite(bend.curve, (data) => data.writeBigUInt64LE(0n, places.creatorFeeBps));
  });

  it("values tokens in mayhem mode by their own supply", async () => {
    // Three times the usual supply is worth enough for the next rates.
    const supply = 3n * 10n ** 15n;
    await reader.rewrite(bend.mint, (data) => data.writeBigUInt64LE(supply, 36));
    const tokens = 10n ** 12n;
    const order = async () => {
      const { reservedFeeRecipient } = await reader.global();
      const amounts = {
        amount: numberOf(tokens),
        quoteAmount: numberOf(await quoted("buy", bend, tokens, supply)),
      };
      const own = { ...common(bend, wallet.address), feeRecipient: reservedFeeRecipient };
      return instructionOf(await PUMP_SDK.getBuyV2InstructionRaw({ ...own, ...amounts }));
    };
    const usual = await quoted("buy", bend, tokens, supply);
    await reader.rewrite(bend.curve, (data) => data.writeUInt8(1, places.isMayhem));
    const quote = await quoted("buy", bend, tokens, supply);
    expect(quote).toBeLessThan(usual);
    expect(await run(await order())).toEqual({ error: null, coins: -quote });
    await reader.rewrite(bend.curve, (data) => data.writeUInt8(0, places.isMayhem));
    await reader.rewrite(bend.mint, (data) => data.writeBigUInt64LE(10n ** 15n, 36));
  });

  it("refuses more tokens than it has, none at all, and more than the user has", async () => {
    const left = bigintOf((await reader.curve(bend.curve)).realTokenReserves);
    const most = 10n ** 15n;
    const held = await unitsOf(bend);
    for (const [instruction, code] of [
      [await buyOf(bend, left + 1n, most), curveErrors.tooFewTokens],
      [await buyOf(bend, 0n, most), curveErrors.buysNothing],
      [await sellOf(bend, 0n, 0n), curveErrors.sellsNothing],
      [await sellOf(bend, held + 1n, 0n), curveErrors.tooFewToSell],
    ] as const)
      expect(await reader.refusal(wallet.address, [instruction])).toBe(code);
  });

  it("completes with its last tokens, and refuses all trades afterwards", async () => {
    const left = bigintOf((await reader.curve(brim.curve)).realTokenReserves);
    const quote = await quoted("buy", brim, left);
    expect(await run(await buyOf(brim, left, quote))).toEqual({ error: null, coins: -quote });
    expect(await reader.curve(brim.curve)).toMatchObject({ complete: true });
    for (const each of [
      await buyOf(brim, 1n, 10n ** 9n),
      await sellOf(brim, 1n, 0n),
      await spendOf(brim, 10n ** 6n, 0n),
    ])
      expect(await reader.refusal(wallet.address, [each])).toBe(curveErrors.isComplete);
  });
});

const { READONLY, WRITABLE } = AccountRole;

/** Codes for a stranger's account in place of each account of a purchase. */
const seeds = 2006;
const codes = [
  ...[seeds, seeds, curveErrors.otherQuote, curveErrors.otherQuote, 3008, 3008],
  ...[seeds, seeds, seeds, seeds, seeds, seeds, seeds, seeds, seeds, seeds],
  ...[seeds, seeds, seeds, seeds, seeds, seeds, seeds, 2012, 3008, seeds, 3008],
];

describe("accounts of a trade on Pump's curve", () => {
  it.each(["buy", "sell"] as const)(
    "refuses to %s with any other account, or with fewer rights",
    async (side) => {
      await run(await buyOf(bend, 10n ** 9n, 10n ** 9n));
      const instruction =
        side === "buy" ? await buyOf(bend, 10n ** 6n, 10n ** 9n) : await sellOf(bend, 10n ** 6n, 0n);
      expect(await reader.refusal(wallet.address, [instruction])).toBeNull();
      const payer = await chain.newWallet();
      const stranger = await traderOf([bend]);
      const expected = side === "buy" ? codes : codes.filter((_, index) => index !== 19);
      expect(instruction.accounts).toHaveLength(expected.length);
      for (const [index, { role }] of (instruction.accounts ?? []).entries()) {
        const other = withAccount(instruction, index, { address: stranger.address });
        const code = await reader.refusal(payer.address, [other]);
        expect([index, typeof code]).toEqual([index, "number"]);
        expect([index, code]).toEqual([index, expected[index]]);
        if (role === WRITABLE) {
          const weaker = withAccount(instruction, index, { role: READONLY });
          expect([index, await reader.refusal(payer.address, [weaker])]).toEqual([index, 2000]);
        }
      }
      const unsigned = withAccount(instruction, 13, { role: WRITABLE });
      expect(await reader.refusal(payer.address, [unsigned])).toBe(3010);
      const unpaid = withAccount(instruction, 13, { role: AccountRole.READONLY_SIGNER });
      expect(await reader.refusal(payer.address, [unpaid])).toBe(2000);
      const short = { ...instruction, accounts: instruction.accounts?.slice(0, -1) ?? [] };
      expect(await reader.refusal(wallet.address, [short])).toBe(3005);
    },
  );

  it("refuses other recipients, creators and volumes, though all addresses fit", async () => {
    const own = common(bend, wallet.address);
    const amounts = { amount: numberOf(10n ** 6n), quoteAmount: numberOf(10n ** 9n) };
    const stranger = keyOf((await chain.newWallet()).address);
    const refused = async (change: Partial<typeof own>) =>
      reader.refusal(wallet.address, [
        instructionOf(await PUMP_SDK.getBuyV2InstructionRaw({ ...own, ...amounts, ...change })),
      ]);
    expect(await refused({ feeRecipient: stranger })).toBe(curveErrors.notAuthorized);
    expect(await refused({ buybackFeeRecipient: stranger })).toBe(curveErrors.otherBuyback);
    expect(await refused({ creator: stranger })).toBe(seeds);
    const volume = await volumeOf(stranger.toBase58() as Address);
    const buy = await buyOf(bend, 10n ** 6n, 10n ** 9n);
    const volumeCoins = await associatedAccount(volume, programs.token, wrappedCoin);
    const ofOther = withAccount(withAccount(buy, 20, { address: volume }), 21, { address: volumeCoins });
    expect(await reader.refusal(wallet.address, [ofOther])).toBe(seeds);
    await reader.rewrite(bend.curve, (data) => data.writeUInt8(1, places.isMayhem));
    expect(await refused({})).toBe(curveErrors.notAuthorized);
    await reader.rewrite(bend.curve, (data) => data.writeUInt8(0, places.isMayhem));
    await reader.rewrite(bend.curve, (data) => data.set(bytesOf(wrappedCoin), places.quoteMint));
    expect(await refused({})).toBe(curveErrors.otherQuote);
    await reader.rewrite(bend.curve, (data) => data.fill(0, places.quoteMint, places.quoteMint + 32));
    expect(await refused({})).toBeNull();
  });

  it.each([
    ["the curve", async () => bend.curve],
    ["the settings", () => derived(programs.pump, "global")],
    ["the fees", () => derived(programs.pumpFees, "fee_config", bytesOf(programs.pump))],
    ["all volumes", () => derived(programs.pump, "global_volume_accumulator")],
    ["the user's volume", () => volumeOf(wallet.address)],
  ] as const)("refuses %s as an account of another program or kind", async (_, placeOf) => {
    const [at, instruction] = [await placeOf(), await buyOf(bend, 10n ** 6n, 10n ** 9n)];
    const { data, lamports, owner } = await reader.dataAt(at);
    const set = (by: string, content: Buffer) =>
      chain.setAccount(at, BigInt(lamports), by as Address, content);
    await set(programs.token, data);
    expect(await reader.refusal(wallet.address, [instruction])).toBe(3007);
    await set(owner.toBase58(), Buffer.concat([Buffer.alloc(8, 1), data.subarray(8)]));
    expect(await reader.refusal(wallet.address, [instruction])).toBe(3002);
    await set(owner.toBase58(), data);
    expect(await reader.refusal(wallet.address, [instruction])).toBeNull();
  });

  it("refuses an unknown instruction and short data", async () => {
    const instruction = await buyOf(bend, 1n, 10n ** 9n);
    const other = { ...instruction, data: new Uint8Array(24) };
    expect(await reader.refusal(wallet.address, [other])).toBe(101);
    const short = { ...instruction, data: instruction.data?.slice(0, 23) ?? new Uint8Array() };
    expect(await reader.refusal(wallet.address, [short])).toBe(102);
  });
});
