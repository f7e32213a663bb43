import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PoolSighting, Witnesses } from "../../../../lib/markets/sol/rules/witnesses.ts";

/** Makes a sighting of a pool with 1,000 tokens. Five slots last a second. */
const sighting = (slot: number, coins: number, rest: Partial<PoolSighting> = {}): PoolSighting => ({
  slot,
  time: 1000 + Math.floor(slot / 5),
  coins: BigInt(coins),
  tokens: 1000n,
  held: BigInt(coins),
  ...rest,
});

/** Notes sightings one by one, as pairs of slot and coins, and returns the coins of those that have come to count. */
function agreedOf(
  notes: readonly ["a" | "b", slot: number, coins: number, rest?: Partial<PoolSighting>][],
  isAlone = false,
) {
  const witnesses = new Witnesses(isAlone);
  for (const [host, ...shown] of notes) witnesses.note(host, sighting(...shown));
  return witnesses.takeAgreed().map(({ slot, coins }) => [slot, Number(coins)]);
}

describe("Witnesses", () => {
  it.each<[string, ...Parameters<typeof agreedOf>, number[][]]>([
    ["trusts the only host of a chain", [["a", 1, 10]], true, [[1, 10]]],
    [
      "does not believe one host of two",
      [
        ["a", 1, 10],
        ["a", 6, 11],
      ],
      false,
      [],
    ],
    [
      "trusts equal states at one slot",
      [
        ["a", 1, 10],
        ["b", 1, 10],
      ],
      false,
      [[1, 10]],
    ],
    [
      "does not believe different states at one slot",
      [
        ["a", 1, 10],
        ["b", 1, 11],
      ],
      false,
      [],
    ],
    [
      "trusts a state that has not changed until the other host's slot",
      [
        ["a", 1, 10],
        ["b", 3, 10],
      ],
      false,
      [[1, 10]],
    ],
    [
      "trusts a price between two of the other host",
      [
        ["a", 1, 10],
        ["b", 3, 12],
        ["a", 6, 15],
      ],
      false,
      [[3, 12]],
    ],
    ...(["coins", "tokens", "held"] as const).map(
      (name): [string, ...Parameters<typeof agreedOf>, number[][]] => [
        `does not believe ${name} beyond those of the other host, at any price`,
        [
          ["a", 1, 10],
          ["b", 3, 12, { [name]: 5000n }],
          ["a", 6, 15],
        ],
        false,
        [],
      ],
    ),
    [
      "does not believe amounts a thousand times those of the other host at the same price",
      [
        ["a", 1, 10],
        ["b", 3, 10_000, { tokens: 1_000_000n }],
        ["a", 6, 10],
      ],
      false,
      [],
    ],
    [
      "does not believe a price beyond those of the other host",
      [
        ["a", 1, 10],
        ["b", 3, 100],
        ["a", 6, 15],
      ],
      false,
      [],
    ],
    [
      "does not believe a state that the other host has left",
      [
        ["b", 1, 10],
        ["b", 4, 11],
        ["a", 5, 10],
      ],
      false,
      [[1, 10]],
    ],
    [
      "does not take two distant slots for neighbours",
      [
        ["a", 1, 10],
        ["b", 100, 12],
        ["a", 201, 15],
      ],
      false,
      [],
    ],
    [
      "does not believe a host whose clock is an hour ahead",
      [
        ["a", 1, 10],
        ["b", 1, 10, { time: 4600 }],
      ],
      false,
      [],
    ],
    [
      "ignores slots before the last one of a host",
      [
        ["a", 5, 10],
        ["a", 3, 11],
        ["b", 3, 11],
      ],
      false,
      [],
    ],
    [
      "does not believe a state that holds other coins",
      [
        ["a", 1, 10],
        ["b", 1, 10, { held: 11n }],
      ],
      false,
      [],
    ],
  ])("%s", (_, notes, isAlone, agreed) => {
    expect(agreedOf(notes, isAlone)).toEqual(agreed);
  });

  it("is not led beyond the slots of honest hosts by one that shows a slot far ahead", () => {
    const witnesses = new Witnesses(false);
    const slots = () => witnesses.takeAgreed().map(({ slot }) => slot);
    witnesses.note("a", sighting(2, 10));
    witnesses.note("liar", sighting(1_000_000, 10, { time: 1000 }));
    expect(slots()).toEqual([2]);
    witnesses.note("a", sighting(7, 11));
    witnesses.note("b", sighting(8, 11));
    expect(slots()).toEqual([7]);
  });

  it("shows only true prices, or prices between them, whatever one of two hosts claims", () => {
    const steps = fc.array(
      fc.record({ coins: fc.integer({ min: 1, max: 50 }), lie: fc.option(fc.integer({ min: 1, max: 500 })) }),
      { minLength: 2, maxLength: 60 },
    );
    const property = fc.property(steps, (all) => {
      const witnesses = new Witnesses(false);
      let last = -1;
      for (const [index, { coins, lie }] of all.entries()) {
        witnesses.note("honest", sighting(2 * index, coins));
        witnesses.note("liar", sighting(2 * index + 1, lie ?? coins));
        for (const { slot, coins: shown } of witnesses.takeAgreed()) {
          expect(slot).toBeGreaterThan(last);
          last = slot;
          const around = all.slice(Math.floor(slot / 2), Math.floor(slot / 2) + 2).map((each) => each.coins);
          expect(Number(shown)).toBeGreaterThanOrEqual(Math.min(...around));
          expect(Number(shown)).toBeLessThanOrEqual(Math.max(...around));
        }
      }
    });
    fc.assert(property, { numRuns: 300 });
  });
});
