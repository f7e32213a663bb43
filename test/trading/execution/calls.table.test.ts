import { describe, expect, it } from "vitest";
import type { Effects } from "../../../lib/trading/core/effects.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { interceptedTable } from "../../support/intercepted-table.ts";
import { LaneBench } from "./support/lane-bench.ts";

const db = tableForTests();

/** Effects that call AWS outside the table: Invoke twice, and KMS three times. */
const elsewhere: readonly (keyof Effects)[] = ["wake", "sign", "makeMac", "checkMac", "signBytes"];

/** A bench that counts the calls of AWS. */
async function countingBench() {
  let calls = 0;
  const bench = await new LaneBench(interceptedTable(db.table, () => void calls++)).open();
  bench.wrap = (performers) =>
    Object.fromEntries(
      Object.entries(performers).map(([name, perform]) => [
        name,
        (ask: object) => {
          if (elsewhere.includes(name as keyof Effects)) calls++;
          return (perform as (ask: object) => unknown)(ask);
        },
      ]),
    );
  const since = (before: number) => calls - before;
  return { bench, calls: () => calls, since };
}

describe("a buy", () => {
  it("makes 4 AWS calls until the response, 9 until the broadcast, 1 after it, 4 for the fill and 4 for the end", async () => {
    const { bench, calls, since } = await countingBench();
    let before = calls();
    await bench.place(bench.request());
    expect(since(before)).toBe(4);
    const counting = bench.wrap;
    let atSend = 0;
    bench.wrap = (performers) => {
      const counted = counting(performers);
      return {
        ...counted,
        send: (ask) => {
          atSend = calls();
          return (counted.send as NonNullable<typeof counted.send>)(ask);
        },
      };
    };
    before = calls();
    await bench.work();
    expect({ broadcast: atSend - before, after: calls() - atSend }).toEqual({ broadcast: 9, after: 1 });
    for (const blocks of [1, 5]) {
      bench.mine(blocks);
      before = calls();
      await bench.work();
      expect(since(before)).toBe(4);
    }
    expect(bench.isDone).toBe(true);
  });
});
