import { describe, expect, it } from "vitest";
import type { Account } from "../../../lib/chains/sol/calls/rpc-call.ts";
import { isSwapBetween } from "../../../lib/markets/sol/rules/sample-book.ts";
import { sampledVenues } from "../../../lib/markets/sol/venues.ts";

/** Encodes a curve with 40 coins of which 30 do not exist. */
function curveAccount({ isComplete = false } = {}): Account {
  const data = Buffer.alloc(125);
  data.write("17b7f83760d8ac60", "hex");
  for (const [index, value] of [10n ** 15n, 40n * 10n ** 9n, 7n * 10n ** 14n, 10n * 10n ** 9n].entries())
    data.writeBigUInt64LE(value, 8 + 8 * index);
  data.writeUInt8(isComplete ? 1 : 0, 48);
  return { owner: "Pump", lamports: 10n * 10n ** 9n + 5_000_000n, data };
}

const { pump } = sampledVenues;
const balance = (lamports: bigint) => () => ({ lamports });

describe("the curves of Pump", () => {
  it("read their amounts from one account, and none once they are complete", () => {
    expect(pump.amountsIn(["Curve"], () => curveAccount())).toEqual({
      coins: 40n * 10n ** 9n,
      tokens: 10n ** 15n,
      held: 10n * 10n ** 9n,
    });
    expect(pump.amountsIn(["Curve"], () => curveAccount({ isComplete: true }))).toBeUndefined();
    expect(pump.amountsIn(["Curve"], () => undefined)).toBeUndefined();
  });

  it("derive past amounts from past lamports, since the product of both amounts stays the same", () => {
    const present = curveAccount();
    const at = (lamports: bigint) => pump.pastAmounts(["Curve"], balance(lamports), () => present);
    expect(at(present.lamports)).toMatchObject({ coins: 40n * 10n ** 9n, tokens: 10n ** 15n });
    expect(at(present.lamports - 8n * 10n ** 9n)).toMatchObject({
      coins: 32n * 10n ** 9n,
      tokens: (10n ** 15n * 40n) / 32n,
    });
    expect(pump.pastAmounts(["Curve"], () => undefined)).toBeUndefined();
  });

  it("show a purchase as a swap of its coins without the present account", () => {
    const [before, after] = [10n, 13n].map((coins) =>
      pump.pastAmounts(["Curve"], balance(coins * 10n ** 9n)),
    );
    if (before === undefined || after === undefined) expect.fail("no amounts");
    expect([isSwapBetween(before, after), after.held - before.held]).toEqual([true, 3n * 10n ** 9n]);
  });
});
