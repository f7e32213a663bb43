import { marshall } from "@aws-sdk/util-dynamodb";
import type { DynamoDBRecord } from "aws-lambda";
import type { Chain } from "../../lib/core/network.ts";
import { type Execution, idOf } from "../../lib/orders/execution.ts";
import { pricesKey } from "../../lib/prices/item-keys.ts";
import type { Price } from "../../lib/prices/price.ts";
import type { Item } from "../../lib/table/table.ts";
import { executionKey } from "../../lib/trading/items/keys.ts";
import { settingsKey } from "../../lib/users/item-keys.ts";
import type { SettingsItem } from "../../lib/users/settings-records.ts";

type Image = NonNullable<NonNullable<DynamoDBRecord["dynamodb"]>["NewImage"]>;

const image = (item: Item) => marshall(item, { removeUndefinedValues: true }) as Image;

const keysOf = (item: Item | undefined): Image =>
  item === undefined ? {} : image({ PK: item.PK, SK: item.SK });

let sequence = 0;

/** Builds a stream record of an inserted, modified or removed item. */
export function streamRecord(after: Item | undefined, before?: Item, madeAt = new Date()): DynamoDBRecord {
  return {
    eventName: after === undefined ? "REMOVE" : before === undefined ? "INSERT" : "MODIFY",
    eventSource: "aws:dynamodb",
    dynamodb: {
      SequenceNumber: String(++sequence),
      ApproximateCreationDateTime: Math.floor(madeAt.getTime() / 1000),
      Keys: keysOf(after ?? before),
      ...(after && { NewImage: image(after) }),
      ...(before && { OldImage: image(before) }),
      StreamViewType: "NEW_AND_OLD_IMAGES",
    },
  };
}

export const sequenceNumberOf = ({ dynamodb }: DynamoDBRecord) => dynamodb?.SequenceNumber;

/** Builds an order or a position as an item. */
export function executionItem(userID: string, execution: Execution): Item {
  const kind = "orderId" in execution ? "order" : "position";
  const own = "expiresAt" in execution && { restsUntil: execution.expiresAt, expiresAt: undefined };
  return { ...executionKey(userID, kind, idOf(execution)), ...execution, ...own, userID };
}

/** Builds a chain's settings as an item. */
export function settingsItem(userID: string, chain: Chain, content: Partial<SettingsItem>): Item {
  const createdAt = "2026-11-21T09:00:00.000Z";
  return {
    ...settingsKey(userID, chain),
    _id: "s1",
    userID,
    version: 1,
    createdAt,
    updatedAt: createdAt,
    ...content,
  };
}

export const pricesItem = (
  prices: readonly Price[],
  { startedAt = "2026-11-21T09:00:00.000Z", updatedAt = "2026-11-21T09:00:00.000Z" } = {},
): Item => ({ ...pricesKey, prices, lease: "l1", startedAt, updatedAt });
