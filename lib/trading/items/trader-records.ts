import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { Network } from "../../core/network.ts";
import type { FamilyTypes } from "../../orders/family.ts";
import type { LaneKey } from "../../orders/intent.ts";
import type { ProgramFacts } from "../../orders/program-limits.ts";
import type { Limits } from "../../orders/wallet-policy.ts";
import type { Table } from "../../table/table.ts";
import { walletKey } from "../../table/wallet-keys.ts";
import { findOnChain, keysOfProgram, namesOfProgram, settingsKeysOf } from "./found-items.ts";
import { dayKey, policyKey } from "./keys.ts";

/** True if the user has the wallet and has not retired it. */
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

/** The terms of a user's next order on a chain. The limits are those of the given wallet, if a wallet is given. */
export type OrderTerms = {
  settings: FamilyTypes["trader"]["settings"];
  isStopped: boolean;
  limits: Limits | undefined;
  program: ProgramFacts | undefined;
};

/**
 * Reads the terms of an order with one call.
 *
 * @param wallet The address of a wallet, to also read its policy and its spending on the day.
 * @param by The program key of the caller, to also read it.
 */
export async function readOrderTerms(
  table: Table,
  {
    chain,
    userID,
    wallet,
    by,
    day,
  }: {
    chain: Network;
    userID: string;
    wallet?: string | undefined;
    by?: string | undefined;
    day: string;
  },
): Promise<OrderTerms> {
  const key = wallet === undefined ? undefined : { chain, userID, wallet };
  const program = namesOfProgram({ userID, chain }, by, day);
  const found = await findOnChain(table, chain, [
    ...settingsKeysOf(chain, userID),
    ...(key ? [policyKey(key), dayKey({ ...key, day })] : []),
    ...keysOfProgram(program),
  ]);
  return {
    settings: found.settings(chain, userID),
    isStopped: found.isStopped(chain),
    limits: key && found.limits(key, day),
    program: found.program(program),
  };
}
