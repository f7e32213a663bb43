import { describe, expect, it } from "vitest";
import { readProfileWithSettings } from "../../lib/aws/profile-records.ts";
import { saveSettings } from "../../lib/aws/settings-records.ts";
import { defaultSettings } from "../../lib/domain/settings.ts";
import { register } from "../../lib/users/register.ts";
import { tableForTests } from "../support/dynamodb.ts";

const db = tableForTests();

const now = new Date("2026-11-21T09:00:00.000Z");
const later = new Date("2026-11-21T10:00:00.000Z");

describe("saveSettings", () => {
  it("creates a record, with defaults for the other settings", async () => {
    expect(await saveSettings(db.table, "alice", "eth", { slippage: 2 }, now)).toMatchObject({
      ...defaultSettings.eth,
      slippage: 2,
      userID: "alice",
      createdAt: now.toISOString(),
      updatedAt: now.toISOString(),
      version: 1,
    });
  });

  it("changes only the given settings, and keeps the id and the time of creation", async () => {
    const first = await saveSettings(db.table, "bob", "sol", { slippage: 2, autoBuy: true }, now);
    const second = await saveSettings(db.table, "bob", "sol", { priorityFee: 0 }, later);
    expect(second).toEqual({ ...first, priorityFee: 0, version: 2, updatedAt: later.toISOString() });
  });

  it("loses none of many concurrent changes", async () => {
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

  it("keeps users and chains apart", async () => {
    await register(db.table, { userID: "erin", names: [], ref: undefined }, now);
    await saveSettings(db.table, "erin", "eth", { slippage: 5 }, now);
    await saveSettings(db.table, "erin2", "base", { slippage: 6 }, now);
    const { settings } = await readProfileWithSettings(db.table, "erin");
    expect(Object.keys(settings)).toEqual(["eth"]);
    expect(settings.eth?.slippage).toBe(5);
  });
});
