import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { saveSettings } from "../../lib/aws/settings-records.ts";
import { ownsWallet, readOrderSettings } from "../../lib/aws/trader-records.ts";
import { tradingStopKey } from "../../lib/aws/trading-keys.ts";
import { defaultOrderSettings } from "../../lib/domain/trading/trading-chain.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { putItems } from "../support/items.ts";
import { putWallet } from "../support/placed-orders.ts";

const db = tableForTests();
const now = new Date("2026-11-21T20:00:00.000Z");
const lane = { chain: "eth", wallet: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266" } as const;

describe("readOrderSettings", () => {
  it("has the user's settings of the chain, with defaults for the others", async () => {
    const userID = randomUUID();
    await saveSettings(db.table, userID, "eth", { slippage: 2.5, mevProtection: false }, now);
    const { settings } = await readOrderSettings(db.table, "eth", userID);
    expect(settings).toMatchObject({ ...defaultOrderSettings.eth, slippage: 2.5, mevProtection: false });
    expect((await readOrderSettings(db.table, "base", userID)).settings).toMatchObject(
      defaultOrderSettings.base,
    );
  });

  it.each(["bsc", "avax"] as const)("has the defaults of %s, which users cannot change", async (chain) => {
    expect(await readOrderSettings(db.table, chain, randomUUID())).toEqual({
      settings: defaultOrderSettings[chain],
      isStopped: false,
    });
  });

  it("says whether an operator has stopped trading on the chain", async () => {
    await putItems(db.table, [tradingStopKey("base")]);
    const userID = randomUUID();
    await saveSettings(db.table, userID, "base", { slippage: 3 }, now);
    expect(await readOrderSettings(db.table, "base", userID)).toMatchObject({
      settings: { slippage: 3 },
      isStopped: true,
    });
    expect(await readOrderSettings(db.table, "eth", userID)).toMatchObject({ isStopped: false });
  });
});

describe("ownsWallet", () => {
  it("is true for a wallet of the user on that chain, unless it is retired", async () => {
    const [owner, former, stranger] = [randomUUID(), randomUUID(), randomUUID()];
    await putWallet(db.table, lane, owner);
    await putWallet(db.table, lane, former, { retiredAt: now.toISOString() });
    expect(await ownsWallet(db.table, lane, owner)).toBe(true);
    expect(await ownsWallet(db.table, { ...lane, chain: "base" }, owner)).toBe(false);
    expect(await ownsWallet(db.table, lane, former)).toBe(false);
    expect(await ownsWallet(db.table, lane, stranger)).toBe(false);
  });
});
