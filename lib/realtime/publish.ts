import { isDeepStrictEqual } from "node:util";
import type { DynamoDBRecord } from "aws-lambda";
import { encodeMessage, inParts, type ServerMessage } from "../api/server-messages.ts";
import { imageIn } from "../aws/change-image.ts";
import { type Connection, connectionsOfUser, hasShakenHands } from "../aws/connection-records.ts";
import { type Delivery, type Pusher, push, Undelivered } from "../aws/push.ts";
import type { SettingsItem } from "../aws/settings-records.ts";
import type { Item, Table } from "../aws/table.ts";
import { chainOf, executionKindOf, isPrices } from "../aws/table-keys.ts";
import { channelOf, type Execution, type ExecutionKind, idOf } from "../domain/execution.ts";
import type { Price } from "../domain/price.ts";
import { type Chain, settingsInForce } from "../domain/settings.ts";
import { type ChannelDelivery, endConnections, forgetConnections, type PublicUpdate } from "./deliver.ts";

/** A change of the table that clients are notified of. */
export type PublishedChange =
  | { of: "settings"; userID: string; chain: Chain; version: number; settings: object }
  | { of: "execution"; userID: string; kind: ExecutionKind; execution: Execution }
  | { of: "prices"; prices: readonly Price[] };

export type Publisher = {
  table: Table;
  pusher: Pusher;
  /** The number of shards that the subscribers of a public channel are spread over. */
  shards: number;
  /** Starts the delivery to one shard, without waiting for it. */
  handOver: (delivery: ChannelDelivery) => Promise<void>;
  /** Called for each record that could not be published. */
  onFault: (error: unknown) => void;
};

type Pending<Of extends PublishedChange["of"]> = {
  sequenceNumber: string;
  change: Extract<PublishedChange, { of: Of }>;
};
type Personal = Pending<"settings" | "execution">;

/** A connection, and the changes that it is sent. */
type Target = { connection: Connection; changes: readonly Personal[] };

/**
 * Pushes changes of the table to clients, in order for each client. A record that cannot be read or delivered does not
 * hold up the others.
 *
 * @returns the sequence numbers of the records to retry. Some of their messages may have arrived.
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
      // Fails here, alone, if the record is invalid. In a batch it would take the others down with it.
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

/**
 * Reads a record of the table's changes.
 *
 * @returns undefined for an item that is not published, a deletion, or a write that changes nothing for clients.
 * @throws {Error} if the record is not one that this service writes.
 */
export function readChange(record: DynamoDBRecord): PublishedChange | undefined {
  if (record.eventName === "REMOVE") return undefined;
  const after = imageIn<Item>(record, "NewImage");
  if (after === undefined) throw new Error("The record has no new image");
  const before = imageIn<Item>(record, "OldImage");

  if (isPrices(after)) {
    const { prices } = after as Item<{ prices: Price[] }>;
    return isDeepStrictEqual(before?.prices, prices) ? undefined : { of: "prices", prices };
  }
  const chain = chainOf(after);
  const kind = executionKindOf(after);
  if ((chain ?? kind) === undefined || before?.version === after.version) return undefined;
  const { userID } = after;
  if (typeof userID !== "string") throw new Error("The record has no userID");
  if (chain !== undefined) {
    const item = after as Item<SettingsItem>;
    return { of: "settings", userID, chain, version: item.version, settings: settingsInForce(chain, item) };
  }
  const execution = after as Item<Execution>;
  if (kind === undefined || idOf(execution) === undefined)
    throw new Error("The record has no orderId or positionId");
  return { of: "execution", userID, kind, execution };
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
  const closed = gone
    .map(({ connection }) => connection)
    .filter((connection) => hasShakenHands(connection, now));
  await forgetConnections(table, closed, onFault);
  await endConnections(
    { table, pusher },
    stuck.map(({ connection }) => connection),
    onFault,
  );
}

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

function messageOf(change: PublishedChange, now: Date): ServerMessage {
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
