import type { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { readProfileWithSettings } from "../../lib/users/profile-records.ts";
import { register } from "../../lib/users/register.ts";
import { defaultSettings } from "../../lib/users/settings.ts";
import { readSettingsOf, saveSettings } from "../../lib/users/settings-records.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { interceptedTable } from "../support/intercepted-table.ts";

const db = tableForTests();

const now = new Date("2026-11-21T09:00:00.000Z");
const later = new Date("2026-11-21T10:00:00.000Z");

describe("saveSettings", () => {
  it("creates a record with defaults for the other settings", async () => {
    expect(await saveSettings(db.table, "alice", "eth", { slippage: 2 }, now)).toMatchObject({
      ...defaultSettings.eth,
      slippage: 2,
      userID: "alice",
      createdAt: now.toISOString(),
      updatedAt: now.toISOString(),
      version: 1,
    });
  });

  it("changes only the given settings, and keeps the id and the creation time", async () => {
    const first = await saveSettings(db.table, "bob", "sol", { slippage: 2, autoBuy: true }, now);
    const second = await saveSettings(db.table, "bob", "sol", { priorityFee: 0 }, later);
    expect(second).toEqual({ ...first, priorityFee: 0, version: 2, updatedAt: later.toISOString() });
  });

  it("keeps all of many concurrent changes", async () => {
    const changes = [
      { slippage: 3 },
      { gasPreset: "turbo" as const },
      { maxGasPrice: 7 },
      { mevProtection: false },
      { autoBuy: true },
      { autoSell: true },
    ];
    await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        saveSettings(db.table, "carol", "base", changes[index % 6] ?? {}, now),
      ),
    );
    expect(await saveSettings(db.table, "carol", "base", {}, now)).toMatchObject({
      ...Object.assign({}, ...changes),
      version: 31,
    });
  });

  it("stores numbers exactly, from the smallest to the largest", async () => {
    for (const value of [1e-9, 0.1 + 0.2, 123456789.12345678, 1e9]) {
      expect((await saveSettings(db.table, "dave", "eth", { maxGasPrice: value }, now)).maxGasPrice).toBe(
        value,
      );
    }
  });

  const slippageOf = async (userID: string) => {
    const { version, settings } = await readSettingsOf(db.table, userID, "eth");
    return [version, settings.slippage];
  };
  const saveIf = (userID: string, expected: number[], slippage: number) =>
    saveSettings(db.table, userID, "eth", { slippage }, now, expected);
  const failed = expect.objectContaining({ code: "PRECONDITION_FAILED" });

  it("changes only the expected version, and writes nothing if the version differs", async () => {
    await expect(saveIf("fay", [1, 2], 2)).rejects.toEqual(failed);
    expect(await slippageOf("fay")).toEqual([0, defaultSettings.eth.slippage]);
    expect(await saveIf("fay", [0], 2)).toMatchObject({ slippage: 2, version: 1 });
    for (const expected of [[0], [2], [], [3, 4]])
      await expect(saveIf("fay", expected, 3), `${expected}`).rejects.toEqual(failed);
    expect(await slippageOf("fay")).toEqual([1, 2]);
    expect(await saveIf("fay", [7, 1], 4)).toMatchObject({ slippage: 4, version: 2 });
  });

  it("accepts only one of many concurrent changes of a version", async () => {
    const results = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => saveIf("gus", [0], i + 1)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect((await slippageOf("gus"))[0]).toBe(1);
  });

  it("succeeds if the SDK repeats a conditional write whose response was lost", async () => {
    let sent = 0;
    const table = interceptedTable(db.table, async (command) => {
      await db.table.client.send(command as UpdateCommand);
      sent++;
    });
    expect(await saveIf("hal", [0], 2)).toMatchObject({ version: 1 });
    expect(await saveSettings(table, "hal", "eth", { slippage: 3 }, now, [1])).toMatchObject({ version: 2 });
    expect(sent).toBe(1);
    expect(await slippageOf("hal")).toEqual([2, 3]);
  });

  it("keeps the settings of users and chains apart", async () => {
    await register(db.table, { userID: "erin", names: [], ref: undefined }, now);
    await saveSettings(db.table, "erin", "eth", { slippage: 5 }, now);
    await saveSettings(db.table, "erin2", "base", { slippage: 6 }, now);
    const { settings } = await readProfileWithSettings(db.table, "erin");
    expect(Object.keys(settings)).toEqual(["eth"]);
    expect(settings.eth?.slippage).toBe(5);
  });
});
