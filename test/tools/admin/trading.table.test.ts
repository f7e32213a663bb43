import { afterEach, describe, expect, it } from "vitest";
import { earlierStopKey, tradingStopKey } from "../../../lib/trading/items/keys.ts";
import { readOrderTerms } from "../../../lib/trading/items/trader-records.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { itemsNamed, putItems } from "../../support/items.ts";
import { LaneBench } from "../../trading/execution/support/lane-bench.ts";
import { now, run } from "./support/admin.ts";

const db = tableForTests();

const trading = (args: string[] = [], at = now) =>
  run({ table: db.table } as never, ["trading", ...args], { now: () => at });

const all = (state: string) =>
  ["eth  ", "base ", "bsc  ", "avax ", "sol  "].map((chain) => `${chain} ${state}\n`).join("");
const since = `stopped since ${now.toISOString()}`;
const allStarted = { code: 0, out: all("not stopped"), err: "" };

describe("trading", () => {
  it("shows each chain's state and changes nothing without --stop or --start", async () => {
    expect(await trading()).toEqual(allStarted);
    expect(await trading()).toEqual(allStarted);
  });

  it("stops and restarts trading on every chain or on one", async () => {
    expect((await trading(["--stop"])).out).toBe(all(since));
    expect((await trading(["--start", "--chain", "bsc"])).out).toBe(
      all(since).replace(`bsc   ${since}`, "bsc   not stopped"),
    );
    expect(await trading(["--start"])).toEqual(allStarted);
    expect((await trading(["--stop", "--chain", "base"])).out).toBe(
      all("not stopped").replace("base  not stopped", `base  ${since}`),
    );
    expect(await trading(["--start"])).toEqual(allStarted);
  });

  it("keeps the time of the first stop when trading is stopped again", async () => {
    await trading(["--stop"]);
    const later = new Date(now.getTime() + 60_000);
    expect((await trading(["--stop"], later)).out).toBe(all(since));
    await trading(["--start"]);
  });

  it.each([
    [["--stop", "--start"], "cannot be used with option"],
    [["--stop", "--chain", "btc"], "Allowed choices are eth, base, bsc, avax, sol"],
  ])("rejects the invalid arguments %j", async (args, message) => {
    const { code, err } = await trading(args);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(await trading()).toEqual(allStarted);
  });
});

describe("a stop written by an earlier version", () => {
  const stoppedAt = "2026-11-01T08:00:00.000Z";
  afterEach(() => trading(["--start"]));

  it("shows the old stop and ends it with --start", async () => {
    await putItems(db.table, [{ ...earlierStopKey("bsc"), stoppedAt }]);
    const stopped = `bsc   stopped since ${stoppedAt}\n`;
    const shown = all("not stopped").replace("bsc   not stopped\n", stopped);
    expect((await trading()).out).toBe(shown);
    expect((await trading(["--stop", "--chain", "bsc"])).out).toBe(shown);
    expect(await trading(["--start"])).toEqual(allStarted);
    expect(await itemsNamed(db.table, "TRADING")).toEqual([]);
  });
});

describe("a stop", () => {
  afterEach(() => trading(["--start"]));

  it("writes the stop where earlier versions read it", async () => {
    await trading(["--stop", "--chain", "eth"]);
    expect(await itemsNamed(db.table, "TRADING")).toMatchObject([
      { ...earlierStopKey("eth"), stoppedAt: now.toISOString() },
      tradingStopKey("eth"),
    ]);
  });

  it("applies a stop to the next quote and the next order", async () => {
    const bench = await new LaneBench(db.table).open();
    await trading(["--stop"]);
    expect(await bench.place(bench.request())).toMatchObject({ refused: { code: "TRADING_DISABLED" } });
    expect(
      (await readOrderTerms(db.table, { chain: "eth", userID: bench.userID, day: "2026-11-21" })).isStopped,
    ).toBe(true);
    await trading(["--start"]);
    expect(await bench.place(bench.request())).toMatchObject({ order: { life: { status: "open" } } });
    expect(
      (await readOrderTerms(db.table, { chain: "eth", userID: bench.userID, day: "2026-11-21" })).isStopped,
    ).toBe(false);
  });

  it("makes the executor reject an unsigned order after a stop", async () => {
    const bench = await new LaneBench(db.table).open();
    await bench.place(bench.request());
    await trading(["--stop", "--chain", "eth"]);
    await bench.work();
    const [order] = await bench.ordersOf([bench.userID]);
    expect(order?.life).toMatchObject({ status: "rejected", reasonCode: "TRADING_DISABLED" });
    await trading(["--start"]);
  });

  it("prevents signing even if the executor checked just before the stop", async () => {
    const bench = await new LaneBench(db.table).open();
    await bench.place(bench.request());
    const { reached, goOn } = bench.stopAt("sign", 1);
    const work = bench.work();
    await reached;
    await trading(["--stop"]);
    goOn();
    await work;
    const [order] = await bench.ordersOf([bench.userID]);
    expect(order).toMatchObject({ life: { status: "open" }, swapNonce: 0 });
    expect(bench.chain.belongings(bench.lane.wallet).nonce).toBe(0);
    expect((await bench.slots()).map(({ state }) => state)).toEqual(["planned"]);
    await trading(["--start"]);
  });

  it("lets sent transactions finish after a stop", async () => {
    const bench = await new LaneBench(db.table).open();
    await bench.place(bench.request());
    await bench.work();
    await trading(["--stop"]);
    bench.mine();
    await bench.work();
    const [order] = await bench.ordersOf([bench.userID]);
    expect(order?.life.status).toBe("filled");
    await trading(["--start"]);
  });

  it("leaves other chains alone when one is stopped", async () => {
    const bench = await new LaneBench(db.table).open();
    await trading(["--stop", "--chain", "base"]);
    expect(await bench.place(bench.request())).toMatchObject({ order: {} });
    await trading(["--start"]);
  });
});
