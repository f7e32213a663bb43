import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { chains, type SettingsPatch } from "../domain/settings.ts";
import type { LaneKey } from "../domain/trading/intent.ts";
import { type OrderSettings, orderSettingsOf, type TradingChain } from "../domain/trading/trading-chain.ts";
import { getItems } from "./batch-get.ts";
import type { Table } from "./table.ts";
import { settingsKey, walletKey } from "./table-keys.ts";
import { tradingStopKey } from "./trading-keys.ts";

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

/** The user's settings for orders on a chain, and whether an operator has stopped trading there. One call. */
export async function readOrderSettings(
  table: Table,
  chain: TradingChain,
  userID: string,
): Promise<{ settings: OrderSettings; isStopped: boolean }> {
  // Not every chain has settings that users can choose.
  const chosen = chains.find((each) => each === chain);
  const stop = tradingStopKey(chain);
  const keys = chosen === undefined ? [stop] : [stop, settingsKey(userID, chosen)];
  const items = await getItems<SettingsPatch>(table, keys);
  const stored = items.find(({ PK }) => PK !== stop.PK);
  return {
    settings: orderSettingsOf(chain, stored),
    isStopped: items.some(({ PK }) => PK === stop.PK),
  };
}
