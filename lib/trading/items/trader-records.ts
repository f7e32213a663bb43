import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Table } from "../../table/table.ts";
import { walletKey } from "../../table/wallet-keys.ts";
import type { LaneKey } from "../core/intent.ts";
import type { OrderSettings, TradingChain } from "../core/trading-chain.ts";
import type { Limits } from "../core/wallet-policy.ts";
import { find, settingsKeysOf } from "./found-items.ts";
import { dayKey, policyKey, tradingStopKey } from "./keys.ts";

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
export type OrderTerms = { settings: OrderSettings; isStopped: boolean; limits: Limits | undefined };

/**
 * The user's settings for orders on a chain, and whether an operator has stopped trading there. One call.
 *
 * @param wallet Its address. With what it has spent on the day.
 */
export async function readOrderTerms(
  table: Table,
  {
    chain,
    userID,
    wallet,
    day,
  }: { chain: TradingChain; userID: string; wallet?: string | undefined; day: string },
): Promise<OrderTerms> {
  const key = wallet === undefined ? undefined : { chain, userID, wallet };
  const found = await find(table, [
    tradingStopKey(chain),
    ...settingsKeysOf(chain, userID),
    ...(key ? [policyKey(key), dayKey({ ...key, day })] : []),
  ]);
  return {
    settings: found.settingsOn(chain, userID),
    isStopped: found.isStopped(chain),
    limits: key && found.limits(key, day),
  };
}
