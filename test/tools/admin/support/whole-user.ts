import { openPolicy } from "../../../../lib/orders/wallet-policy.ts";
import { admitConnection } from "../../../../lib/realtime/connect.ts";
import { addChannels } from "../../../../lib/realtime/connection-records.ts";
import type { Table } from "../../../../lib/table/table.ts";
import type { Target } from "../../../../lib/tools/admin/target.ts";
import { executionRecorder } from "../../../../lib/trading/record-executions.ts";
import { settingsKey } from "../../../../lib/users/item-keys.ts";
import { changeProfile, readOwnProfile } from "../../../../lib/users/profile-records.ts";
import { register } from "../../../../lib/users/register.ts";
import { order, position } from "../../../support/executions.ts";
import { putItems } from "../../../support/items.ts";
import { putPolicy } from "../../../support/placed-orders.ts";
import { programKey, programKeyItem } from "../../../support/program-keys.ts";
import { buying, reward } from "../../../support/rewards.ts";
import { now } from "./admin.ts";
import { type Imported, userWithWallets } from "./custody.ts";

/** A user with data of every section, who was referred by Rita and has referred Fred. */
export const whole = { userID: "auth0|6f1ccfa5", username: "Wilhelmina", order: "engine-order-1" };

/** Writes the user's data as the service does. Returns the user's wallets with their private keys. */
export async function writeWholeUser(target: Target): Promise<Imported[]> {
  const { table } = target;
  const { userID } = whole;
  const rita = await register(table, { userID: "rita", names: ["Rita"], ref: undefined }, now);
  const own = await register(table, { userID, names: [whole.username], ref: rita.refID }, now);
  await register(table, { userID: "fred", names: ["Fred"], ref: own.refID }, now);
  const imported = await userWithWallets(target, userID, 2);
  await connect(table);
  await putItems(table, [{ ...settingsKey(userID, "eth"), slippage: 7 }]);
  const wallet = imported[0]?.wallet.generatedWalletAddress ?? "";
  await putPolicy(table, { userID, chain: "eth", wallet, policy: openPolicy, revision: 1 });
  await putItems(table, [programKeyItem(programKey({ userID }))]);
  const record = executionRecorder(table, now);
  await record({ userID, kind: "order", execution: order({ orderId: whole.order }) });
  await record({ userID, kind: "position", execution: position() });
  await changeProfile(table, await readOwnProfile(table, userID), { points: 250 });
  await buying(() => table, [reward("mug")])(userID, "mug", "key-of-mug", now);
  return imported;
}

async function connect(table: Table): Promise<void> {
  const name = { userID: whole.userID, connectionId: "connection-1" };
  const deps = { table, limit: 30, isConnected: async () => true, onFault: () => {} };
  await admitConnection(deps, name, { shard: 0, now: new Date(now.getTime() - 60_000) });
  await addChannels(table, name, ["prices", "orders"]);
}
