import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { deployment } from "../support/deployment.ts";
import type { Message } from "../support/inbox.ts";
import { streamOf, subscribe } from "../support/stream.ts";
import { pricesFrom, snapshot, subscriptions, update } from "../support/stream-shapes.ts";
import { someUser } from "../support/users.ts";

type Price = { chain: string; price: string; source: string; asOf: string };

const pricesIn = ({ data }: Message) => data as Price[];

const asOfIn = (message: Message | undefined, at: number) =>
  Date.parse(message === undefined ? "" : (pricesIn(message)[at]?.asOf ?? ""));

const timeOf = ({ time }: Message) => Date.parse(String(time));

const user = someUser();

const ticks = { type: "update", channel: "prices" };

/**
 * All prices of a message have one source: an exchange on a deployed stage, the simulated venue on the local
 * runner.
 */
function expectPrices(message: Message): void {
  const [{ source = "" } = {}] = pricesIn(message);
  expect(source === "simulated").toBe(deployment().local !== undefined);
  expect(pricesIn(message)).toStrictEqual(pricesFrom(source));
  for (const { price } of pricesIn(message)) expect(Number(price)).toBeGreaterThan(0);
}

it("sends all prices each time, none twice or outdated, and current snapshots", async () => {
  const stream = await streamOf(user);
  await subscribe(stream, "prices");

  const updates: Message[] = [];
  while (updates.length < 5) updates.push(await stream.take(ticks));

  for (const message of updates) {
    expect(message).toStrictEqual(update("prices", message.data));
    expectPrices(message);
  }
  for (const [index, later] of updates.slice(1).entries()) {
    const growth = pricesIn(later).map(({ asOf }, at) => Date.parse(asOf) - asOfIn(updates[index], at));
    expect(Math.min(...growth)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...growth)).toBeGreaterThan(0);
  }

  await pause(1_100);
  const [held] = await subscribe(await streamOf(user), "prices");
  expect(held).toStrictEqual(snapshot("prices"));
  expectPrices(held as Message);
  for (const [at, { asOf }] of pricesIn(held as Message).entries())
    expect(Date.parse(asOf)).toBeGreaterThanOrEqual(asOfIn(updates.at(-1), at));

  // Five messages, one a second, take four seconds. The first may be late, and the venue sends far more
  // prices than that.
  const times = updates.map(timeOf);
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(1_000);
});

it("stops sending updates to clients that have unsubscribed", async () => {
  const [leaver, stayer] = [await streamOf(user), await streamOf(user)];
  await subscribe(leaver, "prices");
  await subscribe(stayer, "prices");
  await leaver.take(ticks);

  const answer = await leaver.ask({ type: "unsubscribe", id: "off", channels: ["prices"] });
  // Updates may still be on their way. The added second allows for clocks that differ.
  const gone = Date.now() + 1_000;
  const isLater = (message: Message) => message.type === "update" && timeOf(message) > gone;
  await stayer.take(isLater);
  await stayer.take(isLater);

  expect(answer).toStrictEqual(subscriptions([], { id: "off" }));
  expect(leaver.received.filter(isLater)).toEqual([]);
});
