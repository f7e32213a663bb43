import { describe, expect, it } from "vitest";
import { obstaclesIn, roundTripMessage } from "../../../../lib/chains/sol/messages/trial-messages.ts";
import { readSolBytes } from "../../../support/sol-bytes.ts";
import { buyTerms, solKey, wallet } from "../../../support/sol-terms.ts";

const raydium = "CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C";
const { mint, tokenProgram, blockhash } = buyTerms;
const trial = { wallet, mint, tokenProgram, blockhash, rents: { marker: 0n, wsol: 2_039_280n } };
const route = {
  venue: "raydium-cpmm",
  pool: solKey("pool").address,
  config: solKey("config").address,
} as const;
const pool = { routeFor: async () => ({ route }) };

describe("roundTripMessage", () => {
  it.each([
    [1_000n, 500n],
    [1n, 1n],
  ])(
    "sells only half of %i bought units, because the price may move, but never nothing",
    async (bought, sold) => {
      const message = await roundTripMessage(trial, { pool, amountIn: 7n, bought });
      const swaps = readSolBytes(message).instructions.filter(({ program }) => program === raydium);
      expect(swaps.map(({ data }) => data.readBigUInt64LE(8))).toEqual([7n, sold]);
    },
  );
});

describe("obstaclesIn", () => {
  const done = { computeUnits: 1, isDone: true };
  const failed = (failedAt: number, code?: number) => ({
    computeUnits: 1,
    isDone: false,
    failedAt,
    ...(code !== undefined && { code }),
  });
  const unfunded = { computeUnits: 0, isDone: false, isUnfunded: true } as const;

  it.each([
    ["a payer that cannot pay", "raydium-cpmm", unfunded, "coins"],
    ["the account of wrapped coins", "raydium-cpmm", failed(6, 1), "coins"],
    ["the trade in a pool", "raydium-cpmm", failed(7, 1), "trade"],
    ["rents in PumpSwap", "pumpswap", failed(8, 1), "coins"],
    ["the trade in PumpSwap", "pumpswap", failed(8, 6004), "trade"],
    ["the amount on a curve", "pump", failed(5, 1), "coins"],
    ["the trade on a curve", "pump", failed(4, 6002), "trade"],
    ["nothing", "pump", done, undefined],
    ["an unknown cause", "pump", undefined, undefined],
  ] as const)("finds the cause of a failure: %s", (_, venue, simulation, cause) => {
    expect(obstaclesIn([{ venue, simulation }])).toEqual([cause]);
  });

  it("blames the trade of a route if the wallet can pay for another one", () => {
    const inPool = { venue: "raydium-cpmm", simulation: done } as const;
    const onPump = { venue: "pumpswap", simulation: failed(8, 1) } as const;
    expect(obstaclesIn([onPump, inPool])).toEqual(["trade", undefined]);
    expect(obstaclesIn([onPump, { ...inPool, simulation: failed(6, 1) }])).toEqual(["coins", "coins"]);
  });
});
