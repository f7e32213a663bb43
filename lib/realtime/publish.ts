import type { DynamoDBRecord } from "aws-lambda";
import { encodeMessage, inParts, type ServerMessage } from "../api/server-messages.ts";
import type { Notice } from "../aws/notice-bus.ts";
import { type Delivery, isRefusal, type Missed, type Pusher, push } from "../aws/push.ts";
import { forEachConcurrently } from "../core/concurrency.ts";
import { hashedId } from "../core/record-ids.ts";
import { ServiceError } from "../core/service-error.ts";
import { isDevice } from "../devices/item-keys.ts";
import { channelOf, idOf } from "../orders/execution.ts";
import type { Price } from "../prices/price.ts";
import { type FeedStart, replacementOf } from "../prices/price-records.ts";
import { imageIn } from "../table/change-image.ts";
import type { Key } from "../table/keys.ts";
import type { Table } from "../table/table.ts";
import { isTransient } from "../table/transient.ts";
import { isProgramKey } from "../trading/items/keys.ts";
import { isGuardChange } from "../wallets/item-keys.ts";
import { type CatchUp, inCatchUps, isAbandoned } from "./catch-up.ts";
import {
  messageOf,
  type PublishedChange,
  pricesUpdate,
  type StreamedChange,
  walletsUpdated,
} from "./change-messages.ts";
import {
  type Connection,
  hasEndedKey,
  hasShakenHands,
  type Receivers,
  receiversOfUser,
} from "./connection-records.ts";
import type { ChannelDelivery } from "./deliver.ts";
import { keepMarketsRead, type MarketWatch } from "./market-reader.ts";
import { custodyNoticeOf, longestNoticeMs, orderNoticeOf } from "./notices.ts";
import {
  concurrency,
  forgetConnections,
  hangUpOn,
  isHealthy,
  isStuck,
  type Reporter,
  reportMissed,
} from "./push-outcome.ts";
import { readChange } from "./read-change.ts";
import { noteMiss } from "./stuck-records.ts";

export type Publisher = Reporter & {
  table: Table;
  pusher: Pusher;
  /** Finds the shards that have subscribers of prices. */
  occupiedShards: (now: Date) => Promise<number[]>;
  /** Starts the delivery to one shard, without waiting for the result. */
  handOver: (delivery: ChannelDelivery) => Promise<void>;
  /** Starts a run of feedPrices, without waiting for the result. */
  startFeed: (start: FeedStart) => Promise<void>;
  /** Starts the reader of markets when needed. Present if markets are switched on. */
  markets?: MarketWatch | undefined;
  /** Puts a notice on the bus, if there is a bus. The id is the same each time. */
  putNotice: (notice: Notice, noticeId: string) => Promise<void>;
  /** Starts to bring connections up to date, without waiting for the result. */
  startCatchUp: (catchUp: CatchUp) => Promise<void>;
};

/** Time stated in messages and notes, and the deadline after which no push starts. */
export type PublishTimes = { now: Date; deadline: Date };

const outOfTime = () =>
  new ServiceError("The deadline left no time for some pushes", { code: "OUT_OF_TIME" });

type Pending<Of extends PublishedChange["of"]> = {
  sequenceNumber: string;
  /** Time of the change, to the second. */
  madeMs: number;
  change: Extract<PublishedChange, { of: Of }>;
};
type ExecutionChange = Extract<PublishedChange, { of: "execution" }>;
type PricesChange = Extract<PublishedChange, { of: "prices" }>;
type Noticed = Pending<Exclude<PublishedChange["of"], "prices">>;
type Personal = Pending<Exclude<StreamedChange["of"], "prices">>;

/** A connection and the changes to push to it. */
type Target = Connection & { changes: readonly Personal[] };

/**
 * Pushes changes of the table to clients, in order for each client. An unreachable connection does not delay others,
 * and is brought up to date later. Retries unreadable records only if they are of guards, because Lambda then puts them
 * into the queue of failed changes: a lost one could hide a theft. Does not retry prices, because all of them are
 * published again every half minute.
 *
 * @returns the sequence numbers of the records to retry. Some of their messages may have arrived.
 */
export async function publish(
  publisher: Publisher,
  records: readonly DynamoDBRecord[],
  times: PublishTimes,
): Promise<Set<string>> {
  const { onFault } = publisher;
  const personal: Personal[] = [];
  const toRetry = new Set<string>();
  const noticed: Noticed[] = [];
  let prices: PricesChange | undefined;
  for (const record of records) {
    const sequenceNumber = record.dynamodb?.SequenceNumber ?? "";
    try {
      const change = readChange(record);
      if (change === undefined) continue;
      const madeMs = (record.dynamodb?.ApproximateCreationDateTime ?? Number.POSITIVE_INFINITY) * 1000;
      // Puts the notice even if the client's message cannot be encoded.
      if (change.of !== "prices") noticed.push({ sequenceNumber, madeMs, change });
      if (change.of === "device") continue;
      // Encodes each message separately first, because an invalid record would make a whole batch fail.
      encodeMessage(messageOf(change, times.now));
      if (change.of !== "prices") personal.push({ sequenceNumber, madeMs, change });
      else
        prices = {
          ...change,
          prices: newestOf([...(prices?.prices ?? []), ...change.prices]),
          feed: change.feed ?? prices?.feed,
        };
    } catch (error) {
      onFault(error);
      if (isOfGuard(record)) toRetry.add(sequenceNumber);
    }
  }

  const retry: Retry = (changes, error) => {
    onFault(error);
    for (const { sequenceNumber } of changes) toRetry.add(sequenceNumber);
  };
  const receiversOf = onceForEach((userID) => receiversOfUser(publisher.table, userID));
  await Promise.all([
    putNotices(publisher, withoutCopies(noticed), { ...times, receiversOf, retry }),
    publishToUsers(publisher, withoutCopies(personal), { ...times, receiversOf, retry }),
    prices && publishPrices(publisher, prices, times.now),
  ]);
  return toRetry;
}

type Retry = (changes: readonly Pick<Noticed, "sequenceNumber">[], error: unknown) => void;

type Publishing = PublishTimes & {
  /** Reads the receivers of a user once, although messages and notices depend on them. */
  receiversOf: (userID: string) => Promise<Receivers>;
  retry: Retry;
};

function onceForEach<Result>(read: (userID: string) => Promise<Result>) {
  const begun = new Map<string, Promise<Result>>();
  return (userID: string): Promise<Result> => {
    const result = begun.get(userID) ?? read(userID);
    begun.set(userID, result);
    return result;
  };
}

/** Drops records of resting orders whose same version is published from the resting orders themselves. */
function withoutCopies<Each extends Noticed>(personal: readonly Each[]): Each[] {
  const nameOf = ({ userID, execution }: ExecutionChange) =>
    JSON.stringify([userID, idOf(execution), execution.version]);
  const resting = new Set(
    personal.flatMap(({ change }) => (change.of === "execution" && change.isResting ? [nameOf(change)] : [])),
  );
  return personal.filter(
    ({ change }) => change.of !== "execution" || change.isResting || !resting.has(nameOf(change)),
  );
}

function isOfGuard(record: DynamoDBRecord): boolean {
  const key = imageIn<Key>(record, "Keys");
  return key !== undefined && [isGuardChange, isProgramKey, isDevice].some((isOne) => isOne(key));
}

const tooOld = () => new ServiceError("A notice is older than an hour", { code: "NOTICE_TOO_OLD" });

/**
 * Puts notices on the bus, for users' devices and for operators. Retries the change of a rejected or an old notice, and
 * Lambda puts a change that fails again and again into the queue of failed changes: a lost notice could hide a theft.
 * Clients drop the repeated messages by their version.
 */
async function putNotices(
  { putNotice }: Publisher,
  noticed: readonly Noticed[],
  { now, deadline, receiversOf, retry }: Publishing,
): Promise<void> {
  await forEachConcurrently(noticed, { concurrency }, async (pending) => {
    const { change, madeMs, sequenceNumber } = pending;
    const ofCustody = custodyNoticeOf(change);
    const notice = ofCustody ?? (await orderNotice(change));
    if (notice === undefined) return;
    if (ofCustody && now.getTime() - madeMs > longestNoticeMs) return retry([pending], tooOld());
    if (Date.now() >= deadline.getTime()) return retry([pending], outOfTime());
    const noticeId = hashedId(["notice", change.userID, sequenceNumber]);
    await putNotice(notice, noticeId).catch((error: unknown) => retry([pending], error));
  });

  /** Builds an order's notice, if there is a device to get it. A failed read is reported with the user's messages. */
  async function orderNotice(change: Noticed["change"]): Promise<Notice | undefined> {
    const notice = orderNoticeOf(change, now);
    if (notice === undefined) return undefined;
    const receivers = await receiversOf(change.userID).catch(() => undefined);
    return receivers?.hasDevice ? notice : undefined;
  }
}

async function publishToUsers(
  publisher: Publisher,
  personal: readonly Personal[],
  { now, deadline, receiversOf, retry }: Publishing,
): Promise<void> {
  const { table, pusher, onFault } = publisher;
  const byUser = Map.groupBy(personal, ({ change }) => change.userID);
  const deliveries = await Promise.all(
    [...byUser].map(async ([userID, changes]) => {
      try {
        const { connections } = await receiversOf(userID);
        return deliveriesTo(await withoutEnded(publisher, connections, changes, now), changes, now);
      } catch (error) {
        // Skips a forged connection or userID that cannot be read, because retries would hold up the announcements of
        // other users.
        if (isTransient(error)) retry(changes, error);
        else onFault(error);
        return [];
      }
    }),
  );
  // Serves users with few connections first, so that they do not wait for users with many.
  const fewestFirst = deliveries.toSorted((one, other) => one.length - other.length).flat();
  const outcome = await push(pusher, fewestFirst, {
    rounds: 2,
    // Does not retry a client that does not read its messages, because other clients would have to wait.
    isRetried: ({ stuckSince }) => stuckSince === undefined,
    deadline,
  });
  const { reached, gone, missed, unfinished } = outcome;

  if (unfinished.length > 0)
    retry(
      unfinished.flatMap(({ changes }) => changes),
      outOfTime(),
    );
  reportMissed(outcome, publisher);
  const isEnded = ({ to, error }: Missed<Target>) =>
    isHealthy(outcome) && isRefusal(error) && isStuck(to.stuckSince, now);
  const ended = missed.filter(isEnded).map(({ to }) => to);
  await hangUpOn(pusher, ended, publisher);
  const closed = gone.filter((connection) => hasShakenHands(connection, now));
  await forgetConnections(table, [...closed, ...ended], publisher);

  const readingAgain = reached.filter((connection) => isAbandoned(connection, now));
  const behind = missed.filter((each) => !isEnded(each)).map(({ to }) => to);
  await startCatchUps(publisher, { readingAgain, behind }, now, retry);
}

/**
 * Closes connections that are over, and those of program keys that were revoked. Without its record, a connection that
 * could not be closed gets nothing either.
 */
async function withoutEnded(
  { table, pusher, onFault }: Publisher,
  connections: readonly Connection[],
  changes: readonly Personal[],
  now: Date,
): Promise<Connection[]> {
  const revoked = new Set(
    changes.flatMap(({ change }) =>
      change.of === "programKey" && change.key.revokedAt !== undefined ? [change.key.keyId] : [],
    ),
  );
  const isEnded = (each: Connection) =>
    hasEndedKey(each, now) || (each.keyId !== undefined && revoked.has(each.keyId));
  const ended = connections.filter(isEnded);
  await hangUpOn(pusher, ended, { onFault });
  await forgetConnections(table, ended, { onFault });
  return connections.filter((each) => !isEnded(each));
}

/** Starts catch-ups of connections that have none in progress. */
async function startCatchUps(
  { table, startCatchUp, onFault }: Publisher,
  { readingAgain, behind }: { readingAgain: readonly Target[]; behind: readonly Target[] },
  now: Date,
  retry: Retry,
): Promise<void> {
  const toStart = [...readingAgain];
  await forEachConcurrently(behind, { concurrency }, async (connection) => {
    try {
      if (await noteMiss(table, connection, now)) toStart.push(connection);
    } catch (error) {
      onFault(error);
      toStart.push(connection);
    }
  });
  const changes = toStart.flatMap(({ changes }) => changes);
  for (const catchUp of inCatchUps(toStart))
    await startCatchUp(catchUp).catch((error) => retry(changes, error));
}

function deliveriesTo(
  connections: readonly Connection[],
  changes: readonly Personal[],
  now: Date,
): Delivery<Target>[] {
  const time = now.toISOString();
  // Keeps only the newest record of each chain, because each record is complete.
  const newest = new Map(
    changes.flatMap(({ change }) => (change.of === "settings" ? [[change.chain, change] as const] : [])),
  );
  const settings = [...newest.values()].map((change) => encodeMessage(messageOf(change, now)));
  // Keeps only the newest version of each wallet, because each version is complete.
  const wallets = new Map(
    changes.flatMap(({ change }) =>
      change.of === "wallet" ? [[change.wallet._id, change.wallet] as const] : [],
    ),
  );
  const ofWallets = walletsUpdated([...wallets.values()], now).map(encodeMessage);
  const others = changes.flatMap(({ change }) =>
    change.of === "export" ||
    change.of === "exportLock" ||
    change.of === "policy" ||
    change.of === "programKey" ||
    change.of === "redemption" ||
    change.of === "progress"
      ? [encodeMessage(messageOf(change, now))]
      : [],
  );
  const everyone = [...settings, ...ofWallets, ...others];
  const executions = changes.flatMap(({ change }) => (change.of === "execution" ? [change] : []));
  const updates = [...Map.groupBy(executions, ({ kind }) => channelOf[kind])].map(
    ([channel, changed]) =>
      [
        channel,
        inParts(changed.map(({ execution }) => execution)).map((data) =>
          encodeMessage({ type: "update", channel, time, data } as ServerMessage),
        ),
      ] as const,
  );
  return connections.flatMap((connection) => {
    const wanted = updates.filter(([channel]) => connection.channels?.has(channel));
    const messages = [...everyone, ...wanted.flatMap(([, encoded]) => encoded)];
    if (messages.length === 0) return [];
    return [{ to: { ...connection, changes }, connectionId: connection.connectionId, messages }];
  });
}

/**
 * Hands changed prices to deliver, replaces the run of feedPrices if it is old enough, and makes sure that a run reads
 * markets if needed. If anything fails, tries again half a minute later.
 */
async function publishPrices(
  { table, occupiedShards, handOver, startFeed, markets, onFault }: Publisher,
  change: PricesChange,
  now: Date,
): Promise<void> {
  const replacement = change.feed && replacementOf(change.feed, now);
  const update = pricesUpdate(change, now);
  const reported = (each: Promise<void>) => each.catch((error: unknown) => onFault(error));
  async function handOverAll(): Promise<void> {
    if (update.data.length === 0) return;
    const shards = await occupiedShards(now);
    await Promise.all(shards.map((shard) => reported(handOver({ shard, update }))));
  }
  await Promise.all([
    reported(handOverAll()),
    replacement && reported(startFeed(replacement)),
    markets && reported(keepMarketsRead(table, markets, { isTurn: change.feed !== undefined })),
  ]);
}

/** Keeps the last price of each chain. */
const newestOf = (prices: readonly Price[]): Price[] => [
  ...new Map(prices.map((price) => [price.chain, price])).values(),
];
