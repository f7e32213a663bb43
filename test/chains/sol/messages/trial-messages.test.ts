import { describe, expect, it } from "vitest";
import { roundTripMessage } from "../../../../lib/chains/sol/messages/trial-messages.ts";
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
