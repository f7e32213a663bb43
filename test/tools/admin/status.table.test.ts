import { describe, expect, it } from "vitest";
import { changeReaderLease } from "../../../lib/trading/items/reader-leases.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { LaneBench } from "../../trading/execution/support/lane-bench.ts";
import { now, runWith } from "./support/admin.ts";

const db = tableForTests();

const deployment = {
  deployed: [],
  brokenKeys: [],
  alarms: undefined,
  raised: [],
  waiting: [],
  broadcasts: new Map(),
};

const status = (nowMs: number) =>
  runWith(["status", "--local", "3000"], {
    openStatus: async () => ({
      name: "The service",
      table: db.table,
      hasSteadyBlocks: true,
      trading: {},
      readDeployment: async () => deployment,
    }),
    now: () => new Date(nowMs),
  });

describe("status", () => {
  it("exits with 0 if nothing is wrong", async () => {
    const { code, out, err } = await status(now.getTime());
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain("nothing is wrong\nchains   none trades\n");
  });

  it("shows the runs for chains that the common run of readMarkets leaves apart", async () => {
    const beatMs = now.getTime() - 4000;
    const set = { run: "r", build: "b", epoch: 1, startedAtMs: beatMs, heartbeatMs: beatMs };
    const take = (chain: "markets" | "markets base", changes: object) =>
      changeReaderLease(db.table, { chain, when: undefined, set: { ...set, ...changes } });
    await take("markets", { apart: ["base"] });
    await take("markets base", {});
    const { code, out } = await status(now.getTime());
    expect(out).toContain(
      "readMarkets: sign of life 4 s ago\n           of base alone: sign of life 4 s ago\n",
    );
    expect(code).toBe(0);
  });

  it("exits with 1 while orders wait for a reader, and counts their lanes", async () => {
    const bench = await new LaneBench(db.table).open();
    await bench.place(bench.request());
    const beatMs = now.getTime();
    const set = { run: "r", build: "b", epoch: 1, startedAtMs: beatMs, heartbeatMs: beatMs };
    await changeReaderLease(db.table, { chain: "eth", when: undefined, set });

    const waiting = "eth: the context names no hosts, and lanes wait: 1";
    const read = await status(beatMs + 30_000);
    expect(read.out).toContain("eth      no newest block; readChains: sign of life 30 s ago; 1 lane\n");
    expect(read.out.split("wrong\n").at(-1)).toBe(`  ${waiting}\n`);
    expect(read).toMatchObject({ code: 1, err: "error: Wrong: 1\n" });

    const late = await status(beatMs + 31_000);
    const silent = "eth: readChains gave its last sign of life 31 s ago";
    expect(late.out.split("wrong\n").at(-1)).toBe(`  ${waiting}\n  ${silent}\n`);
    expect(late).toMatchObject({ code: 1, err: "error: Wrong: 2\n" });
  });
});
