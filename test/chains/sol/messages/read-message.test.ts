import { isDeepStrictEqual } from "node:util";
import { getCompiledTransactionMessageDecoder } from "@solana/web3.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dontFront, programs } from "../../../../lib/chains/sol/calls/addresses.ts";
import { readMessage } from "../../../../lib/chains/sol/messages/read-message.ts";
import type { AttemptTerms, MessageTerms } from "../../../../lib/chains/sol/venues/message-terms.ts";
import {
  buyTerms,
  byJupiter,
  clearTerms,
  messageOf,
  onCurve,
  onPumpSwap,
  saleTerms,
  solKey,
  thief,
  tipAccount,
} from "../../../support/sol-terms.ts";

const saleOf2022 = (side: AttemptTerms["side"]): AttemptTerms => ({ ...saleTerms, side });

const samples: readonly (readonly [string, () => Promise<MessageTerms>])[] = [
  ["a buy", async () => buyTerms],
  ["a sale", async () => saleTerms],
  ["a clear", async () => clearTerms],
  ["a buy by Jupiter", () => byJupiter(buyTerms)],
  ["a buy on a curve", () => onCurve(saleOf2022("buy"))],
  ["a buy of a curve's rest", () => onCurve(buyTerms, { rest: buyTerms.minAmountOut })],
  ["a sale on a curve in mayhem mode", () => onCurve(saleTerms, { isMayhem: true })],
  ["a buy on PumpSwap", () => onPumpSwap(saleOf2022("buy"))],
  ["a buy on PumpSwap with cashback", () => onPumpSwap(buyTerms, { hasCashback: true })],
  ["a sale on PumpSwap", () => onPumpSwap(saleTerms)],
  ["a sale by Jupiter", () => byJupiter(saleTerms, { name: "route_v2" })],
];

const someKey = fc.uint8Array({ minLength: 8, maxLength: 8 }).map((bytes) => solKey(bytes.join()).address);
const lamports = fc.bigInt({ min: 1n, max: (1n << 60n) - 1n });

const attempts: fc.Arbitrary<MessageTerms> = fc
  .record({
    wallet: someKey,
    orderId: fc.stringMatching(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/),
    blockhash: someKey,
    computeUnitLimit: fc.integer({ min: 1, max: 1_400_000 }),
    microLamportsPerUnit: lamports,
    markerRentLamports: fc.bigInt({ min: 1n, max: 897_840n }),
    side: fc.constantFrom("buy" as const, "sell" as const),
    mint: someKey,
    tokenProgram: fc.constantFrom(programs.token, programs.token2022),
    amountIn: lamports,
    minAmountOut: lamports,
    wsolRentLamports: fc.bigInt({ min: 1n, max: 2_039_280n }),
    venue: fc.record({ kind: fc.constant("cpmm" as const), pool: someKey, config: someKey }),
    tipLamports: fc.option(lamports, { nil: undefined }),
  })
  .map(({ tipLamports, ...terms }) => ({
    purpose: "swap",
    ...terms,
    ...(tipLamports !== undefined && { tip: { account: tipAccount, lamports: tipLamports } }),
  }));

const markets = fc.record({
  isMayhem: fc.boolean(),
  hasCreator: fc.boolean(),
  hasCashback: fc.boolean(),
  rest: fc.option(fc.constant(2n ** 61n), { nil: undefined }),
});

describe("readMessage", () => {
  it("reads the terms that composeMessage has composed", async () => {
    await fc.assert(
      fc.asyncProperty(attempts, async (terms) => {
        expect(await readMessage(await messageOf(terms), [tipAccount])).toEqual(terms);
      }),
      { numRuns: 40 },
    );
  });

  it("reads the tip of an older message, which names no account against front-running", async () => {
    const tip = { account: tipAccount, lamports: 300_000n, isPlain: true } as const;
    for (const terms of [{ ...buyTerms, tip }, await byJupiter({ ...saleTerms, tip })]) {
      const message = await messageOf(terms);
      const named = getCompiledTransactionMessageDecoder().decode(message).staticAccounts;
      expect(named).not.toContain(dontFront);
      expect(await readMessage(message, [tipAccount])).toEqual(terms);
    }
  });

  it("reads the terms of trades on Pump's programs", async () => {
    await fc.assert(
      fc.asyncProperty(attempts, markets, async (terms, { isMayhem, rest, ...state }) => {
        if (terms.purpose === "clear") return;
        const curve = await onCurve(
          // The message that takes the rest names only that amount, which is then its minimum.
          rest === undefined || terms.side === "sell" ? terms : { ...terms, minAmountOut: rest },
          { isMayhem, ...(rest !== undefined && terms.side === "buy" && { rest }) },
        );
        const pool = await onPumpSwap(terms, { isMayhem, ...state });
        for (const each of [curve, pool])
          expect(await readMessage(await messageOf(each), [tipAccount])).toEqual(each);
      }),
      { numRuns: 40 },
    );
  });

  it.each(samples)("reads the terms of %s", async (_, sample) => {
    const terms = await sample();
    const read = await readMessage(await messageOf(terms), [tipAccount]);
    expect(read).toEqual(terms);
  });

  it.each(samples)(
    "after any change of one bit in %s, rejects the message or reads different terms",
    async (_, sample) => {
      const terms = await sample();
      const message = await messageOf(terms);
      const kept: number[] = [];
      // Changes one bit in about every sixteenth byte, or every bit with FULL=1.
      const step = process.env.FULL ? 1 : 127;
      for (let bit = 0; bit < message.length * 8; bit += step) {
        const changed = Uint8Array.from(message);
        changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
        const read = await readMessage(changed, [tipAccount]);
        if (isDeepStrictEqual(read, terms)) kept.push(bit);
      }
      expect(kept).toEqual([]);
    },
  );

  it.each(samples)("rejects %s with a byte added or removed", async (_, sample) => {
    const message = await messageOf(await sample());
    expect(await readMessage(Uint8Array.of(...message, 0), [tipAccount])).toBeUndefined();
    expect(await readMessage(message.subarray(0, -1), [tipAccount])).toBeUndefined();
    expect(await readMessage(message.subarray(1), [tipAccount])).toBeUndefined();
  });

  it("rejects a tip to an account that is not configured", async () => {
    expect(await readMessage(await messageOf(buyTerms), [])).toBeUndefined();
    expect(await readMessage(await messageOf(buyTerms, [tipAccount]), [thief])).toBeUndefined();
  });
});
