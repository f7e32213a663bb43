import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { type Channel, channels } from "../../lib/core/channel.ts";
import { catchUp, inCatchUps } from "../../lib/realtime/catch-up.ts";
import {
  addChannels,
  closeConnection,
  connectionsOfUser,
  openConnection,
} from "../../lib/realtime/connection-records.ts";
import { noteMiss } from "../../lib/realtime/stuck-records.ts";
import { saveSettings } from "../../lib/users/settings-records.ts";
import { retireWallet } from "../../lib/wallets/retire-wallet.ts";
import type { Wallet } from "../../lib/wallets/wallet.ts";
import { connectionsApiForTests } from "../support/connections-api.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { order, position } from "../support/executions.ts";
import { itemsNamed, putItems } from "../support/items.ts";
import { executionItem } from "../support/stream.ts";
import { holderOf, walletLimits } from "../support/wallets.ts";

const db = tableForTests();
const api = connectionsApiForTests();

const now = new Date();

const onFault = vi.fn();
const onMissed = vi.fn();
beforeEach(() => {
  onFault.mockReset();
  onMissed.mockReset();
});

const run = (names: readonly { userID: string; connectionId: string }[]) =>
  catchUp(
    { table: db.table, pusher: api.current.pusher, onFault, onMissed },
    { connections: names },
    { deadline: new Date(Date.now() + 30_000), pausesMs: [10] },
  );

/** Moves the clock past the deadline of a run. */
function passDeadline(): void {
  if (vi.isMockFunction(Date.now)) return;
  const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 30_001);
  onTestFinished(() => clock.mockRestore());
}

/** Opens a connection, and records that it has missed a message. */
async function behind(userID: string, connectionId: string, wanted: readonly Channel[] = []) {
  const name = { userID, connectionId };
  await openConnection(db.table, name, { shard: 0, now });
  await addChannels(db.table, name, wanted);
  expect(await noteMiss(db.table, name, now)).toBe(true);
  return name;
}

const misses = async (userID: string) =>
  (await connectionsOfUser(db.table, userID)).map(({ connectionId, misses }) => [connectionId, misses]);

describe("catchUp", () => {
  it("sends a connection its user's current settings, and the contents of its private channels", async () => {
    const full = await behind("ann", "ann-full", channels);
    const plain = await behind("ann", "ann-plain");
    await saveSettings(db.table, "ann", "eth", { slippage: 2 }, now);
    await saveSettings(db.table, "ann", "eth", { slippage: 3 }, now);
    await saveSettings(db.table, "ann2", "eth", { slippage: 4 }, now);
    await putItems(
      db.table,
      [order(), position()].map((each) => executionItem("ann", each)),
    );
    await run([full, plain]);
    const settings = { type: "TradingSettingsUpdated", data: { chain: "eth", version: 2 } };
    expect(api.current.parsedMessagesTo("ann-plain")).toMatchObject([settings]);
    expect(api.current.parsedMessagesTo("ann-full")).toMatchObject([
      settings,
      { type: "snapshot", channel: "orders", data: [order()] },
      { type: "snapshot", channel: "positions", data: [position()] },
    ]);
    for (const { misses, stuckSince } of await connectionsOfUser(db.table, "ann"))
      expect([misses, stuckSince]).toEqual([undefined, undefined]);
  });

  it("sends a connection all its user's wallets, and marks retired ones", async () => {
    const name = await behind("wim", "wim-1");
    const [wallet] = (await holderOf(db.table, "wim", ["0x1", "0x2"])) as [Wallet];
    const retiring = {
      table: db.table,
      limits: walletLimits,
      wake: async () => undefined,
      endResting: async () => undefined,
    };
    await retireWallet(retiring, { userID: "wim", walletId: wallet._id, now });
    await run([name]);
    const wallets = [
      { slotName: "Wallet 1", version: 2, state: "retired" },
      { slotName: "Wallet 2", version: 1, state: "active" },
    ];
    expect(api.current.parsedMessagesTo("wim-1")).toMatchObject([
      { type: "WalletsUpdated", data: { wallets } },
    ]);
  });

  it("retries with current data until the client accepts all messages", async () => {
    const name = await behind("bea", "bea-1");
    await saveSettings(db.table, "bea", "eth", { slippage: 2 }, now);
    let refused = 0;
    api.current.answer = async () => {
      if (++refused > 3) return 200;
      await saveSettings(db.table, "bea", "eth", { slippage: 2 + refused }, now);
      return 429;
    };
    await run([name]);
    expect(api.current.parsedMessagesTo("bea-1").at(-1)).toMatchObject({ data: { version: 4 } });
    expect(await misses("bea")).toEqual([["bea-1", undefined]]);
    expect(onFault).not.toHaveBeenCalled();
    expect(onMissed).not.toHaveBeenCalled();
  });

  it("starts over for a connection that misses another message in the meantime", async () => {
    const name = await behind("cyd", "cyd-1");
    await saveSettings(db.table, "cyd", "eth", { slippage: 2 }, now);
    let pushes = 0;
    api.current.answer = async () => {
      if (++pushes === 1) {
        await saveSettings(db.table, "cyd", "eth", { slippage: 3 }, now);
        expect(await noteMiss(db.table, name, now)).toBe(false);
      }
      return 200;
    };
    await run([name]);
    expect(api.current.parsedMessagesTo("cyd-1")).toMatchObject([
      { data: { version: 1 } },
      { data: { version: 2 } },
    ]);
    expect(await misses("cyd")).toEqual([["cyd-1", undefined]]);
  });

  it("gives up at the deadline, and leaves the connection until the next change", async () => {
    const name = await behind("dan", "dan-1");
    await saveSettings(db.table, "dan", "eth", { slippage: 2 }, now);
    api.current.answer = () => {
      if (api.current.calls.length === 2) passDeadline();
      return 429;
    };
    await run([name]);
    expect(await connectionsOfUser(db.table, "dan")).toMatchObject([
      { misses: 0, stuckSince: now.toISOString() },
    ]);
    expect(onMissed.mock.calls).toMatchObject([[{ name: "LimitExceededException" }, { connections: 1 }]]);
    expect(onFault).not.toHaveBeenCalled();
    expect(await noteMiss(db.table, name, now)).toBe(true);
  });

  it("serves other connections while some do not accept messages", async () => {
    const names = [await behind("eva", "eva-full"), await behind("fay", "fay-1")];
    for (const { userID } of names) await saveSettings(db.table, userID, "eth", { slippage: 2 }, now);
    api.current.answer = ({ connectionId }) => {
      if (connectionId === "fay-1") return 200;
      if (api.current.messagesTo("fay-1").length > 0) passDeadline();
      return 429;
    };
    await run(names);
    expect(api.current.parsedMessagesTo("fay-1")).toHaveLength(1);
    expect(await misses("fay")).toEqual([["fay-1", undefined]]);
  });

  it("removes closed connections without restoring them", async () => {
    const [closed, unknown] = [await behind("gus", "gus-1", channels), await behind("hal", "hal-1")];
    await saveSettings(db.table, "gus", "eth", { slippage: 2 }, now);
    await closeConnection(db.table, unknown);
    api.current.answer = () => 410;
    await run([closed, unknown]);
    expect(await itemsNamed(db.table, "gus-1")).toEqual([]);
    expect(await itemsNamed(db.table, "hal-1")).toEqual([]);
  });
});

describe("inCatchUps", () => {
  it("splits many connections into several catch-ups, and passes on only the connections' names", () => {
    const connections = Array.from({ length: 201 }, (_, index) => ({
      userID: "u",
      connectionId: `c${index}`,
      more: true,
    }));
    const parts = inCatchUps(connections);
    expect(parts.map(({ connections }) => connections.length)).toEqual([100, 100, 1]);
    expect(parts[2]).toEqual({ connections: [{ userID: "u", connectionId: "c200" }] });
    expect(inCatchUps([])).toEqual([]);
  });
});
