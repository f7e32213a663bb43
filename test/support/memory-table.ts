import { isDeepStrictEqual } from "node:util";
import { DynamoDBClient, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import {
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  type UpdateCommandInput,
} from "@aws-sdk/lib-dynamodb";
import type { Key } from "../../lib/table/keys.ts";
import type { Item, Table } from "../../lib/table/table.ts";

type Expressions = Pick<
  UpdateCommandInput,
  "UpdateExpression" | "ConditionExpression" | "ExpressionAttributeNames" | "ExpressionAttributeValues"
>;

const keyTextOf = ({ PK, SK }: Key) => `${PK}\n${SK}`;

/** Copies what is stored like the SDK, which leaves undefined values out. */
const stored = (item: Item) => JSON.parse(JSON.stringify(item)) as Item;

/**
 * A table in memory for long histories. It knows only conditions on presence and equality.
 *
 * @param pause waits before each command, so that runs can overlap.
 */
export function memoryTable(pause: () => Promise<void> = async () => {}): Table {
  const items = new Map<string, Item>();
  const send = async (command: unknown) => {
    await pause();
    if (command instanceof GetCommand) return { Item: items.get(keyTextOf(command.input.Key as Key)) };
    if (command instanceof QueryCommand) return queried(items, command.input);
    if (command instanceof PutCommand) return void put(command.input.Item as Item);
    if (command instanceof DeleteCommand) return void items.delete(keyTextOf(command.input.Key as Key));
    if (command instanceof BatchWriteCommand) {
      for (const requests of Object.values(command.input.RequestItems ?? {}))
        for (const { PutRequest } of requests) put(PutRequest?.Item as Item);
      return {};
    }
    if (command instanceof TransactWriteCommand) return transact(command);
    throw new Error("The table in memory does not know this command");
  };
  const put = (item: Item) => items.set(keyTextOf(item), stored(item));

  function transact({ input: { TransactItems = [] } }: TransactWriteCommand) {
    const writes = TransactItems.map(({ Put, Update, Delete, ConditionCheck }) => {
      const input = Put ?? Update ?? Delete ?? ConditionCheck;
      const key = (Put?.Item ?? Update?.Key ?? Delete?.Key ?? ConditionCheck?.Key) as Key;
      return { Put, Update, Delete, key, expressions: input as Expressions };
    });
    const texts = writes.map(({ key }) => keyTextOf(key));
    if (new Set(texts).size < texts.length) throw new Error("The transaction names an item twice");
    const reasons = writes.map(({ key, expressions }) => ({
      Code: holds(items.get(keyTextOf(key)), expressions) ? "None" : "ConditionalCheckFailed",
    }));
    if (reasons.some(({ Code }) => Code !== "None"))
      throw new TransactionCanceledException({
        $metadata: {},
        message: "cancelled",
        CancellationReasons: reasons,
      });
    for (const { Put, Update, Delete, key, expressions } of writes) {
      if (Put) put(Put.Item as Item);
      if (Delete) items.delete(keyTextOf(key));
      if (Update) put(updated(items.get(keyTextOf(key)) ?? { ...key }, expressions));
    }
    return {};
  }

  // Never connects, because every command ends above.
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ region: "eu-west-1" }));
  return {
    name: "memory",
    client: new Proxy(client, { get: (_, key) => (key === "send" ? send : Reflect.get(client, key)) }),
  };
}

function queried(items: ReadonlyMap<string, Item>, input: QueryCommand["input"]) {
  const { ExpressionAttributeValues: values = {}, Limit = Number.POSITIVE_INFINITY } = input;
  const { ExclusiveStartKey: start, ScanIndexForward = true } = input;
  const found = [...items.values()]
    .filter(({ PK, SK }) => PK === values[":pk"] && SK >= values[":from"] && SK <= values[":to"])
    .filter(({ SK }) => start === undefined || SK > start.SK)
    .sort((one, other) => (one.SK < other.SK === ScanIndexForward ? -1 : 1));
  const page = found.slice(0, Limit);
  const last = page.at(-1);
  return {
    Items: page,
    ...(last && found.length > page.length && { LastEvaluatedKey: { PK: last.PK, SK: last.SK } }),
  };
}

function holds(item: Item | undefined, expressions: Expressions): boolean {
  const { ConditionExpression: condition, ExpressionAttributeNames: names = {} } = expressions;
  const { ExpressionAttributeValues: values = {} } = expressions;
  const field = (name = "") => item?.[names[name] as keyof Item] as unknown;
  if (condition === undefined) return true;
  return condition.split(" AND ").every((test) => {
    if (test === "attribute_exists(PK)") return item !== undefined;
    if (test === "attribute_not_exists(PK)") return item === undefined;
    const [, absent] = /^attribute_not_exists\((#\w+)\)$/.exec(test) ?? [];
    if (absent !== undefined) return field(absent) === undefined;
    const [, name, value] = /^(#\w+) = (:\d+)$/.exec(test) ?? [];
    if (name === undefined) throw new Error(`The table in memory does not know ${test}`);
    return isDeepStrictEqual(field(name), JSON.parse(JSON.stringify(values[value ?? ""])));
  });
}

function updated(item: Item, { UpdateExpression = "", ...expressions }: Expressions): Item {
  const { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} } = expressions;
  const changed: Record<string, unknown> = { ...item };
  for (const [, name = "", value = ""] of UpdateExpression.matchAll(/(#\w+) = (:\d+)/g))
    changed[names[name] ?? ""] = values[value];
  for (const [name] of (/REMOVE (.*)$/.exec(UpdateExpression)?.[1] ?? "").matchAll(/#\w+/g))
    delete changed[names[name] ?? ""];
  return changed as Item;
}
