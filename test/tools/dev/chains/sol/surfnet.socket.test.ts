import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Surfnet, startSurfnet } from "../../../../../lib/tools/dev/chains/sol/surfnet.ts";
import { cpmmProgram } from "../../../../../lib/trading/chains/sol/cpmm-addresses.ts";
import { jupiterProgram } from "../../../../../lib/trading/chains/sol/jupiter.ts";

let chain: Surfnet;
beforeAll(async () => {
  chain = await startSurfnet({
    slotMs: 60_000,
    amm: { program: cpmmProgram, bump: 255 },
    jupiter: { program: jupiterProgram, bump: 255 },
  });
});
afterAll(() => chain.stop());

describe("a Solana chain of its own process", () => {
  it("goes on after more events than its queue holds", async () => {
    const first = (await chain.request("getSlot", [{ commitment: "processed" }])) as number;
    // Each of these has three events, and the queue 1024 places.
    const slots = 400;
    for (let slot = first + 1; slot <= first + slots; slot++)
      await chain.request("surfnet_timeTravel", [{ absoluteSlot: slot }]);
    expect(await chain.request("getSlot", [{ commitment: "processed" }])).toBe(first + slots);
  }, 20_000);
});
