import { expect, it } from "vitest";
import { tableForTests } from "../../support/dynamodb.ts";
import { LaneBench } from "./support/lane-bench.ts";

const db = tableForTests();

it("frees the nonce of a private order that no block included, so that the next order can use it", async () => {
  const bench = await new LaneBench(db.table).open();
  const validUntil = bench.nowMs / 1000 + 120;
  await bench.place(bench.request({ isPrivate: true, slippage: 1, validUntil }));
  await bench.work();
  bench.chain.buyByOthers("MOON", 300_000n);
  while (bench.nowMs / 1000 <= validUntil) bench.mine();
  await bench.work();
  bench.mine();
  expect(bench.chain.belongings(bench.lane.wallet).nonce).toBe(1);
  await bench.place(bench.request({ isPrivate: true, key: "k-2", validUntil: validUntil + 120 }));
  await bench.work();
  bench.mine();
  await bench.work();
  const statuses = (await bench.ordersOf([bench.userID])).map(({ life }) => life.status);
  expect(statuses.toSorted()).toEqual(["expired", "filled"]);
});
