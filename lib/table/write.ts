import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionConflictException,
} from "@aws-sdk/client-dynamodb";
import {
  DeleteCommand,
  PutCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { getItems } from "./batch-get.ts";
import { holds } from "./evaluate.ts";
import type { Key } from "./keys.ts";
import { partitionNameOf } from "./layout.ts";
import { retry } from "./retry.ts";
import { type Condition, Initial, type Step, Test, type When, type Write } from "./step.ts";
import type { Item, Table } from "./table.ts";

type Change = Extract<Write, { kind: "change" }>;
type Check = Extract<Write, { kind: "check" }>;
type Single = Exclude<Write, Check>;

/** Maximum number of writes and checks that DynamoDB accepts in a transaction. */
const mostWrites = 100;

/**
 * Maximum number of attempts at a write that conflicts with others, because the SDK does not repeat such writes. The
 * pauses add up to at most four seconds. This suffices for the writes of 25 concurrent requests of one user.
 */
const maxAttempts = 8;

/**
 * Carries out a step, all or nothing. Returns false, without writing, if a condition fails.
 *
 * A list is carried out as a transaction, which takes effect once even if the SDK repeats it after a lost answer. A
 * single write is a plain command at half the price. If the SDK repeats a plain command, it may add a number twice, or
 * fail because the first write changed the item.
 *
 * Checks in partitions that the table's transactions may not name are read before each attempt. A change between that
 * read and the transaction counts as if made later.
 *
 * @throws {TransactionCanceledException | TransactionConflictException} if the last attempt conflicts with other
 * writes.
 */
export async function write(
  table: Table,
  step: Single | Step,
  { attempts = maxAttempts } = {},
): Promise<boolean> {
  const [before, within] = "kind" in step ? [[], step] : parted(table, step);
  if (Array.isArray(within) && within.length === 0) return allHold(table, before);
  const command = "kind" in within ? commandOf(table.name, within) : transactionOf(table.name, within);
  return untilDecided(attempts, {
    send: async () => {
      if (!(await allHold(table, before))) return false;
      // Casts the command, because no overload of `send` accepts all of these types.
      await table.client.send(command as UpdateCommand);
      return true;
    },
    onRefusal: () => false,
  });
}

/**
 * Returns the only write of a step, because a plain command costs half as much as a transaction. Use it only if the
 * caller reads the item again after a failed condition: the condition may fail because the write succeeded but its
 * answer was lost. A step that adds to numbers remains a transaction, so that repeating it does not add twice.
 */
export function singleOf(step: Step): Single | Step {
  const [only, ...others] = step;
  if (only === undefined || only.kind === "check" || others.length > 0) return step;
  const added = only.kind === "change" ? Object.values(only.add ?? {}) : [];
  const addsNumber = added.some((value) => typeof value === "number" && value !== 0);
  return addsNumber ? step : only;
}

/** Separates the checks that are read before the transaction from the writes and checks that are part of it. */
function parted({ transactionPartitions: named }: Table, step: Step): [Check[], Step] {
  const isBefore = (each: Write): each is Check =>
    each.kind === "check" && named !== undefined && !named.includes(partitionNameOf(each.key.PK));
  return [step.filter(isBefore), step.filter((each) => !isBefore(each))];
}

async function allHold(table: Table, checks: readonly Check[]): Promise<boolean> {
  if (checks.length === 0) return true;
  const items = await getItems<object>(
    table,
    checks.map(({ key }) => key),
  );
  const itemAt = ({ PK, SK }: Key) => items.find((item) => item.PK === PK && item.SK === SK);
  return checks.every(({ key, when }) => holds(when, itemAt(key)));
}

/**
 * Carries out a step in one attempt, all or nothing. Returns false, without writing, if a condition fails or another
 * write conflicts. After a conflict, the same step would most likely fail even after a pause.
 */
export async function writeOnce(table: Table, step: Step): Promise<boolean> {
  return write(table, step, { attempts: 1 }).catch((error: unknown) => {
    if (isContention(error)) return false;
    throw error;
  });
}

/**
 * Result of a write: the item after a change, or the item before a replacement or removal. If the condition failed, the
 * stored item.
 */
type Outcome<Content> = { isWritten: boolean; item: Item<Content> | undefined };

/** Carries out a single write and returns its item. */
export async function writeOne<Content extends object>(
  table: Table,
  single: Single,
): Promise<Outcome<Content>> {
  const command = commandOf(table.name, single, {
    ReturnValues: single.kind === "change" ? "ALL_NEW" : "ALL_OLD",
    ...(single.when !== undefined && { ReturnValuesOnConditionCheckFailure: "ALL_OLD" }),
  });
  return untilDecided<Outcome<Content>>(maxAttempts, {
    send: async () => {
      const { Attributes } = await table.client.send(command as UpdateCommand);
      return { isWritten: true, item: Attributes as Item<Content> | undefined };
    },
    onRefusal: (error) => {
      const stored = error instanceof ConditionalCheckFailedException ? error.Item : undefined;
      return { isWritten: false, item: stored && (unmarshall(stored) as Item<Content>) };
    },
  });
}

type Attempt<Result> = { send: () => Promise<Result>; onRefusal: (error: unknown) => Result };

/** Sends a write until it succeeds or a condition fails. */
async function untilDecided<Result>(attempts: number, { send, onRefusal }: Attempt<Result>): Promise<Result> {
  const decided = await retry(
    async (isLast) => {
      try {
        return { result: await send() };
      } catch (error) {
        if (isRefusal(error)) return { result: onRefusal(error) };
        if (isLast || !isContention(error)) throw error;
        return undefined;
      }
    },
    { attempts },
  );
  if (decided === undefined) throw new Error("A write needs one attempt or more");
  return decided.result;
}

const reasonsOf = ({ CancellationReasons = [] }: TransactionCanceledException) =>
  CancellationReasons.map(({ Code = "" }) => Code);

/** True if a condition failed. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ConditionalCheckFailedException ||
  (error instanceof TransactionCanceledException && reasonsOf(error).includes("ConditionalCheckFailed"));

const contentions = new Set(["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"]);

/** True if another write conflicts or DynamoDB throttles. The same write may succeed a moment later. */
export const isContention = (error: unknown): boolean =>
  error instanceof TransactionConflictException ||
  (error instanceof TransactionCanceledException && reasonsOf(error).some((code) => contentions.has(code)));

/** Parameters that make DynamoDB return the item. */
type Returned = Pick<UpdateCommandInput, "ReturnValues" | "ReturnValuesOnConditionCheckFailure">;

function commandOf(TableName: string, single: Single, returned: Returned = {}) {
  const input = { TableName, ...expressionsOf(single), ...returned };
  const { key: Key } = single;
  switch (single.kind) {
    case "put":
      return new PutCommand({ ...input, Item: { ...Key, ...single.item } });
    case "change":
      return new UpdateCommand({ ...input, Key });
    case "remove":
      return new DeleteCommand({ ...input, Key });
  }
}

function transactionOf(TableName: string, step: Step) {
  const { length } = step;
  if (length > mostWrites) throw new Error(`A step has ${length} writes, more than ${mostWrites}`);
  return new TransactWriteCommand({ TransactItems: step.map((each) => transactItem(TableName, each)) });
}

type TransactItem = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

function transactItem(TableName: string, each: Write): TransactItem {
  const input = { TableName, ...expressionsOf(each) };
  const { key: Key } = each;
  switch (each.kind) {
    case "put":
      return { Put: { ...input, Item: { ...Key, ...each.item } } };
    case "change":
      return { Update: { ...input, Key, UpdateExpression: input.UpdateExpression } };
    case "remove":
      return { Delete: { ...input, Key } };
    case "check":
      return { ConditionCheck: { ...input, Key, ConditionExpression: input.ConditionExpression } };
  }
}

/**
 * Collects the names and values that expressions use. Placeholders are needed because names may be reserved words of
 * DynamoDB.
 */
class Placeholders {
  readonly #names: Record<string, string> = {};
  readonly #values: Record<string, unknown> = {};

  name(field: string): string {
    this.#names[`#${field}`] = field;
    return `#${field}`;
  }

  value(value: unknown): string {
    const placeholder = `:${Object.keys(this.#values).length}`;
    this.#values[placeholder] = value;
    return placeholder;
  }

  /** Omits empty values, because DynamoDB rejects them. */
  parameters() {
    const [names, values] = [this.#names, this.#values];
    return {
      ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
      ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
    };
  }
}

function expressionsOf(each: Write) {
  const placeholders = new Placeholders();
  const update = each.kind === "change" ? updateOf(each, placeholders) : "";
  const condition = each.when === undefined ? "" : conditionOf(each.when, placeholders);
  return {
    ...(update !== "" && { UpdateExpression: update }),
    ...(condition !== "" && { ConditionExpression: condition }),
    ...placeholders.parameters(),
  };
}

function updateOf({ set = {}, add = {}, take = {} }: Change, placeholders: Placeholders): string {
  const fields = Object.entries(set);
  const pairs = (values: object) =>
    Object.entries(values).map(([name, value]) => `${placeholders.name(name)} ${placeholders.value(value)}`);
  const clauses = {
    SET: fields.filter(([, value]) => value !== undefined).map((field) => settingOf(field, placeholders)),
    REMOVE: fields.filter(([, value]) => value === undefined).map(([name]) => placeholders.name(name)),
    ADD: pairs(add),
    DELETE: pairs(take),
  };
  return Object.entries(clauses)
    .filter(([, { length }]) => length > 0)
    .map(([clause, parts]) => `${clause} ${parts.join(", ")}`)
    .join(" ");
}

function settingOf([field, value]: [string, unknown], placeholders: Placeholders): string {
  const name = placeholders.name(field);
  if (!(value instanceof Initial)) return `${name} = ${placeholders.value(value)}`;
  const initial = `if_not_exists(${name}, ${placeholders.value(value.value)})`;
  const plus = value.plus === undefined ? "" : ` + ${placeholders.value(value.plus)}`;
  return `${name} = ${initial}${plus}`;
}

function conditionOf(when: When, placeholders: Placeholders): string {
  const conditions = (Array.isArray(when) ? when : [when]) as readonly Condition[];
  return conditions.map((condition) => clauseOf(condition, placeholders)).join(" OR ");
}

function clauseOf(condition: Condition, placeholders: Placeholders): string {
  if (condition === "absent") return "attribute_not_exists(PK)";
  if (condition === "present") return "attribute_exists(PK)";
  const tests = Object.entries(condition).map((field) => testOf(field, placeholders));
  return ["attribute_exists(PK)", ...tests].join(" AND ");
}

function testOf([field, wanted]: [string, unknown], placeholders: Placeholders): string {
  const name = placeholders.name(field);
  if (wanted === undefined) return `attribute_not_exists(${name})`;
  if (!(wanted instanceof Test)) return `${name} = ${placeholders.value(wanted)}`;
  if (wanted.is === "one of") {
    const values = (wanted.value as readonly unknown[]).map((value) => placeholders.value(value));
    return `${name} IN (${values.join(", ")})`;
  }
  const value = placeholders.value(wanted.value);
  switch (wanted.is) {
    case "below":
      return `${name} < ${value}`;
    case "at most":
      return `${name} <= ${value}`;
    case "at least":
      return `${name} >= ${value}`;
    case "smaller than":
      return `size(${name}) < ${value}`;
    case "containing":
      return `contains(${name}, ${value})`;
  }
}
