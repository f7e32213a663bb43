import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { evmOrderSettingsOf } from "../../../lib/chains/evm/rules/order-settings.ts";
import { counted, openPolicy } from "../../../lib/orders/wallet-policy.ts";
import { tradingStopKey } from "../../../lib/trading/items/keys.ts";
import { ownsWallet, readOrderTerms } from "../../../lib/trading/items/trader-records.ts";
import { writeStep } from "../../../lib/trading/items/write-step.ts";
import { saveSettings } from "../../../lib/users/settings-records.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { putItems } from "../../support/items.ts";
import { putPolicy, putWallet } from "../../support/placed-orders.ts";

const db = tableForTests();
const now = new Date("2026-11-21T20:00:00.000Z");
const day = "2026-11-21";
const lane = { chain: "eth", wallet: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266" } as const;

describe("readOrderTerms", () => {
  it("returns the user's settings of the chain, with defaults for missing ones", async () => {
    const userID = randomUUID();
    await saveSettings(db.table, userID, "eth", { slippage: 2.5, mevProtection: false }, now);
    const { settings } = await readOrderTerms(db.table, { chain: "eth", userID, day });
    expect(settings).toMatchObject({ ...evmOrderSettingsOf("eth"), slippage: 2.5, mevProtection: false });
    expect((await readOrderTerms(db.table, { chain: "base", userID, day })).settings).toMatchObject(
      evmOrderSettingsOf("base"),
    );
  });

  it.each(["bsc", "avax"] as const)(
    "returns the defaults of %s, which users cannot change",
    async (chain) => {
      expect(await readOrderTerms(db.table, { chain, userID: randomUUID(), day })).toEqual({
        settings: evmOrderSettingsOf(chain),
        isStopped: false,
        limits: undefined,
      });
    },
  );

  it("shows whether an operator has stopped trading on the chain", async () => {
    await putItems(db.table, [tradingStopKey("base")]);
    const userID = randomUUID();
    await saveSettings(db.table, userID, "base", { slippage: 3 }, now);
    expect(await readOrderTerms(db.table, { chain: "base", userID, day })).toMatchObject({
      settings: { slippage: 3 },
      isStopped: true,
    });
    expect(await readOrderTerms(db.table, { chain: "eth", userID, day })).toMatchObject({
      isStopped: false,
    });
  });
});

describe("readOrderTerms for a wallet", () => {
  it("returns a wallet's policy, and the amount signed for it that day", async () => {
    const key = { ...lane, userID: randomUUID() };
    const read = () => readOrderTerms(db.table, { ...key, day });
    expect(await read()).toMatchObject({ limits: { stored: undefined, count: undefined } });
    const stored = { ...key, policy: { ...openPolicy, maxPerDay: 2n ** 77n }, revision: 1 };
    const count = counted(key, undefined, { fees: 0n, adds: 5n, swapOf: "o1", nowMs: now.getTime() });
    await putPolicy(db.table, stored);
    await writeStep(db.table, [{ kind: "put", of: "day", item: count, when: "absent" }]);
    expect(await read()).toMatchObject({ limits: { stored, count } });
  });
});

describe("ownsWallet", () => {
  it("returns true for a user's wallet on that chain, unless it is retired", async () => {
    const [owner, former, stranger] = [randomUUID(), randomUUID(), randomUUID()];
    await putWallet(db.table, lane, owner);
    await putWallet(db.table, lane, former, { retiredAt: now.toISOString() });
    expect(await ownsWallet(db.table, lane, owner)).toBe(true);
    expect(await ownsWallet(db.table, { ...lane, chain: "base" }, owner)).toBe(false);
    expect(await ownsWallet(db.table, lane, former)).toBe(false);
    expect(await ownsWallet(db.table, lane, stranger)).toBe(false);
  });
});
