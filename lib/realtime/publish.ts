import type { DynamoDBRecord } from "aws-lambda";
import { encodeMessage, inParts, type ServerMessage } from "../api/server-messages.ts";
import { type Connection, connectionsOfUser } from "../aws/connection-records.ts";
import { type Delivery, type Pusher, push, Undelivered } from "../aws/push.ts";
import type { Table } from "../aws/table.ts";
import { channelOf } from "../domain/execution.ts";
import { type Change, readChange } from "./change.ts";
import type { ChannelDelivery, PublicUpdate } from "./deliver.ts";
import { endConnections, forgetConnections } from "./ended-connections.ts";

export type Publisher = {
  table: Table;
  pusher: Pusher;
  /** How many shards the subscribers of a public channel stand in. */
  shards: number;
  /** Hands a message for one shard over to who delivers it. */
  handOver: (delivery: ChannelDelivery) => Promise<void>;
  /** Hears of each record that could not be published, and why. */
  onFault: (error: unknown) => void;
};

type Pending<Of extends Change["of"]> = { sequenceNumber: string; change: Extract<Change, { of: Of }> };
type Personal = Pending<"settings" | "execution">;

/** A connection, and what it was to be told. */
type Target = { connection: Connection; changes: readonly Personal[] };

/**
 * Tells clients of changes of the table, in order for each of them. What cannot be read or told holds up nothing else.
 *
 * @returns the sequence numbers of the records that have to come again. Some of their messages may have arrived.
 */
export async function publish(
  publisher: Publisher,
  records: readonly DynamoDBRecord[],
  now: Date,
): Promise<string[]> {
  const failed = new Set<string>();
  const fail = (changes: readonly { sequenceNumber: string }[], error: unknown) => {
    publisher.onFault(error);
    for (const { sequenceNumber } of changes) failed.add(sequenceNumber);
  };

  const personal: Personal[] = [];
  let prices: Pending<"prices"> | undefined;
  for (const record of records) {
    const sequenceNumber = record.dynamodb?.SequenceNumber ?? "";
    try {
      const change = readChange(record);
      if (change === undefined) continue;
      // Found out for each by itself: in the company of others it would take them down with it.
      encodeMessage(messageOf(change, now));
      if (change.of !== "prices") personal.push({ sequenceNumber, change });
      // Later prices replace earlier ones.
      else prices = { sequenceNumber, change };
    } catch (error) {
      fail([{ sequenceNumber }], error);
    }
  }

  await Promise.all([
    publishToUsers(publisher, personal, now, fail),
    prices && publishPrices(publisher, prices, now).catch((error) => fail([prices], error)),
  ]);
  return [...failed];
}

async function publishToUsers(
  { table, pusher, onFault }: Publisher,
  personal: readonly Personal[],
  now: Date,
  fail: (changes: readonly Personal[], error: unknown) => void,
): Promise<void> {
  const byUser = Map.groupBy(personal, ({ change }) => change.userID);
  const deliveries = await Promise.all(
    [...byUser].map(async ([userID, changes]) => {
      try {
        return deliveriesTo(await connectionsOfUser(table, userID), changes, now);
      } catch (error) {
        fail(changes, error);
        return [];
      }
    }),
  );
  const { gone, stuck, undelivered } = await push(pusher, deliveries.flat());
  for (const { changes } of undelivered) fail(changes, new Undelivered());
  const ended = gone.map(({ connection }) => connection).filter((connection) => wasOpen(connection, now));
  await forgetConnections(table, ended, onFault);
  await endConnections(
    { table, pusher },
    stuck.map(({ connection }) => connection),
    onFault,
  );
}

/** While a handshake is under way its connection is remembered already, and cannot be reached yet. */
const handshake = 30_000;

const wasOpen = ({ connectedAt }: Connection, now: Date) =>
  now.getTime() - Date.parse(connectedAt) > handshake;

function deliveriesTo(
  connections: readonly Connection[],
  changes: readonly Personal[],
  now: Date,
): Delivery<Target>[] {
  const time = now.toISOString();
  const settings = changes.flatMap(({ change }) =>
    change.of === "settings" ? [encodeMessage(messageOf(change, now))] : [],
  );
  const executions = changes.flatMap(({ change }) => (change.of === "execution" ? [change] : []));
  const updates = [...Map.groupBy(executions, ({ kind }) => channelOf[kind])].map(
    ([channel, told]) =>
      [
        channel,
        inParts(told.map(({ execution }) => execution)).map((data) =>
          encodeMessage({ type: "update", channel, time, data } as ServerMessage),
        ),
      ] as const,
  );
  return connections.flatMap((connection) => {
    const wanted = updates.filter(([channel]) => connection.channels?.has(channel));
    const messages = [...settings, ...wanted.flatMap(([, encoded]) => encoded)];
    if (messages.length === 0) return [];
    return [{ to: { connection, changes }, connectionID: connection.connectionID, messages }];
  });
}

async function publishPrices(
  { shards, handOver }: Publisher,
  { change }: Pending<"prices">,
  now: Date,
): Promise<void> {
  const update = pricesUpdate(change, now);
  await Promise.all(Array.from({ length: shards }, (_, shard) => handOver({ shard, update })));
}

function messageOf(change: Change, now: Date): ServerMessage {
  const time = now.toISOString();
  switch (change.of) {
    case "settings": {
      const { chain, version, settings } = change;
      return { type: "TradingSettingsUpdated", time, data: { chain, version, settings } } as ServerMessage;
    }
    case "execution": {
      const channel = channelOf[change.kind];
      return { type: "update", channel, time, data: [change.execution] } as ServerMessage;
    }
    case "prices":
      return pricesUpdate(change, now);
  }
}

function pricesUpdate({ prices }: Pending<"prices">["change"], now: Date): PublicUpdate {
  return { type: "update", channel: "prices", time: now.toISOString(), data: [...prices] };
}
