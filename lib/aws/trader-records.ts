import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { chains, type SettingsPatch } from "../domain/settings.ts";
import type { LaneKey } from "../domain/trading/intent.ts";
import { type OrderSettings, orderSettingsOf, type TradingChain } from "../domain/trading/trading-chain.ts";
import type { Limits } from "../domain/trading/wallet-policy.ts";
import { getItems } from "./batch-get.ts";
import type { Table } from "./table.ts";
import { type Key, settingsKey, walletKey } from "./table-keys.ts";
import { contentOf } from "./trading-items.ts";
import { dayKey, policyKey, tradingStopKey } from "./trading-keys.ts";

/** Whether the user has the wallet, and it is not retired. Its encrypted key is not read. */
export async function ownsWallet(table: Table, { chain, wallet }: LaneKey, userID: string): Promise<boolean> {
  const { Item } = await table.client.send(
    new GetCommand({
      TableName: table.name,
      Key: walletKey(userID, chain, wallet),
      ConsistentRead: true,
      ProjectionExpression: "PK, retiredAt",
    }),
  );
  return Item !== undefined && Item.retiredAt === undefined;
}

/** What a user's next order on a chain goes by. The limits are those of a wallet, if one is named. */
export type OrderGround = { settings: OrderSettings; isStopped: boolean; limits: Limits | undefined };

/**
 * The user's settings for orders on a chain, and whether an operator has stopped trading there. One call.
 *
 * @param wallet Its address. With what it has spent on the day.
 */
export async function readOrderGround(
  table: Table,
  {
    chain,
    userID,
    wallet,
    day,
  }: { chain: TradingChain; userID: string; wallet?: string | undefined; day: string },
): Promise<OrderGround> {
  // Not every chain has settings that users can choose.
  const chosen = chains.find((each) => each === chain);
  const stop = tradingStopKey(chain);
  const settings = chosen && settingsKey(userID, chosen);
  const [policy, count] =
    wallet === undefined
      ? []
      : [policyKey({ chain, userID, wallet }), dayKey({ chain, userID, wallet, day })];
  const keys = [stop, settings, policy, count].filter((key) => key !== undefined);
  const items = await getItems<object>(table, keys);
  const itemAt = (key: Key | undefined) => items.find(({ PK, SK }) => PK === key?.PK && SK === key.SK);
  const [storedPolicy, storedCount] = [itemAt(policy), itemAt(count)];
  return {
    settings: orderSettingsOf(chain, itemAt(settings) as SettingsPatch | undefined),
    isStopped: itemAt(stop) !== undefined,
    limits: policy && {
      stored: storedPolicy && contentOf("policy", storedPolicy),
      count: storedCount && contentOf("day", storedCount),
    },
  };
}
