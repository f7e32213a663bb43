import { describe, expect, it } from "vitest";
import { jupiterForQuote } from "../../../../lib/chains/sol/quotes/ask-jupiter.ts";
import { JupiterFault } from "../../../../lib/chains/sol/venues/jupiter-client.ts";
import { solKey } from "../../../support/sol-terms.ts";

const swap = {
  wallet: solKey("wallet").address,
  side: "buy",
  mint: solKey("mint").address,
  tokenProgram: solKey("program").address,
  decimals: 6,
  amountIn: 1000n,
} as const;

/** Opens Jupiter, which has no route, and counts questions by their amounts. */
function open() {
  const asked: bigint[] = [];
  const jupiter = jupiterForQuote({
    jupiter: {
      async build({ amountIn }) {
        asked.push(amountIn);
        throw new JupiterFault("no route");
      },
    },
    onJupiterFault: () => undefined,
  });
  if (jupiter === undefined) throw new Error("Jupiter is not open");
  return { asked, jupiter, orderId: jupiter.orderId };
}

describe("jupiterForQuote", () => {
  it("is asked once for a swap that has begun, however many hosts begin it", async () => {
    const { asked, jupiter, orderId } = open();
    for (const _ of [1, 2]) jupiter.begin(swap);
    await expect.poll(() => asked).toEqual([1000n, 100n]);
    for (const _ of [1, 2]) await jupiter.offers({ ...swap, orderId });
    expect(asked).toEqual([1000n, 100n]);
  });

  it("is asked again for a swap other than the one that has begun", async () => {
    const { asked, jupiter, orderId } = open();
    jupiter.begin(swap);
    for (const _ of [1, 2]) await jupiter.offers({ ...swap, orderId, wallet: solKey("payer").address });
    expect(asked).toEqual([1000n, 100n, 1000n, 100n]);
  });
});
