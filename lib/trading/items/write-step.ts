import type { ExecutionKind } from "../../core/execution-words.ts";
import type { Key } from "../../table/keys.ts";
import type { Table } from "../../table/table.ts";
import { listedExecutionKey } from "../../table/table-keys.ts";
import { transact, type Writes } from "../../table/writes.ts";
import type { Execution } from "../core/execution.ts";
import type { LaneKey } from "../core/intent.ts";
import {
  type Condition,
  type FreeLane,
  type Items,
  type ItemWrite,
  isFreeLane,
  type Kind,
  type LaneChange,
  type Names,
  type Step,
} from "../core/table-step.ts";
import { shownOrder } from "../core/trade-order.ts";
import { executionItems } from "./execution-records.ts";
import { keysOfItems, packed } from "./items.ts";

type Write = Writes[number];

/** The most that a transaction may write and check. */
const mostWrites = 100;

/**
 * Writes a step. Returns false, without writing, if a condition fails.
 *
 * @throws {Error} if it is unknown whether the step was written, or if it certainly was not.
 */
export async function writeStep(table: Table, step: Step): Promise<boolean> {
  const writes = step.flatMap((write) => writesOf(table.name, write));
  if (writes.length > mostWrites)
    throw new Error(`A step has ${writes.length} writes, not up to ${mostWrites}`);
  return transact(table, writes);
}

function writesOf(TableName: string, write: ItemWrite): Write[] {
  if ("change" in write) return [changeOf(TableName, write)];
  if ("check" in write)
    return [{ ConditionCheck: { TableName, Key: keyOf(write.check, write.item), ...ifHolds(write.when) } }];
  if ("remove" in write)
    return [{ Delete: { TableName, Key: keyOf(write.remove, write.item), ...ifHolds(write.when) } }];
  const Item = { ...keyOf(write.put, write.item), ...(packed(write.item) as object) };
  const put = { Put: { TableName, Item, ...(write.when !== undefined && ifHolds(write.when)) } };
  if (write.put === "position") {
    const { userID, ...execution } = write.item;
    const puts = publicPuts(TableName, { userID, kind: "position", execution, lane: write.item }, write.when);
    return [...puts, ...movedInLists(TableName, write.item, write.when)];
  }
  if (write.put !== "order") return [put];
  // Clients see only what has another version.
  const isSeen = write.when === "absent" || write.when.version !== write.item.version;
  if (!isSeen) return [put];
  const { userID } = write.item.intent;
  const shown = {
    userID,
    kind: "order",
    execution: shownOrder(write.item),
    lane: write.item.intent,
  } as const;
  return [put, ...publicPuts(TableName, shown, write.when === "absent" ? "absent" : undefined)];
}

/** The first fill of a position can get into another block, and the position to another place in lists. */
function movedInLists(
  TableName: string,
  { userID, positionId, openedAt }: Items["position"],
  when: Condition<"position">,
): Write[] {
  if (when === "absent" || when.openedAt === undefined || when.openedAt === openedAt) return [];
  const Key = listedExecutionKey(userID, "position", new Date(when.openedAt), positionId);
  return [{ Delete: { TableName, Key } }];
}

type Shown = { userID: string; kind: ExecutionKind; execution: Execution; lane: LaneKey };

/** An order or a position as clients see it. Its lane marks it as one that no other engine may write. */
function publicPuts(
  TableName: string,
  { lane, ...rest }: Shown,
  when: Condition<"position"> | undefined,
): Write[] {
  const now = new Date(rest.execution.updatedAt);
  const { shown, listed } = executionItems({ ...rest, now, lane: `${lane.chain}#${lane.wallet}` });
  return [
    { Put: { TableName, Item: shown, ...(when !== undefined && ifHolds(when)) } },
    { Put: { TableName, Item: listed } },
  ];
}

function changeOf(TableName: string, { item, set, addJobs, when }: LaneChange): Write {
  const { chain, wallet } = item;
  const isReleased = set !== undefined && "released" in set;
  const values = { chain, wallet, ...(isReleased ? { watch: set.released } : set) };
  const sets = Object.entries(values).filter(([, value]) => value !== undefined);
  const names = [...sets.map(([name]) => name), ...(isReleased ? lease : []), "jobs"];
  const condition = when === undefined ? undefined : isFreeLane(when) ? ifFree(when) : ifHolds(when);
  return {
    Update: {
      TableName,
      Key: keyOf("lane", item),
      UpdateExpression: [
        `SET ${sets.map(([name]) => `#${name} = :set_${name}`).join(", ")}`,
        ...(isReleased ? [`REMOVE ${lease.map((name) => `#${name}`).join(", ")}`] : []),
        "ADD #jobs :add_jobs",
      ].join(" "),
      ConditionExpression: condition?.ConditionExpression,
      ExpressionAttributeNames: {
        ...Object.fromEntries(names.map((name) => [`#${name}`, name])),
        ...condition?.ExpressionAttributeNames,
      },
      ExpressionAttributeValues: {
        ...Object.fromEntries(sets.map(([name, value]) => [`:set_${name}`, value])),
        ":add_jobs": addJobs ?? 0,
        ...condition?.ExpressionAttributeValues,
      },
    },
  };
}

const lease = ["holder", "leaseUntilMs"];

const keyOf = <K extends Kind>(kind: K, item: Names[K]): Key => keysOfItems[kind](item);

/** A wallet that is not retired has no time of retirement. */
const wordsOf = ([name, value]: [string, unknown]): [string, unknown] =>
  name === "isRetired" && value === false ? ["retiredAt", undefined] : [name, value];

const ifFree = ({ freeAtMs }: FreeLane) => ({
  ConditionExpression:
    "attribute_exists(PK) AND (attribute_not_exists(#holder) OR #leaseUntilMs <= :free_at)",
  ExpressionAttributeNames: { "#holder": "holder", "#leaseUntilMs": "leaseUntilMs" },
  ExpressionAttributeValues: { ":free_at": freeAtMs },
});

/** An item that does not exist has no values. */
function ifHolds<K extends Kind>(when: Condition<K>) {
  if (when === "absent") return { ConditionExpression: "attribute_not_exists(PK)" };
  const wanted = Object.entries(when).map(wordsOf);
  const given = wanted.filter(([, value]) => value !== undefined);
  return {
    ConditionExpression: [
      "attribute_exists(PK)",
      ...wanted.map(([name, value]) =>
        value === undefined ? `attribute_not_exists(#${name})` : `#${name} = :${name}`,
      ),
    ].join(" AND "),
    ...(wanted.length > 0 && {
      ExpressionAttributeNames: Object.fromEntries(wanted.map(([name]) => [`#${name}`, name])),
    }),
    ...(given.length > 0 && {
      ExpressionAttributeValues: Object.fromEntries(given.map(([name, value]) => [`:${name}`, value])),
    }),
  };
}
