import { expect, test } from "vitest";
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

const ticks = { type: "update", channel: "prices" };

/** All prices of a message are from one source. None is made up on a deployed stage, and each on the local runner. */
function expectPrices(message: Message): void {
  const [{ source = "" } = {}] = pricesIn(message);
  expect(source === "simulated").toBe(deployment().local !== undefined);
  expect(pricesIn(message)).toStrictEqual(pricesFrom(source));
  for (const { price } of pricesIn(message)) expect(Number(price)).toBeGreaterThan(0);
}

test("prices tick, whole each time, and never the same twice or an older one", async () => {
  const stream = await streamOf(await someUser());
  await subscribe(stream, "prices");

  const told: Message[] = [];
  while (told.length < 5) told.push(await stream.take(ticks));

  for (const message of told) {
    expect(message).toStrictEqual(update("prices", message.data));
    expectPrices(message);
  }
  for (const [index, later] of told.slice(1).entries()) {
    const growth = pricesIn(later).map(({ asOf }, at) => Date.parse(asOf) - asOfIn(told[index], at));
    expect(Math.min(...growth)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...growth)).toBeGreaterThan(0);
  }
  // Five records, one a second. Messages may be late, but never much more often than records.
  const times = told.map(timeOf);
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(2_000);
  expect(Math.max(...times) - Math.min(...times)).toBeLessThan(20_000);
});

test("the snapshot holds what was told last, or what is newer", async () => {
  const user = await someUser();
  const first = await streamOf(user);
  await subscribe(first, "prices");
  const tick = await first.take(ticks);

  const [held] = await subscribe(await streamOf(user), "prices");

  expect(held).toStrictEqual(snapshot("prices"));
  expectPrices(held as Message);
  for (const [at, { asOf }] of pricesIn(held as Message).entries())
    expect(Date.parse(asOf)).toBeGreaterThanOrEqual(asOfIn(tick, at));
});

test("who has unsubscribed is told no more, while others are", async () => {
  const user = await someUser();
  const [leaver, stayer] = [await streamOf(user), await streamOf(user)];
  await subscribe(leaver, "prices");
  await subscribe(stayer, "prices");
  await leaver.take(ticks);

  const answer = await leaver.ask({ type: "unsubscribe", id: "off", channels: ["prices"] });
  // What was published before may still be under way. A second more, for clocks that differ.
  const gone = Date.now() + 1_000;
  const isLater = (message: Message) => message.type === "update" && timeOf(message) > gone;
  await stayer.take(isLater);
  await stayer.take(isLater);

  expect(answer).toStrictEqual(subscriptions([], { id: "off" }));
  expect(leaver.received.filter(isLater)).toEqual([]);
});
