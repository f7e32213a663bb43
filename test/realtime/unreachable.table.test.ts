import { describe, expect, it } from "vitest";
import { channels } from "../../lib/core/channel.ts";
import { connectionsOfUser } from "../../lib/realtime/connection-records.ts";
import { giveUpOn, noteMiss } from "../../lib/realtime/stuck-records.ts";
import { order } from "../support/executions.ts";
import { itemsNamed } from "../support/items.ts";
import { executionItem, sequenceNumberOf, settingsItem, streamRecord } from "../support/stream.ts";
import { publishingForTests } from "./support/publishing.ts";

const publishing = publishingForTests();
const { api, connect, now, onFault, onMissed, publishAll, received, startCatchUp } = publishing;

const caughtUp = () =>
  startCatchUp.mock.calls.flatMap(([{ connections }]) => connections.map(({ connectionId }) => connectionId));

describe("publish for unreachable connections", () => {
  it("updates an unreachable connection later, and retries no record for it", async () => {
    await connect("hal", "hal-unreachable", channels);
    await connect("hal", "hal-1", channels);
    await connect("ivy", "ivy-1", channels);
    api.current.answer = ({ connectionId }) => (connectionId === "hal-unreachable" ? 500 : 200);
    const records = ["hal", "ivy"].map((userID) => streamRecord(executionItem(userID, order())));
    expect(await publishAll(records)).toEqual([]);
    expect(received("hal-unreachable")).toHaveLength(2);
    expect(received("hal-1")).toHaveLength(1);
    expect(received("ivy-1")).toHaveLength(1);
    expect(startCatchUp.mock.calls).toEqual([
      [{ connections: [{ userID: "hal", connectionId: "hal-unreachable" }] }],
    ]);
    expect(onMissed.mock.calls).toEqual([[expect.anything(), { connections: 1 }]]);
    expect(onFault).not.toHaveBeenCalled();
  });

  it("retries a connection once before it leaves the update to a catch-up", async () => {
    await connect("oda", "oda-1");
    const answers = [429, 200];
    api.current.answer = () => answers.shift() ?? 200;
    expect(await publishAll([streamRecord(settingsItem("oda", "eth", {}))])).toEqual([]);
    expect(received("oda-1")).toHaveLength(2);
    expect(startCatchUp).not.toHaveBeenCalled();
    expect(onMissed).not.toHaveBeenCalled();
  });

  it("returns the records if the catch-up of a connection cannot be started", async () => {
    await connect("jon", "jon-1");
    await connect("kay", "kay-1");
    api.current.answer = ({ connectionId }) => (connectionId === "jon-1" ? 500 : 200);
    startCatchUp.mockRejectedValue(Object.assign(new Error(), { name: "TooManyRequestsException" }));
    const [first, second] = ["jon", "kay"].map((userID) => streamRecord(settingsItem(userID, "eth", {})));
    if (first === undefined || second === undefined) throw new Error("No records");
    expect(await publishAll([first, second])).toEqual([sequenceNumberOf(first)]);
    expect(onFault.mock.calls.map(([{ name }]) => name)).toEqual(["TooManyRequestsException"]);
  });

  it("does not wait for a user's stuck connections, and reports no fault", async () => {
    await connect("kim", "kim-1", channels);
    await connect("kim", "kim-2", channels);
    api.current.answer = () => 429;
    const records = [streamRecord(settingsItem("kim", "eth", {}))];
    expect(await publishAll(records)).toEqual([]);
    expect(caughtUp().sort()).toEqual(["kim-1", "kim-2"]);
    // Only one catch-up runs at a time.
    expect(await publishAll(records, { now: new Date(now.getTime() + 61_000) })).toEqual([]);
    expect(caughtUp()).toHaveLength(2);
    // Expects two attempts in the first batch and one in the second, so that other connections do not wait.
    expect(api.current.calls).toHaveLength(6);
    // Keeps connections open if none was reached, because the account's throttle may be the cause.
    expect(api.current.hungUp).toEqual([]);
    expect(onFault).not.toHaveBeenCalled();
  });

  it("closes a connection that accepts nothing for a minute while other connections do", async () => {
    await connect("leo", "leo-full", channels);
    await connect("leo", "leo-1", channels);
    api.current.answer = ({ connectionId }) => (connectionId === "leo-full" ? 429 : 200);
    const records = [streamRecord(settingsItem("leo", "eth", {}))];
    for (const ms of [0, 60_000]) await publishAll(records, { now: new Date(now.getTime() + ms) });
    expect(api.current.hungUp).toEqual([]);
    expect(await publishAll(records, { now: new Date(now.getTime() + 60_001) })).toEqual([]);
    expect(api.current.hungUp).toEqual(["leo-full"]);
    expect(await itemsNamed(publishing.table, "leo-full")).toEqual([]);
    expect(received("leo-1")).toHaveLength(3);
  });

  it("closes no connection while half of all pushes are refused, and updates all connections", async () => {
    const ids = Array.from({ length: 12 }, (_, index) => `ned-${index}`);
    await Promise.all(ids.map((id) => connect("ned", id)));
    for (const version of [1, 2, 3, 4]) {
      let pushes = 0;
      const taken = new Set<string>();
      api.current.answer = ({ connectionId }) => {
        if (pushes++ % 2 === 0) return 429;
        taken.add(connectionId);
        return 200;
      };
      const at = new Date(now.getTime() + version * 61_000);
      const record = streamRecord(settingsItem("ned", "eth", { version }));
      expect(await publishAll([record], { now: at })).toEqual([]);
      expect(taken.size).toBeGreaterThan(0);
      const behind = (await connectionsOfUser(publishing.table, "ned")).filter(({ misses }) => misses);
      const served = new Set([...taken, ...behind.map(({ connectionId }) => connectionId)]);
      expect([...served].sort()).toEqual(ids.toSorted());
    }
    expect(api.current.hungUp).toEqual([]);
    expect(onFault).not.toHaveBeenCalled();
  });

  it("updates a connection that reads again after a catch-up has given it up", async () => {
    await connect("max", "max-1");
    const name = { userID: "max", connectionId: "max-1" };
    await noteMiss(publishing.table, name, now);
    await publishAll([streamRecord(settingsItem("max", "eth", {}))]);
    expect(caughtUp()).toEqual([]);
    await giveUpOn(publishing.table, name);
    await publishAll([streamRecord(settingsItem("max", "eth", { version: 2 }))]);
    expect(caughtUp()).toEqual(["max-1"]);
  });
});
