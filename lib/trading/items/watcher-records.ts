import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { Table } from "../../table/table.ts";
import { writeIf } from "../../table/writes.ts";
import type { TradingChain } from "../core/trading-chain.ts";
import { watcherKey } from "./keys.ts";

/** Takes over the watch of a chain, or keeps it. Returns false if a run with a greater lease has it. */
export async function takeWatch(table: Table, chain: TradingChain, lease: string): Promise<boolean> {
  return writeIf(
    table,
    new UpdateCommand({
      TableName: table.name,
      Key: watcherKey(chain),
      UpdateExpression: "SET lease = :lease",
      ConditionExpression: "attribute_not_exists(lease) OR lease <= :lease",
      ExpressionAttributeValues: { ":lease": lease },
    }),
  );
}
