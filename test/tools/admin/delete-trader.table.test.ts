import { describe, expect, it } from "vitest";
import { hashedId } from "../../../lib/core/record-ids.ts";
import { contentOf } from "../../../lib/trading/items/items.ts";
import { register } from "../../../lib/users/register.ts";
import { worldForTests } from "../../plans/support/world.ts";
import { connectionsApiForTests } from "../../support/connections-api.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { itemsNamed } from "../../support/items.ts";
import { LaneBench } from "../../trading/execution/support/lane-bench.ts";
import { run } from "./support/admin.ts";

const db = tableForTests();
const world = worldForTests();
const api = connectionsApiForTests();

/** A user with an order that is placed and, unless there were no runs, in execution. */
async function trader(runs: number) {
  const bench = await new LaneBench(db.table).open();
  await register(db.table, { userID: bench.userID, names: [], ref: undefined }, new Date(bench.nowMs));
  const request = bench.request({ side: "sell", orderId: hashedId([bench.userID]) });
  await bench.place(request);
  for (let run = 0; run < runs; run++) {
    await bench.work();
    if (run + 1 < runs) bench.mine();
  }
  return { bench, request };
}

/** Deletes the user. In each pause, the chain makes blocks and the lane runs, if `isWorking`. */
function deleting(bench: LaneBench, { isWorking, wait }: { isWorking: boolean; wait: string }) {
  const { table } = db;
  const pauseMs = async (ms: number) => {
    bench.nowMs += ms;
    if (!isWorking) return;
    bench.mine();
    await bench.work();
  };
  return run({ table } as never, ["delete-user", bench.userID, "--yes", "--delete-keys", "--wait", wait], {
    openConnections: async () => ({ table, pusher: api.current.pusher }),
    openPlans: async () => ({ ...world.deps(), table }),
    openDirectory: async () => undefined,
    now: () => new Date(bench.nowMs),
    pauseMs,
  });
}

/** Balances and the nonce of the wallet on the chain. */
const accountOf = ({ chain, lane }: LaneBench) => chain.tip.state.accounts.get(lane.wallet);

const orderOf = async (orderId: string) => {
  const [item] = await itemsNamed(db.table, `TRADE#${orderId}`);
  if (item === undefined) throw new Error("There is no such order");
  return contentOf("order", item);
};

describe("delete-user with an order in execution", () => {
  it.each([0, 1, 2, 3])(
    "waits until the order has settled after %i runs, and loses nothing",
    async (runs) => {
      const { bench, request } = await trader(runs);
      const { code, out, err } = await deleting(bench, { isWorking: true, wait: "60" });
      expect(code, err).toBe(0);
      const { life, intent, mac } = await orderOf(request.orderId);
      expect(life).toMatchObject({ settled: true, status: expect.stringMatching(/^(cancelled|filled)$/) });
      expect({ mac, userID: intent.userID }).toEqual({ mac: "", userID: /pseudonym: (\S+)/.exec(out)?.[1] });
      const { tokens, nonce } = accountOf(bench) ?? {};
      if (runs === 0) expect(life.status).toBe("cancelled");
      expect(tokens?.get("MOON")).toBe(life.status === "filled" ? 10_000n : 30_000n);
      bench.mine(20);
      expect(accountOf(bench)?.nonce).toBe(nonce);
      const left = await itemsNamed(db.table, bench.lane.wallet);
      expect(left.filter(({ PK }) => /^(LANE|BYTES|OWNERS)#/.test(PK))).toEqual([]);
    },
  );

  it("removes nothing and names the waiting items while the order cannot settle", async () => {
    const { bench, request } = await trader(2);
    const before = await bench.itemsOf([bench.userID]);
    const { code, err } = await deleting(bench, { isWorking: false, wait: "1" });
    expect(code).toBe(1);
    expect(err).toContain(`${request.orderId} on eth: open, cancelling`);
    const keysOf = (items: { PK: string; SK: string }[]) => items.map(({ PK, SK }) => `${PK} ${SK}`);
    expect(keysOf(await bench.itemsOf([bench.userID]))).toEqual(expect.arrayContaining(keysOf(before)));
    expect(await deleting(bench, { isWorking: true, wait: "60" })).toMatchObject({ code: 0 });
  });
});
