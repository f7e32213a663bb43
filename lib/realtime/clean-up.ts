import { isRefusal, type Outcome, type Pusher } from "../aws/push.ts";
import { forEachConcurrently } from "../core/concurrency.ts";
import type { Table } from "../table/table.ts";
import { type ChannelSubscriber, closeConnection, leaveAudience } from "./connection-records.ts";
import type { Audience } from "./item-keys.ts";
import { concurrency, hangUpOn, isHealthy, isStuck, type Reporter } from "./push-outcome.ts";
import { clearStuckSubscriber, noteStuckSubscriber } from "./stuck-records.ts";

/**
 * Cleans up after a delivery to a shard: forgets closed connections, closes stuck ones and those that are over, and
 * notes when further ones got stuck.
 *
 * @returns true if it has changed the shard's records.
 */
export async function cleanUp(
  { table, pusher, onFault }: Pick<Reporter, "onFault"> & { table: Table; pusher: Pusher },
  place: { audience: Audience; shard: number },
  outcome: Outcome<ChannelSubscriber>,
  { over, now }: { over: readonly ChannelSubscriber[]; now: Date },
): Promise<boolean> {
  // Notes nothing in an unhealthy run, because the account as a whole caused the refusals, and notes would only add
  // load.
  const refused = isHealthy(outcome) ? outcome.missed.filter(({ error }) => isRefusal(error)) : [];
  const stuck = refused.map(({ to }) => to).filter(({ stuckSince }) => isStuck(stuckSince, now));
  await hangUpOn(pusher, [...stuck, ...over], { onFault });

  const forEach = (
    subscribers: readonly ChannelSubscriber[],
    work: (subscriber: ChannelSubscriber) => Promise<void>,
  ) => forEachConcurrently(subscribers, { concurrency }, (subscriber) => work(subscriber).catch(onFault));

  const ended = [...outcome.gone, ...stuck, ...over];
  await forEach(ended, async (name) => {
    const wasKnown = await closeConnection(table, name);
    // Removes the audience entry that a deleted connection has left behind.
    if (!wasKnown) await leaveAudience(table, place.audience, { ...name, shard: place.shard });
  });
  const newlyRefused = refused.map(({ to }) => to).filter(({ stuckSince }) => stuckSince === undefined);
  await forEach(newlyRefused, ({ connectionId }) =>
    noteStuckSubscriber(table, { ...place, connectionId }, now),
  );
  const readingAgain = outcome.reached.filter(({ stuckSince }) => stuckSince !== undefined);
  await forEach(readingAgain, ({ connectionId }) => clearStuckSubscriber(table, { ...place, connectionId }));
  return ended.length + newlyRefused.length + readingAgain.length > 0;
}
