import { describe, expect, it } from "vitest";
import { parseDecimal, zero } from "../../../lib/core/decimal.ts";
import {
  chooseReference,
  noReference,
  type ReferenceChoice,
  referenceFirst,
} from "../../../lib/markets/core/reference.ts";

const minuteMs = 60_000;

const pools = (depths: Record<string, string>) =>
  Object.entries(depths).map(([pool, depth]) => ({ pool, depth: parseDecimal(depth) ?? zero }));

/** Chooses the reference pool again at each of these minutes. */
function choices(first: ReferenceChoice, measured: readonly (readonly [number, Record<string, string>])[]) {
  let choice = first;
  return measured.map(([minute, depths]) => {
    choice = chooseReference(choice, pools(depths), minute * minuteMs);
    return choice.pool;
  });
}

const a: ReferenceChoice = { pool: "a", rivals: {} };

describe("chooseReference", () => {
  it("starts with the deepest pool", () => {
    expect(choices(noReference, [[0, { a: "3", b: "5", c: "4" }]])).toEqual(["b"]);
  });

  it("never chooses a pool with less than a tenth of a coin", () => {
    expect(choices(noReference, [[0, { a: "0.099999" }]])).toEqual([undefined]);
    expect(choices(noReference, [[0, { a: "0.1" }]])).toEqual(["a"]);
    expect(choices(a, [[0, { a: "0.09", b: "0.1" }]])).toEqual(["b"]);
    expect(choices(a, [[0, { a: "0.09" }]])).toEqual([undefined]);
    expect(choices(a, [[0, {}]])).toEqual([undefined]);
  });

  it("switches to a pool that has been 1.5 times as deep for ten minutes", () => {
    const deeper = { a: "2", b: "3" };
    expect(
      choices(a, [
        [0, deeper],
        [9.99, deeper],
        [10, deeper],
      ]),
    ).toEqual(["a", "a", "b"]);
    expect(
      choices(a, [
        [0, { a: "2", b: "2.999999" }],
        [60, { a: "2", b: "2.999999" }],
      ]),
    ).toEqual(["a", "a"]);
  });

  it("restarts the ten minutes once the other pool is no longer so deep", () => {
    const [deeper, equal] = [
      { a: "2", b: "3" },
      { a: "2", b: "2" },
    ];
    expect(
      choices(a, [
        [0, deeper],
        [5, equal],
        [9, deeper],
        [18, deeper],
        [19, deeper],
      ]),
    ).toEqual(["a", "a", "a", "a", "b"]);
  });

  it("chooses the deepest of the pools that have waited long enough", () => {
    const measured = { a: "2", b: "3", c: "4" };
    expect(
      choices(a, [
        [0, measured],
        [10, measured],
      ]),
    ).toEqual(["a", "c"]);
    // A pool that appeared later has not waited long enough.
    expect(
      choices(a, [
        [0, { a: "2", b: "3" }],
        [5, measured],
        [10, measured],
      ]),
    ).toEqual(["a", "a", "b"]);
  });

  it("switches at once if the reference pool has less than a tenth of another pool's depth", () => {
    expect(choices(a, [[0, { a: "1", b: "10" }]])).toEqual(["a"]);
    expect(choices(a, [[0, { a: "1", b: "10.1" }]])).toEqual(["b"]);
  });

  it("continues a wait that began in an earlier run", () => {
    const { rivals } = chooseReference(a, pools({ a: "2", b: "3" }), 0);
    const stored = JSON.parse(JSON.stringify({ pool: "a", rivals }));
    expect(choices(stored, [[10, { a: "2", b: "3" }]])).toEqual(["b"]);
  });
});

describe("referenceFirst", () => {
  const order = (last: string | undefined, depths: Record<string, string>) =>
    referenceFirst(pools(depths), last, 0).map(({ pool }) => pool);

  it("keeps the pool that a reader has chosen first, although another one is deeper", () => {
    expect(order("b", { a: "19", c: "3", b: "2" })).toEqual(["b", "a", "c"]);
    expect(order(undefined, { a: "19", b: "2" })).toEqual(["a", "b"]);
  });

  it("starts with the deepest pool if the last one is gone, shallow or much less deep", () => {
    expect(order("d", { a: "19", b: "2" })).toEqual(["a", "b"]);
    expect(order("b", { a: "19", b: "0.09" })).toEqual(["a", "b"]);
    expect(order("b", { a: "21", b: "2" })).toEqual(["a", "b"]);
  });
});
