import { describe, expect, it } from "vitest";
import type { AttentionCode, Order } from "../../../lib/orders/execution.ts";
import { askedFor, coin, recordsOf, startMs, stop } from "../../replay/fixtures.ts";
import { type BuyFacts, judgedExit } from "./exit-audit.ts";

const at = (second: number) => new Date(startMs + 1000 * second).toISOString();

const versionAt = (second: number, stage: Order["stage"], code?: AttentionCode) =>
  ({
    version: second,
    stage,
    updatedAt: at(second),
    attention: code === undefined ? [] : [{ code, since: at(second) }],
  }) as Order;

const fill = { hash: "buy", spent: coin, received: 100n * coin, atMs: startMs + 20_000, place: 0 };
const bought = { hash: "buy", side: "buy", tokens: 100n * coin, atMs: fill.atMs } as const;
const sold = { hash: "sale", side: "sell", tokens: 100n * coin, atMs: startMs + 60_000 } as const;

type Changes = {
  price?: (second: number) => number;
  swaps?: BuyFacts["swaps"];
  reasonCode?: Order["reasonCode"];
};

/** Judges an exit whose buy fills after 20 seconds, and whose stop is at 0.9. */
function judged(versions: readonly Order[], { price = () => 1, swaps = [bought], reasonCode }: Changes = {}) {
  const order = { ...versions.at(-1), reasonCode } as Order;
  const shown = { asked: askedFor("avax", stop), order, versions };
  return judgedExit(shown, { fill, swaps, records: recordsOf("avax", price) });
}

const waits = versionAt(1, "pending");
const rests = versionAt(23, "resting");
const isSuspended = versionAt(23, "suspended", "EXIT_SUSPENDED");
const isClosed = versionAt(70, "done");
const isChanged = versionAt(70, "suspended", "POSITION_CHANGED");

const problem = (text: string) => [`exit rest of ann on avax ${text}`];

describe("judgedExit", () => {
  it("expects an exit to rest whose stop is far from the price of a sale", () => {
    expect(judged([waits, rests])).toMatchObject({ birth: "rests", problems: [] });
    expect(judged([waits, rests]).asked.cancelledAtMs).toBeUndefined();
    expect(judged([waits, isSuspended]).problems).toEqual(
      problem("is suspended, and its stop was far from the price of a sale at once"),
    );
  });

  it("expects an exit whose stop would sell at once only to be suspended", () => {
    const price = () => 0.91;
    const { asked, birth, problems } = judged([waits, isSuspended], { price });
    expect({ birth, problems, end: asked.cancelledAtMs }).toEqual({
      birth: "suspended",
      problems: [],
      end: startMs,
    });
    expect(judged([waits, rests], { price }).problems).toEqual(
      problem("rests, and its stop was too close to the price of a sale at once"),
    );
  });

  it("accepts either state while prices move, until the exit is no longer pending", () => {
    const price = (second: number) => (second < 25 ? 1 : 0.91);
    expect(judged([waits, rests], { price })).toMatchObject({ birth: "unclear", problems: [] });
    expect(judged([waits, isSuspended], { price })).toMatchObject({ birth: "unclear", problems: [] });
    const later = [waits, isSuspended, versionAt(40, "resting")];
    expect(judged(later, { price: (second) => (second < 27 ? 1 : 0.91) })).toMatchObject({ birth: "rests" });
  });

  it("looks at all prices until the last time that a replaced block has made an exit wait", () => {
    const versions = [waits, rests, versionAt(30, "pending"), versionAt(35, "suspended", "EXIT_SUSPENDED")];
    const price = (second: number) => (second < 33 ? 1 : 0.91);
    expect(judged(versions, { price })).toMatchObject({ birth: "unclear", problems: [] });
  });

  it("expects an exit to fire until its position is closed", () => {
    const { asked, problems } = judged([waits, rests], { swaps: [bought, sold] });
    expect([asked.cancelledAtMs, problems]).toEqual([sold.atMs, []]);
  });

  it.each([
    ["has ended, and no sale had closed its position", [waits, rests, isClosed], "POSITION_CLOSED"],
    ["is suspended, and no sale had closed its position", [waits, rests, isChanged], undefined],
  ] as const)("reports that an exit %s", (text, versions, reasonCode) => {
    const late = { ...sold, atMs: startMs + 90_000 };
    for (const swaps of [[bought], [bought, late]])
      expect(judged(versions, { swaps, reasonCode }).problems).toEqual(problem(text));
    expect(judged(versions, { swaps: [bought, sold], reasonCode }).problems).toEqual([]);
  });
});
