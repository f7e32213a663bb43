import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { readChange } from "../../lib/realtime/read-change.ts";
import type { Item } from "../../lib/table/table.ts";
import { walletKey } from "../../lib/table/wallet-keys.ts";
import { listWallets } from "../../lib/wallets/list-wallets.ts";
import { walletsOfUser } from "../../lib/wallets/wallet-records.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { itemsNamed } from "../support/items.ts";
import { streamRecord } from "../support/stream.ts";
import { holderOf } from "../support/wallets.ts";

const db = tableForTests();
const [own, other] = ["0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "0x1"] as const;
const mallorys = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";

describe("a wallet item whose address, network or user differs from its key", () => {
  it.each([
    ["generatedWalletAddress", mallorys],
    ["network", "base"],
    ["UserID", "mallory"],
  ])("omits a misplaced wallet from lists and messages, and raises an alarm: %s", async (name, value) => {
    const userID = `owner-of-${name}`;
    await holderOf(db.table, userID, [own, other]);
    const change = {
      TableName: db.table.name,
      Key: walletKey(userID, "eth", own),
      UpdateExpression: "SET #name = :value ADD version :one",
      ExpressionAttributeNames: { "#name": name },
      ExpressionAttributeValues: { ":value": value, ":one": 1 },
    };
    const [before] = await itemsNamed(db.table, `WALLETS#${userID} WALLET#eth#${own}`);
    await db.table.client.send(new UpdateCommand(change));
    const faults: string[] = [];
    const onFault = (error: Error) => faults.push(error.name);
    const { wallets } = await listWallets(db.table, userID, {}, onFault);
    const page = await listWallets(db.table, userID, { limit: "10" }, onFault);
    for (const shown of [wallets, page.wallets, await walletsOfUser(db.table, userID, onFault)])
      expect(shown.map(({ generatedWalletAddress }) => generatedWalletAddress)).toEqual([other]);
    expect(faults).toEqual(Array(3).fill("MisplacedWallet"));
    const [after] = await itemsNamed(db.table, `WALLETS#${userID} WALLET#eth#${own}`);
    expect(() => readChange(streamRecord(after as Item, before))).toThrow(
      expect.objectContaining({ name: "MisplacedWallet" }),
    );
  });
});
