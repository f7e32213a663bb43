import { describe, expect, it } from "vitest";
import type { Effects } from "../../../lib/orders/effects.ts";
import { queryRange } from "../../../lib/table/table.ts";
import { jobsOf } from "../../../lib/trading/items/keys.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { interceptedTable } from "../../support/intercepted-table.ts";
import { LaneBench } from "./support/lane-bench.ts";

const db = tableForTests();

/**
 * Lists the effects that call AWS services other than the table: two call Lambda once each, and three call KMS once
 * each. One of them, readSigning, reads the table meanwhile.
 */
const elsewhere: readonly (keyof Effects)[] = ["wake", "sign", "makeMac", "readSigning", "signBytes"];

/** Creates a bench that counts calls to AWS. */
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

describe("the first run for an order", () => {
  it.each<[string, number, (keyof Effects)[]]>([
    ["plans from the facts of the placing", 2000, []],
    ["asks both hosts if they are older", 2001, ["hostSnapshot", "hostSnapshot"]],
  ])("%s", async (_, afterMs, asked) => {
    const bench = await new LaneBench(db.table).open();
    const request = bench.request();
    const { orderId } = request;
    await bench.place(request);
    const [job] = await queryRange<object>(db.table, jobsOf(bench.lane));
    // A job of up to 1 KB takes the same two write units as any item.
    expect(JSON.stringify(job).length).toBeLessThan(1000);
    bench.nowMs += afterMs;
    const did: string[] = [];
    bench.wrap = (performers) => ({
      ...performers,
      hostSnapshot: (ask) => {
        did.push("hostSnapshot");
        return (performers.hostSnapshot as NonNullable<typeof performers.hostSnapshot>)(ask);
      },
    });
    await bench.work();
    expect(did).toEqual(asked);
    expect(await bench.slots()).toMatchObject([{ orderId, place: 0, state: "signed" }]);
    await bench.work();
    // Checks that later runs do not reuse the facts.
    expect(did).toHaveLength(asked.length + 2);
  });
});

describe("a buy", () => {
  it("makes 4 AWS calls up to the response, 8 up to the broadcast, 1 after it, 4 for the fill and 4 for the end", async () => {
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
    expect({ broadcast: atSend - before, after: calls() - atSend }).toEqual({ broadcast: 8, after: 1 });
    for (const blocks of [1, 5]) {
      bench.mine(blocks);
      before = calls();
      await bench.work();
      expect(since(before)).toBe(4);
    }
    expect(bench.isDone).toBe(true);
  });
});
