import { setTimeout as pause } from "node:timers/promises";
import { describe, expect } from "vitest";
import { connect, streamOf, subscribe } from "../support/stream.ts";
import { settingsAfter } from "../support/terminal.ts";
import { it, service } from "./support/check.ts";

/** Time to watch, in ms: longer than a function runs that does not notice its subscriber. */
const watchMs = 75_000;

/** Longest time between two prices, in ms. A moving market brings one every two seconds. */
const gapMs = 10_000;

const mirrored = ["publishChanges", "mirrorPlans"] as const;

describe("the change stream", () => {
  it("delivers changes of settings over the WebSocket API and the edge", async ({ user }) => {
    const { streamUrl, edge } = service;
    for (const url of new Set([streamUrl, edge?.streamUrl ?? streamUrl])) {
      const stream = await connect({ subprotocols: ["access_token", user.token], url });
      await settingsAfter(user, "base", { slippage: 2 });
      await stream.take({ type: "TradingSettingsUpdated" });
    }
  });

  it.for(mirrored)("has one enabled mapping to %s, whose last run succeeded", async (name, { deployed }) => {
    const result: string = expect.not.stringMatching(/^PROBLEM/);
    expect(await deployed.mappingsOf(name)).toEqual([{ state: "Enabled", result }]);
  });
});

describe("feedPrices", () => {
  it("runs without a gap as long as anyone is subscribed", async ({ user, minutes: _, skip }) => {
    const feeds = (await service.deployed?.environmentOf("feedPrices"))?.PRICE_FEEDS;
    skip(feeds === "[]", "this deployment has no price feeds");
    const stream = await streamOf(user);
    await subscribe(stream, "prices");
    const start = Date.now();
    await pause(watchMs);
    const times = stream.received
      .filter(({ type }) => type === "update")
      .map(({ data }) => Math.max(...(data as { asOf: string }[]).map(({ asOf }) => Date.parse(asOf))));
    expect(times, "Times of the received prices").not.toEqual([]);
    const all = [start, ...times, Date.now()];
    const gaps = all.slice(1).map((time, index) => time - (all[index] ?? time));
    expect(Math.max(...gaps), "Longest time in ms without a newer price").toBeLessThan(gapMs);
  });
});
