import { marketEncoder } from "../api/market-messages.ts";
import { type Delivery, type Pusher, push } from "../aws/push.ts";
import { RecentMap } from "../core/recent-map.ts";
import { composer, type MarketDelivery } from "../markets/core/market-delivery.ts";
import type { Table } from "../table/table.ts";
import { cleanUp } from "./clean-up.ts";
import { hasEndedKey, type MarketSubscriber, marketSubscribersInShard } from "./connection-records.ts";
import { type Reporter, reportMissed } from "./push-outcome.ts";

export type MarketDeliverer = Reporter & { table: Table; pusher: Pusher; lists: SubscriberLists };

/** Result of a delivery, returned to readMarkets. */
export type MarketDeliveryOutcome = {
  /** False if the delivery was late or did not reach most of the connections. Its changes must then be sent again. */
  isDelivered: boolean;
  reached: number;
  /**
   * Number of connections that were not reached but may still be open. They get everything again within half a minute.
   */
  undelivered: number;
};

/** Age from which a delivery is out of date. No push begins after that. */
const lateMs = 3000;

/**
 * Pushes the changes of markets to each connection in a shard that follows tokens, in one message at most. readMarkets
 * waits for the outcome, so a connection never gets the same changes from two runs. Cleans up as after other
 * deliveries.
 *
 * @throws if the subscribers cannot be read. In that case, nothing was sent.
 */
export async function deliverMarkets(
  deliverer: MarketDeliverer,
  { shard, markets }: MarketDelivery,
  { now = new Date(), deadline }: { now?: Date; deadline?: Date } = {},
): Promise<MarketDeliveryOutcome> {
  const untilMs = Math.min(markets.atMs + lateMs, deadline?.getTime() ?? Number.POSITIVE_INFINITY);
  if (now.getTime() >= untilMs) return { isDelivered: false, reached: 0, undelivered: 0 };
  const { pusher, lists } = deliverer;
  const subscribers = await lists.read(shard, now, markets.listSinceMs);
  const over = subscribers.filter((each) => hasEndedKey(each, now));
  const open = over.length === 0 ? subscribers : subscribers.filter((each) => !hasEndedKey(each, now));

  const messageFor = composer(markets);
  const encode = marketEncoder(now.toISOString());
  function* deliveries(): Generator<Delivery<MarketSubscriber>> {
    for (const to of open) {
      const message = messageFor(to);
      if (message) yield { to, connectionId: to.connectionId, messages: [encode(message)] };
    }
  }

  const outcome = await push(pusher, deliveries(), {
    rounds: 2,
    // Does not retry a client that does not read its messages, because other clients would have to wait.
    isRetried: ({ stuckSince }) => stuckSince === undefined,
    deadline: new Date(untilMs),
  });
  reportMissed(outcome, deliverer);
  if (await cleanUp(deliverer, { audience: "markets", shard }, outcome, { over, now })) lists.forget(shard);
  const reached = outcome.reached.length;
  const undelivered = outcome.missed.length + outcome.unfinished.length;
  return { isDelivered: undelivered <= Math.max(1, reached / 4), reached, undelivered };
}

/** Time for which a list of subscribers is trusted, unless a delivery requires a newer list. */
const knownMs = 5000;

/**
 * Maximum number of lists to remember, more than a process serves at a time. When full, forgets the least recently used
 * list.
 */
const mostLists = 32;

/** Remembers the subscribers of shards, because reading them each second would cost more than everything else. */
export class SubscriberLists {
  readonly #known = new RecentMap<number, { readAtMs: number; subscribers: MarketSubscriber[] }>(mostLists);
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  async read(shard: number, now: Date, sinceMs: number): Promise<readonly MarketSubscriber[]> {
    const readAtMs = now.getTime();
    const known = this.#known.get(shard);
    const ageMs = readAtMs - (known?.readAtMs ?? Number.NEGATIVE_INFINITY);
    // Drops an old list. Does so even if the clock was set back.
    if (known && ageMs >= 0 && ageMs < knownMs && known.readAtMs >= sinceMs) return known.subscribers;
    const subscribers: MarketSubscriber[] = [];
    for await (const each of marketSubscribersInShard(this.#table, shard)) subscribers.push(each);
    this.#known.set(shard, { readAtMs, subscribers });
    return subscribers;
  }

  forget(shard: number): void {
    this.#known.set(shard, { readAtMs: Number.NEGATIVE_INFINITY, subscribers: [] });
  }
}
