import { setTimeout as pause } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { deployment } from "../support/deployment.ts";
import type { Message } from "../support/inbox.ts";
import { streamOf, subscribe } from "../support/stream.ts";
import { pricesFrom, snapshot, subscriptions, update } from "../support/stream-shapes.ts";
import { someUser } from "../support/users.ts";

type Price = { chain: string; price: string; source: string; asOf: string };

const pricesIn = ({ data }: Message) => data as Price[];

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
  expect(pricesFrom(source)).toEqual(expect.arrayContaining(pricesIn(message)));
  for (const { price } of pricesIn(message)) expect(Number(price)).toBeGreaterThan(0);
}

it("sends only changed, current prices, and current snapshots", async () => {
  const stream = await streamOf(user);
  await subscribe(stream, "prices");

  const updates: Message[] = [];
  while (updates.length < 5) updates.push(await stream.take(ticks));

  for (const message of updates) {
    expect(message).toStrictEqual(update("prices", message.data));
    expectPrices(message);
  }
  const latest = new Map<string, string>();
  for (const { chain, asOf } of updates.flatMap(pricesIn)) {
    expect(asOf >= (latest.get(chain) ?? "")).toBe(true);
    latest.set(chain, asOf);
  }

  await pause(1_100);
  const another = await streamOf(user);
  // Prices expire if a busy machine renews them too slowly, so a snapshot may lack some.
  const held = await vi.waitFor(
    async () => {
      const [message] = await subscribe(another, "prices");
      const chains = pricesIn(message as Message).map(({ chain }) => chain);
      expect(chains).toEqual(expect.arrayContaining([...latest.keys()]));
      return message as Message;
    },
    { timeout: 60_000, interval: 500 },
  );
  expect(held).toStrictEqual(snapshot("prices"));
  expectPrices(held);
  const times = new Map(pricesIn(held).map(({ chain, asOf }) => [chain, asOf]));
  for (const [chain, asOf] of latest) expect((times.get(chain) ?? "") >= asOf).toBe(true);

  // Five messages, one every two seconds, take eight seconds. The first may be late, and the venue sends prices far
  // more often.
  const sent = updates.map(timeOf);
  expect(Math.max(...sent) - Math.min(...sent)).toBeGreaterThan(4_000);
});

it("stops sending updates to clients that have unsubscribed", async () => {
  const [leaver, stayer] = [await streamOf(user), await streamOf(user)];
  await subscribe(leaver, "prices");
  await subscribe(stayer, "prices");
  await leaver.take(ticks);

  const answer = await leaver.ask({ type: "unsubscribe", id: "off", channels: ["prices"] });
  // Updates may still be in flight. The extra second allows for differing clocks.
  const gone = Date.now() + 1_000;
  const isLater = (message: Message) => message.type === "update" && timeOf(message) > gone;
  await stayer.take(isLater);
  await stayer.take(isLater);

  expect(answer).toStrictEqual(subscriptions([], { id: "off" }));
  expect(leaver.received.filter(isLater)).toEqual([]);
});
