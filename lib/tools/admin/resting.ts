import { isDeepStrictEqual } from "node:util";
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { epochSeconds } from "../../core/time.ts";
import { restingStep } from "../../orders/resting/resting-step.ts";
import { mayStillFill } from "../../orders/resting/shown.ts";
import { type StoredResting, storedAfter, type Trigger, triggerOf } from "../../orders/resting/stored.ts";
import type { ItemWrite } from "../../orders/table-step.ts";
import { reasonText } from "../../orders/trade-order.ts";
import { itemAt, type Key, sortKeysOf } from "../../table/keys.ts";
import type { Item, Table } from "../../table/table.ts";
import { contentOf } from "../../trading/items/items.ts";
import { readParent, readResting } from "../../trading/items/resting-records.ts";
import { writeStep } from "../../trading/items/write-step.ts";
import { scan } from "./scan.ts";

type StoredItem = Record<string, AttributeValue>;

const mandateVoid = { status: "cancelled", reasonCode: "MANDATE_VOID" } as const;

/** Reads all resting orders, of one user or of all. */
async function everyResting(table: Table, userID?: string): Promise<StoredResting[]> {
  if (userID !== undefined) return readResting(table, userID);
  const users = new Set<string>();
  for await (const { PK } of scan<Key>(table, sortKeysOf("resting"), ["PK"]))
    users.add(PK.slice(PK.indexOf("#") + 1));
  const found: StoredResting[] = [];
  for (const user of users) found.push(...(await readResting(table, user)));
  return found;
}

/**
 * Ends the resting orders of one user or of all, and cancels them for good. After a restore, nobody knows what has
 * become of them. Orders that have filled or ended are only cancelled: they fire no more, and settle once their
 * children have.
 *
 * @returns the number of orders that have ended.
 * @throws {Error} if other writers keep changing an order. The command can be repeated.
 */
export async function voidResting(table: Table, now: Date, userID?: string): Promise<number> {
  let ended = 0;
  for (const { mandate } of await everyResting(table, userID))
    if (await voidOrder(table, now, mandate)) ended++;
  return ended;
}

const maxTries = 5;

/** Returns whether the order was open. */
async function voidOrder(table: Table, now: Date, name: { userID: string; orderId: string }) {
  const { userID, orderId } = name;
  await writeStep(table, [{ kind: "put", of: "cancellation", item: { userID, orderId } }]);
  for (let tries = 0; tries < maxTries; tries++) {
    const order = await readParent(table, userID, orderId);
    if (order === undefined || !mayStillFill(order)) return false;
    const done = { ...order, state: "done", out: [], end: mandateVoid } as const;
    if (await writeStep(table, restingStep(storedAfter(order, done, order.facts, now.getTime()), order)))
      return true;
  }
  throw new Error(`The resting order ${orderId} keeps changing`);
}

const types: readonly unknown[] = ["limit", "stop", "oco", "trailing_stop", "twap"];

const openStatuses: readonly unknown[] = ["open", "partially_filled"];

const voided: StoredItem = {
  status: { S: mandateVoid.status },
  reasonCode: { S: mandateVoid.reasonCode },
  reason: { S: reasonText.MANDATE_VOID },
};

/** Settles a backup's record of a resting order, as void if it was open. Returns any other item as it is. */
export function withoutRest(key: Key, item: StoredItem, now: Date): StoredItem {
  const kind = itemAt(key);
  const isRecord = (kind === "order" || kind === "listedOrder") && item.lane !== undefined;
  if (!isRecord || item.settled?.BOOL === true || !types.includes(item.type?.S)) return item;
  const expiresAt = epochSeconds(now) + 7 * 86_400;
  return {
    ...item,
    ...(openStatuses.includes(item.status?.S) && voided),
    stage: { S: "done" },
    settled: { BOOL: true },
    attention: { L: [] },
    updatedAt: { S: now.toISOString() },
    version: { N: String(Number(item.version?.N) + 1) },
    ...(kind === "order" && { expiresAt: { N: String(expiresAt) } }),
  };
}

const attributes = [
  ...(["PK", "SK", "chain", "wallet", "userID", "orderId", "side", "token", "amount", "legs"] as const),
  ...(["state", "dueAt", "tableId", "exitOf", "restsUntil"] as const),
] as const;

/** A trigger that is missing, wrong, or of an order that does not rest. */
export type Disagreement = { orderId: string; problem: string; mend: ItemWrite };

/**
 * Compares resting orders with their triggers. Orders that fire meanwhile may show as disagreements, which does no
 * harm: a trigger decides nothing.
 */
export async function* restingDisagreements(table: Table): AsyncGenerator<Disagreement> {
  const triggers = new Map<string, Trigger>();
  for await (const item of scan<Item<Trigger>>(table, sortKeysOf("trigger"), attributes)) {
    const trigger = contentOf("trigger", item);
    triggers.set(trigger.orderId, trigger);
  }
  for (const order of await everyResting(table)) {
    const wanted = triggerOf(order);
    const { orderId } = wanted;
    const found = triggers.get(orderId);
    triggers.delete(orderId);
    if (isDeepStrictEqual(found, wanted)) continue;
    const problem = found === undefined ? "has no trigger" : "has another trigger";
    yield { orderId, problem, mend: { kind: "put", of: "trigger", item: wanted } };
  }
  for (const [orderId, item] of triggers)
    yield {
      orderId,
      problem: "has a trigger, but does not rest",
      mend: { kind: "remove", of: "trigger", item },
    };
}
