import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type OperationName, operations } from "../../../lib/operations/operations.ts";
import type { Operation } from "../../../lib/operations/types.ts";
import { standingKey } from "../../../lib/rewards/item-keys.ts";
import type { Key } from "../../../lib/table/keys.ts";
import { queryRange, type Table } from "../../../lib/table/table.ts";
import { sealedKeyKey, walletKey } from "../../../lib/table/wallet-keys.ts";
import { write } from "../../../lib/table/write.ts";
import { presetKey, usedKeyKey } from "../../../lib/trading/items/keys.ts";
import { settingsKey } from "../../../lib/users/item-keys.ts";
import { walletEventKey } from "../../../lib/wallets/item-keys.ts";
import { type Engine, engineStart, startTable } from "../../support/dynamodb.ts";
import { gatedTable } from "../../support/gated-table.ts";
import { itemsNamed, putItems } from "../../support/items.ts";
import { access, roleOf, tableArn } from "./roles.ts";

let engine: Engine;
let table: Table;

const victim = "victim";
const of = [victim, "eth", "0x1"] as const;
const keys = {
  settings: settingsKey(victim, "eth"),
  preset: presetKey({ userID: victim, chain: "eth" }),
  wallet: walletKey(...of),
  sealed: sealedKeyKey(...of),
  used: usedKeyKey(victim, "placeOrder", "k"),
  standing: standingKey("weekly", "2026-11-30", 5, victim),
  event: walletEventKey(victim, "w", new Date(0), "e"),
};

beforeAll(async () => {
  engine = await startTable();
  table = await engine.newTable();
  await putItems(
    table,
    Object.values(keys).map((key) => ({ ...key, version: 3 })),
  );
}, engineStart);
afterAll(() => engine.stop());

/** Opens the table as a function's code reaches it. */
const tableOf = (name: OperationName) =>
  gatedTable(
    engine,
    table,
    { name: roleOf(name), access, tableArn },
    { leadingKeys: "each-part", onDenial: () => undefined },
  );

const change = (key: Key, set: Record<string, unknown>) => ({ kind: "change", key, set }) as const;

/** Changes that the victim sees in no message, because they leave the item's version unchanged. */
const attacks = {
  "raises a user's slippage": change(keys.settings, { slippage: 100, mevProtection: false }),
  "changes what is bought automatically": change(keys.preset, { preset: { buyAmount: "1000" } }),
  "shows another address for a wallet": change(keys.wallet, { generatedWalletAddress: "0x2" }),
  "has a wallet removed": change(keys.wallet, { expiresAt: 1 }),
  "has the key of a wallet removed": change(keys.sealed, { expiresAt: 1 }),
  "forgets that a request was made": { kind: "remove", key: keys.used },
  "shows a false standing of a user": change(keys.standing, { publicName: "Fool", xp: 9 }),
  "takes a user off a leaderboard": { kind: "remove", key: keys.standing },
  "hides an event of a wallet": { kind: "remove", key: keys.event },
} as const;

const writersOfWallets = ["storeWallet", "importWallet", "createWallet", "retireWallet", "restoreWallet"];
const writersOfStandings = ["updateProfile", "creditTrades"];
const mayDo: Readonly<Record<string, readonly string[]>> = {
  "raises a user's slippage": ["updateTradingSettings"],
  "changes what is bought automatically": ["setPreset"],
  "shows another address for a wallet": [...writersOfWallets, "updateWallet"],
  "has a wallet removed": [...writersOfWallets, "updateWallet"],
  "has the key of a wallet removed": writersOfWallets,
  "shows a false standing of a user": writersOfStandings,
  "takes a user off a leaderboard": writersOfStandings,
};

const withTable = Object.entries<Operation>(operations).filter(([, row]) => row.table.length > 0);
const names = withTable.map(([name]) => name as OperationName);

describe("a taken-over function without rights to another user's items", () => {
  it.each(Object.entries(attacks))(
    "denies a taken-over function that %s, alone or in a transaction",
    async (attack, single) => {
      const before = await itemsNamed(table, victim);
      const others = names.filter((name) => !mayDo[attack]?.includes(name));
      expect(others.length).toBeGreaterThan(25);
      for (const name of others)
        for (const step of [single, [single]])
          await expect(write(tableOf(name), step), name).rejects.toThrow(/not authorized/);
      expect(await itemsNamed(table, victim)).toEqual(before);
    },
  );

  it("denies a taken-over function any read of wallets' keys", async () => {
    const range = { PK: keys.sealed.PK, from: "0", to: "Z" };
    for (const name of names.filter((each) => !["signTransaction", "sealExport"].includes(each)))
      await expect(queryRange(tableOf(name), range), name).rejects.toThrow(/not authorized/);
  });
});
