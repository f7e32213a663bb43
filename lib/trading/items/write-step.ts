import type { ExecutionKind } from "../../core/execution-words.ts";
import type { Execution, Order } from "../../orders/execution.ts";
import type { LaneKey } from "../../orders/intent.ts";
import { shownResting } from "../../orders/resting/shown.ts";
import type { ItemCondition, Items, ItemWrite, Kind, Names, TradeStep } from "../../orders/table-step.ts";
import { shownOrder } from "../../orders/trade-order.ts";
import type { Key } from "../../table/keys.ts";
import type { Write } from "../../table/step.ts";
import type { Table } from "../../table/table.ts";
import { singleOf, write } from "../../table/write.ts";
import { executionItems } from "./execution-records.ts";
import { keysOfItems, packed } from "./items.ts";
import { cutoffKey, cutoffPartKeys, laneKey, listedExecutionKey } from "./keys.ts";
import { inItsShard, noteShards, placeRemoval, placeWrite } from "./lane-places.ts";

/**
 * Writes a step, all or nothing. Returns false if a condition fails. In that case nothing was written, unless the step
 * is a single write whose first answer was lost.
 *
 * @throws {Error} if the write failed or its result is unknown.
 */
export async function writeStep(
  table: Table,
  step: TradeStep,
  options: { attempts?: number } = {},
): Promise<boolean> {
  const writeIn = (shard: number) =>
    write(
      table,
      singleOf(step.flatMap((each) => (each.of === "lane" ? laneWrites(each, shard) : writesOf(each)))),
      options,
    );
  const lane = step.find(isOfLane);
  if (lane === undefined) return writeIn(0);
  if (creates(lane)) await noteShards(table, lane.item.chain);
  return inItsShard(table, lane.item, writeIn);
}

type LaneWrite = Extract<ItemWrite, { of: "lane" }>;

const isOfLane = (each: ItemWrite): each is LaneWrite => each.of === "lane";

const creates = ({ kind, when }: LaneWrite): boolean =>
  kind !== "remove" && (when === undefined || when === "absent");

function laneWrites(each: LaneWrite, shard: number): Write[] {
  const { kind, item: lane, when } = each;
  const key = laneKey(lane, shard);
  const place = creates(each) ? [placeWrite(lane, shard)] : [];
  switch (kind) {
    case "check":
      return [{ kind, key, when: each.when }];
    case "remove":
      return [{ kind, key, when }, placeRemoval(lane)];
    case "change": {
      const { chain, wallet } = lane;
      return [
        { kind, key, set: { chain, wallet, ...each.set }, add: { jobs: 0, ...each.add }, when },
        ...place,
      ];
    }
    case "put":
      return [{ kind, key, item: packed(each.item) as object, when }, ...place];
  }
}

function writesOf(each: Exclude<ItemWrite, { of: "lane" }>): Write[] {
  if (each.kind === "raise") return raisesOf(each);
  const { when } = each;
  const key = keyOf(each.of, each.item);
  switch (each.kind) {
    case "check":
      return [{ kind: "check", key, when: each.when }];
    case "remove":
      return [{ kind: "remove", key, when }];
    case "put":
      // Writes positions only in the form for clients, because positions have no private part.
      if (each.of === "position") return positionWrites(each);
      return [
        { kind: "put", key, item: packed(each.item) as object, when },
        ...(each.of === "order" ? orderWrites(shownOrder(each.item), each.item.intent, when) : []),
        ...(each.of === "resting" || each.of === "rested"
          ? orderWrites(shownResting(each.item), each.item.mandate, when)
          : []),
      ];
  }
}

/** Raises all parts of a user's cutoff alike, so that one condition decides for all. */
function raisesOf({ item, set, add = {}, when }: Extract<ItemWrite, { kind: "raise" }>): Write[] {
  const { userID, chain, wallet } = item;
  const raise = (key: Key, names: object): Write => ({
    kind: "change",
    key,
    set: { ...names, ...set },
    add,
    when,
  });
  if (chain === undefined || wallet === undefined)
    return cutoffPartKeys(userID).map((key) => raise(key, { userID }));
  const names = { userID, chain, wallet };
  return [raise(cutoffKey(names), names)];
}

const keyOf = <K extends Exclude<Kind, "lane">>(kind: K, item: Names[K]): Key => keysOfItems[kind](item);

type PutOf<K extends Kind> = { item: Items[K]; when: ItemCondition<K> };

/** Writes the item for clients only if the version has changed, because clients see no other change. */
function orderWrites(execution: Order, lane: LaneKey & { userID: string }, when: unknown): Write[] {
  if ((when as { version?: unknown } | undefined)?.version === execution.version) return [];
  const shown = { userID: lane.userID, kind: "order", execution, lane } as const;
  return publicPuts(shown, when === "absent" ? "absent" : undefined);
}

function positionWrites({ item, when }: PutOf<"position">): Write[] {
  const { userID, ...execution } = item;
  const puts = publicPuts({ userID, kind: "position", execution, lane: item }, when);
  // A position's first fill can move to another block, which changes the position's place in lists.
  if (when === "absent" || when.openedAt === undefined || when.openedAt === item.openedAt) return puts;
  const key = listedExecutionKey(userID, "position", new Date(String(when.openedAt)), item.positionId);
  return [...puts, { kind: "remove", key }];
}

type Shown = { userID: string; kind: ExecutionKind; execution: Execution; lane: LaneKey };

/**
 * Builds the puts of an order or a position as clients see it. The record names its lane, and therefore other engines
 * cannot write it.
 */
function publicPuts({ lane, ...rest }: Shown, when: ItemCondition<"position"> | undefined): Write[] {
  const now = new Date(rest.execution.updatedAt);
  const { shown, listed } = executionItems({ ...rest, now, lane: `${lane.chain}#${lane.wallet}` });
  return [
    { kind: "put", key: shown.key, item: shown.item, when },
    { kind: "put", key: listed.key, item: listed.item },
  ];
}
