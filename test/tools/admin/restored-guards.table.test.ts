import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "vitest";
import { openPolicy, type WalletPolicy } from "../../../lib/orders/wallet-policy.ts";
import type { Item, Table } from "../../../lib/table/table.ts";
import { contentOf, packed } from "../../../lib/trading/items/items.ts";
import {
  earlierStopKey,
  executionKey,
  policyKey,
  tradeKey,
  tradingStopKey,
  usedKeyKey,
} from "../../../lib/trading/items/keys.ts";
import { profileKey } from "../../../lib/users/item-keys.ts";
import { lockKey, walletEventKey } from "../../../lib/wallets/item-keys.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { interceptedTable } from "../../support/intercepted-table.ts";
import { itemsNamed, putItems } from "../../support/items.ts";
import { linesOf, now, run, tally } from "./support/admin.ts";
import { targetWith } from "./support/custody.ts";

const db = tableForTests();
let table: Table;
let backup: Table;
beforeEach(async () => {
  [table, backup] = [await db.newTable(), await db.newTable()];
});

const restore = (args: string[], from: Table = table) =>
  run(targetWith(from), ["restore", backup.name, ...args]);

const profile = (userID: string, changes: object = {}): Item => ({
  ...profileKey(userID),
  userID,
  ...changes,
});
const frozen = { ...openPolicy, tradingEnabled: false };
const small = { ...openPolicy, maxPerOrder: 5n };
const key = (userID: string) => ({ userID, chain: "eth", wallet: "0x1" }) as const;
const policy = (userID: string, content: WalletPolicy, more: object = {}): Item => ({
  ...(packed({ ...key(userID), policy: content, revision: 3, ...more }) as object),
  ...policyKey(key(userID)),
});
const policies = async (from = table) =>
  Object.fromEntries(
    (await itemsNamed(from, "POLICY#")).map((item) => [item.userID, contentOf("policy", item)]),
  );
const kept = "policies that were set since, and looser limits: only their users loosen them";

describe("restore --fix, for items that guard users", () => {
  it("restores the stricter of two policies, deletes none and drops pending ones", async () => {
    const pending = { policy: openPolicy, effectiveAt: "2026-11-18T11:00:00.000Z", tableId: "table" };
    await putItems(backup, [
      policy("frozen-since", small),
      policy("loosened-since", frozen, { pending }),
      policy("lost", small, { pending }),
    ]);
    await putItems(table, [
      policy("frozen-since", frozen),
      policy("loosened-since", small, { pending, revision: 7 }),
      policy("set-since", frozen),
    ]);
    const args = ["--fix", "--exact", "--yes"];
    const dropped = "looser policies that were pending: users ask for them again, with the whole delay";
    const { out } = await restore(args);
    expect(linesOf(out).slice(0, 2).toSorted()).toEqual([
      `not restored: 2 ${dropped}`,
      `not restored: 3 ${kept}`,
    ]);
    expect(out).toContain(tally(1, 2, 0));
    const both = { ...frozen, maxPerOrder: 5n };
    expect(await policies()).toEqual({
      "frozen-since": { ...key("frozen-since"), policy: both, revision: 4 },
      "loosened-since": { ...key("loosened-since"), policy: both, revision: 8 },
      lost: { ...key("lost"), policy: small, revision: 4 },
      "set-since": { ...key("set-since"), policy: frozen, revision: 3 },
    });
    expect((await restore(args)).out).toContain(tally(0, 0, 0));
  });

  it("raises no limit of network fees, whether custom or the default", async () => {
    const raised = { ...openPolicy, maxNetworkFeesPerDay: 9n };
    const lowered = { ...openPolicy, maxNetworkFeesPerDay: 2n };
    await putItems(backup, [policy("dropped-since", raised), policy("lowered-since", raised)]);
    await putItems(table, [policy("dropped-since", openPolicy), policy("lowered-since", lowered)]);
    expect((await restore(["--fix", "--exact", "--yes"])).out).toBe(
      `not restored: 2 ${kept}\n${tally(0, 0, 0)}`,
    );
    expect(await policies()).toMatchObject({
      "dropped-since": { policy: openPolicy, revision: 3 },
      "lowered-since": { policy: lowered, revision: 3 },
    });
  });

  it("resumes no stopped trading and unblocks no user", async () => {
    const stops = [tradingStopKey("eth"), earlierStopKey("base")];
    await putItems(backup, [profile("eve", { tier: "Base" })]);
    await putItems(table, [...stops, profile("eve", { tier: "Pro", blockedAt: "2026-11-17T10:00:00.000Z" })]);
    const { out } = await restore(["--fix", "--exact", "--yes"]);
    expect(out).toBe(
      `not restored: 2 stops of trading that were set since, which hold until admin trading --start\n${tally(0, 1, 0)}`,
    );
    expect(await itemsNamed(table, "TRADING")).toHaveLength(2);
    expect(await itemsNamed(table, "USER#eve")).toMatchObject([
      { tier: "Base", blockedAt: "2026-11-17T10:00:00.000Z" },
    ]);
  });

  it("deletes idempotency keys of wallets, but none of orders", async () => {
    await putItems(table, [usedKeyKey("alice", "placeOrder", "k"), usedKeyKey("alice", "createWallet", "k")]);
    expect((await restore(["--fix", "--exact", "--yes"])).out).toBe(
      `not restored: 1 idempotency keys of orders placed since: a repeated request must not place its order again\n${tally(0, 0, 1)}`,
    );
    expect((await itemsNamed(table, "USEDKEYS#")).map(({ SK }) => SK)).toEqual(["USEDKEY#placeOrder#k"]);
  });

  it("deletes no event about the policy or an export of a wallet", async () => {
    const types = ["policyChanged", "exportRequested", "exportCancelled", "exported", "renamed"] as const;
    const events = types.map((type) => ({ ...walletEventKey("alice", "w", now, type), type }));
    await putItems(table, events);
    const { out } = await restore(["--fix", "--exact", "--yes"]);
    expect(out).toBe(
      `not restored: 4 wallets' events about policies and exports since: what they tell stays true\n${tally(0, 0, 1)}`,
    );
    const left = (await itemsNamed(table, "WALLETLOG#")).map(({ type }) => type);
    expect(left.toSorted()).toEqual(types.slice(0, -1).toSorted());
  });

  it("does not change a policy that its user changes during the restore", async () => {
    await putItems(backup, [policy("busy", small)]);
    await putItems(table, [policy("busy", openPolicy)]);
    const meanwhile = interceptedTable(table, async (command) => {
      if (command instanceof PutCommand) await putItems(table, [policy("busy", frozen, { revision: 4 })]);
    });
    await restore(["--fix", "--exact", "--yes"], meanwhile);
    expect(await policies()).toMatchObject({ busy: { policy: frozen } });
  });

  it("restores no order that was open in the backup, whether it was lost or has ended since", async () => {
    const order = (orderId: string, settled: boolean): Item[] => [
      { ...tradeKey("alice", orderId), life: { settled } },
      { ...executionKey("alice", "order", orderId), lane: "eth#0x1", settled },
    ];
    await putItems(backup, [...order("lost", false), ...order("ended", false), ...order("done", true)]);
    await putItems(table, order("ended", true));
    const { out } = await restore(["--fix", "--exact", "--yes"]);
    expect(out).toContain("not restored: 4 orders that were open");
    expect(out).toContain(tally(2, 0, 0));
    expect((await itemsNamed(table, "TRADE#lost")).concat(await itemsNamed(table, "ORDER#lost"))).toEqual([]);
    expect(await itemsNamed(table, "TRADE#ended")).toMatchObject([{ life: { settled: true } }]);
  });

  it("lists unrestored guards before it writes, and asks for confirmation", async () => {
    await putItems(backup, [policy("asked", small), profile("dave")]);
    await putItems(table, [policy("asked", frozen)]);
    const answering = (answer: boolean) =>
      run(targetWith(table), ["restore", backup.name, "--fix"], { confirm: async () => answer });
    expect(await answering(false)).toEqual({
      code: 1,
      out: `not restored: 1 ${kept}\n`,
      err: "error: Nothing was restored\n",
    });
    expect(await itemsNamed(table, "USER#dave")).toEqual([]);
    expect((await answering(true)).out).toBe(`not restored: 1 ${kept}\n${tally(1, 0, 0)}`);
    expect((await restore(["--check"])).out).toContain(
      `kept: POLICY#asked eth#0x1\nnot restored: 1 ${kept}\n`,
    );
  });

  it("restores a missing lock of exports but never ends or replaces one", async () => {
    const lock = (userID: string, lockId: string): Item => ({ ...lockKey(userID), userID, lockId });
    await putItems(backup, [lock("alice", "earlier"), lock("bob", "lost")]);
    await putItems(table, [lock("alice", "later"), lock("carol", "new")]);
    const { out } = await restore(["--fix", "--exact", "--yes"]);
    expect(out).toBe(`not restored: 2 locks of exports that were set since, which hold\n${tally(1, 0, 0)}`);
    const locks = (await itemsNamed(table, "LOCK#")).map(({ userID, lockId }) => [userID, lockId]);
    expect(Object.fromEntries(locks)).toEqual({ alice: "later", bob: "lost", carol: "new" });
    expect((await restore(["--check"])).out).toMatch(/missing: 0\nchanged: 0\nnewer: 0\n$/);
  });
});
