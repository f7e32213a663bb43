import { type Address, getCompiledTransactionMessageDecoder } from "@solana/web3.js";
import { describe, expect, it } from "vitest";
import { markerOf, programs, tokenAccountOf, wsolMint } from "../../../../lib/chains/sol/calls/addresses.ts";
import { pumpVolumeOfUser } from "../../../../lib/chains/sol/calls/pump-addresses.ts";
import { readReceipt } from "../../../../lib/chains/sol/messages/read-receipt.ts";
import { joinTransaction, signMessageAndWipe } from "../../../../lib/chains/sol/messages/signed-message.ts";
import type { AttemptTerms } from "../../../../lib/chains/sol/venues/message-terms.ts";
import {
  buyTerms,
  byJupiter,
  messageOf,
  onCurve,
  onPumpSwap,
  pumpNamed,
  saleTerms,
  solKey,
  wallet,
} from "../../../support/sol-terms.ts";

const markerRent = 655_320n;
const start = 10_000_000_000n;

/** Another account, with its lamports before and after a message, and its wrapped coins. */
type Other = { address: string; before?: bigint; after: bigint; units?: bigint };

/** Result of a message: the lamports that the wallet loses besides rent, and the change in its tokens. */
async function landed(
  terms: AttemptTerms,
  { coins, tokens, others = [] }: { coins: bigint; tokens: bigint; others?: readonly Other[] },
) {
  const message = await messageOf(terms);
  const signers = terms.venue.kind === "jupiter" ? ["wallet", "helper"] : ["wallet"];
  const signatures = signers.map((name) => signMessageAndWipe(message, solKey(name).seed));
  const { id, bytes } = joinTransaction(message, signatures);
  const accounts = getCompiledTransactionMessageDecoder().decode(message).staticAccounts;
  const marker = await markerOf(wallet, terms.orderId);
  const own = await tokenAccountOf(wallet, terms.mint, terms.tokenProgram);
  const place = accounts.indexOf(own);
  const fee = 5_000n + 300_000n;
  const after = new Map([
    [wallet, start + coins - markerRent - fee - (terms.tip?.lamports ?? 0n)],
    [marker, markerRent],
  ]);
  const before = new Map<string, bigint>([[wallet, start]]);
  for (const other of others) {
    const at = other.address as Address;
    before.set(at, other.before ?? 0n);
    after.set(at, other.after);
    after.set(wallet, (after.get(wallet) ?? 0n) - (other.after - (other.before ?? 0n) - (other.units ?? 0n)));
  }
  const wrapped = others.map(({ address, units: held = 0n }) => ({
    account: accounts.indexOf(address as Address),
    units: held,
  }));
  const units = 5_000_000_000n;
  return {
    id,
    found: {
      bytes,
      slot: 40,
      time: 1_795_291_200,
      fee,
      computeUnits: 1,
      failure: undefined,
      lamports: {
        before: accounts.map((each) => before.get(each) ?? 0n),
        after: accounts.map((each) => after.get(each) ?? 0n),
      },
      tokens: {
        before: [{ account: place, units }],
        after: [{ account: place, units: units + tokens }, ...wrapped],
      },
    },
  };
}

const { amountIn, minAmountOut } = buyTerms;

describe("readReceipt", () => {
  const raydium = "CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C";
  const jupiter = "JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4";
  const curve = "6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P";
  const pumpSwap = "pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA";
  const termsFor = {
    [raydium]: async (terms: AttemptTerms) => terms,
    [jupiter]: byJupiter,
    [curve]: onCurve,
    [pumpSwap]: onPumpSwap,
  };

  it.each([
    ["Raydium", raydium, 6005, true],
    ["Raydium", raydium, 6001, false],
    ["Jupiter", jupiter, 6001, true],
    ["Jupiter", jupiter, 6005, false],
    ["a curve", curve, 6042, true],
    ["a curve", curve, 6002, true],
    ["a curve", curve, 6003, true],
    ["a curve that is complete", curve, 6005, false],
    ["PumpSwap", pumpSwap, 6040, true],
    ["PumpSwap", pumpSwap, 6004, true],
    ["PumpSwap", pumpSwap, 6003, false],
  ] as const)(
    "decides for a failure in %s, program %s, whether code %i means too small an output: %s",
    async (_, program, code, isSlippage) => {
      const terms = await termsFor[program](buyTerms);
      const { id, found } = await landed(terms, { coins: 0n, tokens: 0n });
      const message = getCompiledTransactionMessageDecoder().decode(await messageOf(terms));
      const index = message.instructions.findIndex(
        ({ programAddressIndex }) => message.staticAccounts[programAddressIndex] === program,
      );
      expect(await readReceipt(wallet, id, { ...found, failure: { index, code } })).toMatchObject({
        status: "failed",
        isSlippage,
      });
    },
  );

  it("reads a buy and a sale exactly at their limits", async () => {
    const bought = await landed(buyTerms, { coins: -amountIn, tokens: minAmountOut });
    expect(await readReceipt(wallet, bought.id, bought.found)).toMatchObject({
      status: "ok",
      spent: amountIn,
      received: minAmountOut,
      rent: markerRent,
    });
    const sold = await landed(saleTerms, { coins: minAmountOut, tokens: -amountIn });
    expect(await readReceipt(wallet, sold.id, sold.found)).toMatchObject({
      status: "ok",
      spent: amountIn,
      received: minAmountOut,
      rent: markerRent,
    });
  });

  it.each([
    ["spends more than its amount", buyTerms, { coins: -amountIn - 1n, tokens: minAmountOut }],
    ["brings less than its minimum", buyTerms, { coins: -amountIn, tokens: minAmountOut - 1n }],
    ["brings nothing", buyTerms, { coins: -amountIn, tokens: 0n }],
    ["takes what it should bring", buyTerms, { coins: -amountIn, tokens: -1n }],
    ["sells more than its amount", saleTerms, { coins: minAmountOut, tokens: -amountIn - 1n }],
    ["sells below its minimum", saleTerms, { coins: minAmountOut - 1n, tokens: -amountIn }],
  ])("rejects a result in which an attempt %s", async (_, terms, change) => {
    const { id, found } = await landed(terms, change);
    expect(await readReceipt(wallet, id, found)).toBeUndefined();
  });

  it("reports a trade through Jupiter that delivers less than its minimum", async () => {
    const buy = await byJupiter(buyTerms);
    const { minAmountOut } = buy;
    const bought = await landed(buy, { coins: -amountIn, tokens: minAmountOut - 1n });
    const short = { status: "ok", spent: amountIn, received: minAmountOut - 1n, isBelowMinimum: true };
    expect(await readReceipt(wallet, bought.id, bought.found)).toMatchObject(short);
    const taken = await landed(buy, { coins: -amountIn, tokens: -1n });
    expect(await readReceipt(wallet, taken.id, taken.found)).toMatchObject({ ...short, received: 0n });
    const enough = await landed(buy, { coins: -amountIn, tokens: minAmountOut });
    expect(await readReceipt(wallet, enough.id, enough.found)).not.toHaveProperty("isBelowMinimum");
    const dear = await landed(buy, { coins: -amountIn - 1n, tokens: minAmountOut - 1n });
    expect(await readReceipt(wallet, dear.id, dear.found)).toBeUndefined();
    const sold = await landed(await byJupiter(saleTerms), { coins: minAmountOut - 1n, tokens: -amountIn });
    expect(await readReceipt(wallet, sold.id, sold.found)).toMatchObject(short);
  });

  it("reports a trade for the rest of a curve that delivers less, because others took a part", async () => {
    const buy = await onCurve({ ...buyTerms, minAmountOut: 700n }, { rest: 700n });
    const { id, found } = await landed(buy, { coins: -600n, tokens: 699n });
    const short = { status: "ok", spent: 600n, received: 699n, isBelowMinimum: true };
    expect(await readReceipt(wallet, id, found)).toMatchObject(short);
    const whole = await landed(await onCurve(buyTerms), { coins: -amountIn, tokens: minAmountOut - 1n });
    expect(await readReceipt(wallet, whole.id, whole.found)).toBeUndefined();
  });

  const volumeRent = 1_844_400n;
  const vaultRent = 890_880n;
  const wsolRent = 2_039_280n;

  it("counts accounts that a trade on a curve opens as rent, and nothing for those that exist", async () => {
    const volume = await pumpVolumeOfUser("curve", wallet);
    const bought = { coins: -amountIn, tokens: minAmountOut };
    const first = await landed(await onCurve(buyTerms), {
      ...bought,
      others: [
        { address: volume, after: volumeRent },
        { address: pumpNamed.vault, before: 10n ** 9n, after: 10n ** 9n + 30n, units: 30n },
      ],
    });
    expect(await readReceipt(wallet, first.id, first.found)).toMatchObject({
      spent: amountIn,
      received: minAmountOut,
      rent: markerRent + volumeRent,
    });
    const later = await landed(await onCurve(buyTerms), {
      ...bought,
      others: [{ address: volume, before: volumeRent, after: volumeRent + 77n, units: 77n }],
    });
    expect(await readReceipt(wallet, later.id, later.found)).toMatchObject({
      spent: amountIn,
      rent: markerRent,
    });
  });

  it("counts what fills up a new creator's vault as rent of a buy, within its rent", async () => {
    const buy = await onCurve(buyTerms);
    const vault = { address: pumpNamed.vault, after: vaultRent };
    const filled = await landed(buy, { coins: -amountIn, tokens: minAmountOut, others: [vault] });
    expect(await readReceipt(wallet, filled.id, filled.found)).toMatchObject({
      spent: amountIn,
      rent: markerRent + vaultRent,
    });
    const dear = await landed(buy, { coins: -amountIn - 1n, tokens: minAmountOut, others: [vault] });
    expect(await readReceipt(wallet, dear.id, dear.found)).toBeUndefined();
    const full = { ...vault, before: vaultRent, after: vaultRent };
    const more = await landed(buy, { coins: -amountIn - 1n, tokens: minAmountOut, others: [full] });
    expect(await readReceipt(wallet, more.id, more.found)).toBeUndefined();
  });

  it("counts what fills up a new creator's vault as rent of a sale that would otherwise bring too little", async () => {
    const sale = await onCurve(saleTerms);
    const vault = { address: pumpNamed.vault, after: vaultRent };
    const sold = await landed(sale, { coins: minAmountOut, tokens: -amountIn, others: [vault] });
    expect(await readReceipt(wallet, sold.id, sold.found)).toMatchObject({
      spent: amountIn,
      received: minAmountOut,
      rent: markerRent + vaultRent,
    });
    expect(await readReceipt(wallet, sold.id, sold.found)).not.toHaveProperty("isBelowMinimum");
    const less = await landed(sale, { coins: minAmountOut - 1n, tokens: -amountIn, others: [vault] });
    expect(await readReceipt(wallet, less.id, less.found)).toBeUndefined();
    const full = { ...vault, before: vaultRent, after: vaultRent };
    const short = await landed(sale, { coins: minAmountOut - 1n, tokens: -amountIn, others: [full] });
    expect(await readReceipt(wallet, short.id, short.found)).toBeUndefined();
  });

  it("counts the rent of a creator's wrapped coins on PumpSwap, but not the coins", async () => {
    const volume = await pumpVolumeOfUser("pool", wallet);
    const coins = await tokenAccountOf(pumpNamed.vault, wsolMint, programs.token);
    const bought = await landed(await onPumpSwap(buyTerms), {
      coins: -amountIn,
      tokens: minAmountOut,
      others: [
        { address: volume, after: volumeRent },
        { address: coins, after: wsolRent + 950n, units: 950n },
      ],
    });
    expect(await readReceipt(wallet, bought.id, bought.found)).toMatchObject({
      spent: amountIn,
      rent: markerRent + volumeRent + wsolRent,
    });
  });

  /** The rent that the chain charges if a marker's rent is that of the terms. */
  const rentNow = (bytes: bigint) => 5_080n * (128n + bytes);
  const gift = rentNow(0n);

  it("counts the rest of a rent that a stranger has paid in part before the trade", async () => {
    const [ofCurve, ofPool] = [
      await pumpVolumeOfUser("curve", wallet),
      await pumpVolumeOfUser("pool", wallet),
    ];
    const ofCreator = await tokenAccountOf(pumpNamed.vault, wsolMint, programs.token);
    const [volume, coins] = [rentNow(137n), rentNow(165n)];
    const bought = { coins: -amountIn, tokens: minAmountOut };
    const sold = { coins: minAmountOut, tokens: -amountIn };
    const opened = { address: ofCurve, before: gift, after: volume };
    const others = [
      { address: ofPool, before: gift, after: volume },
      { address: ofCreator, before: gift, after: coins + 950n, units: 950n },
    ];
    for (const [terms, result, rent] of [
      [await onCurve(buyTerms), { ...bought, others: [opened] }, volume - gift],
      [await onCurve(saleTerms), { ...sold, others: [opened] }, volume - gift],
      [await onPumpSwap(buyTerms), { ...bought, others }, volume + coins - 2n * gift],
      [await onPumpSwap(saleTerms), { ...sold, others: others.slice(1) }, coins - gift],
    ] as const) {
      const { id, found } = await landed(terms, result);
      expect(await readReceipt(wallet, id, found)).toMatchObject({
        spent: amountIn,
        received: minAmountOut,
        rent: markerRent + rent,
      });
    }
  });

  it("does not count coins that a trader gets back in an existing account as rent", async () => {
    const volume = await pumpVolumeOfUser("curve", wallet);
    const full = { address: volume, before: rentNow(137n), after: rentNow(137n) + 4_000n };
    const { id, found } = await landed(await onCurve(buyTerms), {
      coins: 4_000n - amountIn,
      tokens: minAmountOut,
      others: [full],
    });
    expect(await readReceipt(wallet, id, found)).toMatchObject({ spent: amountIn, rent: markerRent });
  });

  it("reads a transaction that was not paid for, even if the host leaves out its balances", async () => {
    const { id, found } = await landed(buyTerms, { coins: -amountIn, tokens: minAmountOut });
    const unpaid = {
      ...found,
      fee: 0n,
      failure: "unfunded" as const,
      lamports: { before: [], after: [] },
      tokens: { before: [], after: [] },
    };
    expect(await readReceipt(wallet, id, unpaid)).toMatchObject({
      status: "failed",
      isUnfunded: true,
      isSlippage: false,
      fee: 0n,
      rent: 0n,
    });
    expect(await readReceipt(wallet, id, { ...unpaid, failure: "other" })).toBeUndefined();
  });

  it("counts nothing as spent if a stranger's deposit exceeds what the order spent", async () => {
    const bought = await landed(buyTerms, { coins: 7n, tokens: minAmountOut });
    expect(await readReceipt(wallet, bought.id, bought.found)).toMatchObject({ spent: 0n });
    const sold = await landed(saleTerms, { coins: minAmountOut, tokens: 7n });
    expect(await readReceipt(wallet, sold.id, sold.found)).toMatchObject({ spent: 0n });
  });

  it("reads no receipt from bytes that are incomplete or not a transaction", async () => {
    const { id, found } = await landed(buyTerms, { coins: -amountIn, tokens: minAmountOut });
    for (const bytes of [
      new Uint8Array(),
      Uint8Array.of(1),
      Uint8Array.of(255, 1),
      found.bytes.subarray(0, 65),
      found.bytes.subarray(0, -1),
    ])
      expect(await readReceipt(wallet, id, { ...found, bytes })).toBeUndefined();
  });
});
