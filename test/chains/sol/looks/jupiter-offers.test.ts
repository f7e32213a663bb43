import { beforeEach, describe, expect, it } from "vitest";
import { programs } from "../../../../lib/chains/sol/calls/addresses.ts";
import { JupiterOffers } from "../../../../lib/chains/sol/looks/jupiter-offers.ts";
import { type BuildQuestion, JupiterFault } from "../../../../lib/chains/sol/venues/jupiter-client.ts";
import type { SwapByJupiter } from "../../../../lib/chains/sol/venues/jupiter-venue.ts";
import { buyTerms, orderId, wallet } from "../../../support/sol-terms.ts";
import { intentOf } from "../fixtures.ts";

const swap: SwapByJupiter = {
  wallet,
  orderId,
  side: "buy",
  mint: buyTerms.mint,
  tokenProgram: programs.token,
  decimals: 6,
  amountIn: 5n,
};

let asked: BuildQuestion[] = [];
let nowMs = 0;
let isSilent = false;
const faults: unknown[] = [];
beforeEach(() => {
  asked = [];
  nowMs = 0;
  isSilent = false;
  faults.length = 0;
});

const offersOf = () =>
  new JupiterOffers(
    {
      jupiter: {
        async build(question) {
          asked.push(question);
          if (isSilent) throw new JupiterFault("TIMEOUT");
          const rest = { tables: new Map(), amountOut: 1n, labels: [], setupPrograms: [] };
          return { accounts: [], data: new Uint8Array(), ...rest };
        },
      },
      onJupiterFault: (fault) => void faults.push(fault),
    },
    () => nowMs,
  );

const helperOf = async (offers: JupiterOffers, each = swap) => (await offers.forLook()(each))?.venue.helper;

describe("JupiterOffers", () => {
  it("requests one offer for all hosts of a look, and does not reuse it for another swap", async () => {
    const offerFor = offersOf().forLook();
    const [a, b, c] = await Promise.all([
      offerFor(swap),
      offerFor(swap),
      offerFor({ ...swap, amountIn: 6n }),
    ]);
    expect(a).toBe(b);
    expect([c, asked.length]).toEqual([undefined, 1]);
  });

  it("requests an offer for each order, with a separate helper key for each", async () => {
    const offers = offersOf();
    const helpers = [await helperOf(offers), await helperOf(offers, { ...swap, orderId: "other" })];
    expect(new Set(helpers).size).toBe(2);
    expect(asked.map(({ helper }) => helper)).toEqual(helpers);
  });

  it("keeps an offer for five seconds", async () => {
    const offers = offersOf();
    const first = await helperOf(offers);
    nowMs = 4999;
    expect(await helperOf(offers)).toBe(first);
    nowMs = 5000;
    expect(await helperOf(offers)).not.toBe(first);
    expect(asked).toHaveLength(2);
  });

  it("does not query a silent Jupiter in every look", async () => {
    isSilent = true;
    const offers = offersOf();
    expect([await helperOf(offers), await helperOf(offers)]).toEqual([undefined, undefined]);
    expect([asked.length, faults.length]).toEqual([1, 1]);
    nowMs = 5000;
    isSilent = false;
    expect(await helperOf(offers)).toBeDefined();
  });

  it("requests another offer if the wallet has less to sell", async () => {
    const offers = offersOf();
    const first = await helperOf(offers);
    expect(await helperOf(offers, { ...swap, amountIn: 4n })).not.toBe(first);
    expect(asked.map(({ amountIn }) => amountIn)).toEqual([5n, 4n]);
  });

  it("signs neither messages that have no helper nor those that the signer would not compose", async () => {
    const offers = offersOf();
    const helper = (await helperOf(offers)) ?? "";
    const common = {
      signatures: 2,
      computeUnitLimit: 1,
      microLamportsPerUnit: 0n,
      blockhash: wallet,
      lastValidBlockHeight: 1,
      markerRentLamports: 1n,
    };
    expect(await offers.sign(intentOf(), { ...common, purpose: "clear" })).toBeUndefined();
    const build = { helper, sourceDecimals: 9, accounts: [], data: "" };
    const message = { ...common, amountIn: 5n, wsolRentLamports: 1n, build } as const;
    const route = { venue: "jupiter-metis" } as const;
    expect(await offers.sign(intentOf(), { ...message, purpose: "swap", route })).toBeUndefined();
    // Neither the key nor the offer may be used up by a rejected message.
    expect(await helperOf(offers)).toBe(helper);
  });
});
