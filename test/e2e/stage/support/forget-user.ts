import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { deleteApiKey, keysWithPrefix } from "../../../../lib/plans/api-keys.ts";
import { customerPlans, deleteCustomerPlan } from "../../../../lib/plans/customer-plans.ts";
import { userKeyRecordKey } from "../../../../lib/plans/item-keys.ts";
import { mirrorUser } from "../../../../lib/plans/mirror.ts";
import { ownerOf } from "../../../../lib/plans/user-key.ts";
import { KeyChanged } from "../../../../lib/plans/user-key-records.ts";
import { closeConnection, connectionsOfUser } from "../../../../lib/realtime/connection-records.ts";
import { everythingOf } from "../../../../lib/table/keys.ts";
import { queryRange } from "../../../../lib/table/table.ts";
import { referralCodeKey } from "../../../../lib/users/item-keys.ts";
import type { Profile } from "../../../../lib/users/profile.ts";
import type { Service } from "./service.ts";

/** Deletes all data of a user. */
export async function forgetUser(
  { table, plans }: Pick<Service, "table" | "plans">,
  userID: string,
): Promise<void> {
  // Removes subscriptions as well: the service may not have noticed yet that the connections ended.
  for (const connection of await connectionsOfUser(table, userID)) await closeConnection(table, connection);
  const items = await Promise.all(
    everythingOf(userID).map((range) => queryRange<Partial<Profile>>(table, range)),
  );
  const record = userKeyRecordKey(userID).SK;
  const remove = (Key: { PK: string; SK: string }) =>
    table.client.send(new DeleteCommand({ TableName: table.name, Key }));
  for (const { PK, SK, refID } of items.flat()) {
    if (refID !== undefined) await remove(referralCodeKey(refID));
    // Does not delete the record of keys, because it lists the keys still to be deleted.
    if (SK !== record) await remove({ PK, SK });
  }
  await retire({ ...plans, now: () => new Date() }, userID);
  // deleteRetiredKeys would delete the keys as well, but ten minutes later.
  for await (const { id, name } of keysWithPrefix(plans.plans))
    if (ownerOf(name) === userID) await deleteApiKey(plans.plans, id);
  for await (const { id, name } of customerPlans(plans.plans))
    if (ownerOf(name) === userID) await deleteCustomerPlan(plans.plans, id);
}

/** Removes the record of a deleted user's key, even if mirrorPlans removes it at the same time. */
async function retire(deps: Parameters<typeof mirrorUser>[0], userID: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await mirrorUser(deps, userID);
    } catch (error) {
      if (!(error instanceof KeyChanged) || attempt === 5) throw error;
    }
  }
}
