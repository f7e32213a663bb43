import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Redemption } from "../domain/redemption.ts";
import { redemptionPlaceKey } from "./reward-keys.ts";
import { type PageOptions, queryPage, type Table } from "./table.ts";
import { redemptionKey, redemptionsOf } from "./table-keys.ts";
import { putNew, type Writes } from "./writes.ts";

/** Where a redemption is, by its id alone. */
type Place = Pick<Redemption, "redemptionId" | "userID" | "createdAt">;

const keyOf = ({ redemptionId, userID, createdAt }: Place) =>
  redemptionKey(userID, new Date(createdAt), redemptionId);

export async function readRedemption(
  { client, name: TableName }: Table,
  redemptionId: string,
): Promise<Redemption | undefined> {
  const read = async (Key: object) =>
    (await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;
  const place = (await read(redemptionPlaceKey(redemptionId))) as Place | undefined;
  return place && ((await read(keyOf(place))) as Redemption | undefined);
}

/** Adds a redemption, unless there is one with its id. */
export const addingRedemption = (table: Table, redemption: Redemption): Writes => {
  const { redemptionId, userID, createdAt } = redemption;
  return [
    putNew(table, { ...redemptionPlaceKey(redemptionId), redemptionId, userID, createdAt }),
    putNew(table, { ...keyOf(redemption), ...redemption }),
  ];
};

/** Replaces a redemption, unless it has changed since it was read. */
export const changingRedemption = (
  { name: TableName }: Table,
  read: Redemption,
  { status, updatedAt, version }: Redemption,
): Writes[number] => ({
  Update: {
    TableName,
    Key: keyOf(read),
    UpdateExpression: "SET #status = :status, updatedAt = :time, version = :version",
    ConditionExpression: "version = :read",
    ExpressionAttributeNames: { "#status": "status" },
    ExpressionAttributeValues: {
      ":status": status,
      ":time": updatedAt,
      ":version": version,
      ":read": read.version,
    },
  },
});

/** A page of a user's redemptions, newest first. */
export async function readRedemptions(
  table: Table,
  userID: string,
  options: PageOptions,
): Promise<{ redemptions: Redemption[]; end?: string }> {
  const { items: redemptions, ...page } = await queryPage<Redemption>(table, redemptionsOf(userID), options);
  return { redemptions, ...page };
}
