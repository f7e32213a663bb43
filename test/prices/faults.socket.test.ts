import { freePort } from "cdk-local-runner/testing";
import { describe, expect, it } from "vitest";
import { networks } from "../../lib/core/network.ts";
import { coinbaseAt, krakenAt, startBoth, waitFor } from "./support/both.ts";
import { startCoinbase } from "./support/coinbase-server.ts";
import { startKraken } from "./support/kraken-server.ts";
import { startRun } from "./support/run.ts";

describe.concurrent("a venue with faults", () => {
  it("replaces a venue that sends heartbeats but no prices, and uses the venue again when its prices return", async (test) => {
    const { first, second, run } = await startBoth(test);
    first.mode.prices = false;
    await waitFor(() => expect(run.sources()).toEqual(["kraken"]));
    expect(run.chains()).toEqual(networks);
    expect(first.openConnections()).toBe(1);
    first.mode.prices = true;
    await waitFor(() => expect(run.sources()).toEqual(["coinbase"]));
    await waitFor(() => expect(second.openConnections()).toBe(0));
    await run.supersede();
    for (const record of run.saves) expect(new Set(record.map(({ source }) => source)).size).toBe(1);
    expect(run.lines).toEqual([
      { source: "kraken", insteadOf: "coinbase" },
      { source: "coinbase", insteadOf: "kraken" },
    ]);
  });

  it("reconnects to a venue that sends only garbage, without logging the garbage", async (test) => {
    const { first, run } = await startBoth(test);
    Object.assign(first.mode, { prices: false, heartbeats: false, garbage: "<b>secret</b>" });
    await waitFor(() => expect(run.sources()).toEqual(["kraken"]));
    await waitFor(() => expect(first.connections()).toBeGreaterThan(1));
    await run.supersede();
    const counted = { source: "coinbase", count: expect.any(Number) };
    expect(run.lines).toEqual(
      expect.arrayContaining([
        { ...counted, fault: "not JSON" },
        { ...counted, fault: "not text" },
        { ...counted, fault: "silent" },
      ]),
    );
    expect(JSON.stringify([run.lines, run.saves])).not.toContain("secret");
  });

  it("keeps using a venue that sends garbage among its prices", async (test) => {
    const { first, second, run } = await startBoth(test);
    first.mode.garbage = JSON.stringify({ type: "ticker", product_id: "ETH-USD", price: "-1" });
    await run.until(() => expect(run.sources()).toEqual(["coinbase"]), 20);
    expect([first.connections(), second.connections()]).toEqual([1, 0]);
    expect(run.saves.flat().every(({ price }) => Number(price) > 0)).toBe(true);
  });
});

describe.concurrent("a lost connection", () => {
  it("replaces a connection after the venue has closed it", async (test) => {
    const { first, second, run } = await startBoth(test);
    first.hangUp();
    await waitFor(() => expect(first.connections()).toBe(2));
    await run.until(() => expect(run.sources()).toEqual(["coinbase"]));
    expect(second.connections()).toBe(0);
    await run.supersede();
    expect(run.lines).toEqual([{ source: "coinbase", fault: "closed", count: 1 }]);
  });

  it("replaces a connection that is half open and silent", async (test) => {
    const { first, run } = await startBoth(test);
    first.vanish();
    await waitFor(() => expect(first.connections()).toBe(2));
    await run.until(() => expect(run.sources()).toEqual(["coinbase"]));
    await run.supersede();
    expect(run.lines).toContainEqual({ source: "coinbase", fault: "silent", count: 1 });
  });

  it("retries a lost connection until it succeeds, and uses the other venue in the meantime", async (test) => {
    const port = await freePort();
    const second = await startKraken(test);
    const run = startRun(test, [coinbaseAt({ url: `ws://127.0.0.1:${port}` }), krakenAt(second)]);
    await run.until(() => expect(run.sources()).toEqual(["kraken"]));
    await startCoinbase(test, { port });
    await waitFor(() => expect(run.sources()).toEqual(["coinbase"]));
    await run.supersede();
    expect(run.lines).toContainEqual({ source: "coinbase", fault: "closed", count: expect.any(Number) });
  });

  it("ignores a venue with an invalid URL", async (test) => {
    const second = await startKraken(test);
    const run = startRun(test, [coinbaseAt({ url: "nowhere" }), krakenAt(second)]);
    await run.until(() => expect(run.sources()).toEqual(["kraken"]));
  });
});
