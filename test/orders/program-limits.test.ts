import { describe, expect, it } from "vitest";
import type { ProgramKey } from "../../lib/orders/program-key.ts";
import { objectionOfKey, untilEnd } from "../../lib/orders/program-limits.ts";
import { keyRulesBeside } from "../../lib/orders/reserved.ts";
import { counted } from "../../lib/orders/wallet-policy.ts";
import { intent, tradeOrder } from "../support/trading.ts";
import { keyId, tradingKey } from "../support/trading-keys.ts";

const nowMs = Date.parse("2026-11-21T20:00:00.000Z");
const { chain, wallet, userID, token, amount } = intent();
const buy = { side: "buy", token, amount, adds: amount + 5n } as const;
const sale = { ...buy, side: "sell" } as const;
const coins = { limit: amount, requested: amount + 1n };

const objection = (
  changes: Partial<ProgramKey>,
  order: typeof buy | typeof sale = buy,
  { spent, at = nowMs }: { spent?: bigint; at?: number } = {},
) => objectionOfKey({ key: tradingKey(changes), wallet, spent: spent ?? 0n, nowMs: at }, chain, order);

describe("objectionOfKey", () => {
  it.each<[string, Partial<ProgramKey>]>([
    ["names nothing", {}],
    ["names the chain, the wallet and the token", { chains: [chain], wallets: [wallet], tokens: [token] }],
    ["allows exactly the amount", { maxPerOrder: "0.5" }],
    ["allows exactly the day", { maxPerDay: "0.500000000000000005" }],
    ["allows more places than the coin has", { maxPerOrder: "0.5000000000000000009" }],
  ])("has no objection if the key %s", (_, changes) => {
    expect(objection(changes)).toBeUndefined();
    expect(objection(changes, sale)).toBeUndefined();
  });

  it.each<[string, Partial<ProgramKey>]>([
    ["expiresAt", { endsAt: "2026-11-21T20:00:00.000Z" }],
    ["expiresAt", { revokedAt: "2026-11-21T19:00:00.000Z" }],
    ["scopes", { scopes: ["read", "settings"] }],
    ["chains", { chains: ["base", "sol"] }],
    ["wallets", { wallets: ["0xA1"] }],
    ["tokens", { tokens: ["0x1"] }],
    ["tokens", { tokens: [] }],
  ])("forbids buys and sales against %s: %o", (rule, changes) => {
    expect(objection(changes)).toEqual({ rule });
    expect(objection(changes, sale)).toEqual({ rule });
  });

  it("forbids everything without the key", () => {
    const rules = { key: undefined, wallet, spent: 0n, nowMs };
    expect(objectionOfKey(rules, chain, sale)).toEqual({ rule: "expiresAt" });
  });

  it("forbids a buy above the amount of an order, or of a day with what was counted before, but no sale", () => {
    const over = { ...buy, amount: amount + 1n };
    expect(objection({ maxPerOrder: "0.5" }, over)).toEqual({ rule: "maxPerOrder", ...coins });
    expect(objection({ maxPerDay: "0.5" }, { ...buy, adds: amount }, { spent: 1n })).toEqual({
      rule: "maxPerDay",
      ...coins,
    });
    expect(objection({ maxPerOrder: "0.1", maxPerDay: "0.1" }, sale, { spent: amount })).toBeUndefined();
  });

  it("lets what adds nothing pass on a day above its limit, and an order at rest", () => {
    expect(objection({ maxPerDay: "0.1" }, { ...buy, adds: 0n }, { spent: amount })).toBeUndefined();
    const rules = { key: tradingKey({ maxPerDay: "0.1" }), wallet, nowMs };
    expect(objectionOfKey(rules, chain, buy)).toBeUndefined();
  });

  it("reads amounts in the coin of each chain, rounded down", () => {
    const rules = { key: tradingKey({ maxPerOrder: "0.0000000019" }), wallet, nowMs };
    const order = { side: "buy", token, amount: 2n } as const;
    expect(objectionOfKey(rules, "sol", order)).toEqual({ rule: "maxPerOrder", limit: 1n, requested: 2n });
    expect(objectionOfKey(rules, "eth", order)).toBeUndefined();
  });
});

describe("untilEnd", () => {
  it("never lies after the end of the key", () => {
    const end = Date.parse("2026-11-22T20:00:00.000Z") / 1000;
    const program = { key: tradingKey(), count: undefined };
    expect([end - 1, end, end + 1].map((seconds) => untilEnd(seconds, program))).toEqual([end - 1, end, end]);
    expect(untilEnd(end + 1, undefined)).toBe(end + 1);
    expect(untilEnd(end + 1, { key: undefined, count: undefined })).toBe(end + 1);
  });
});

describe("keyRulesBeside", () => {
  const count = counted({ userID, chain, wallet: keyId }, undefined, { adds: 7n, fees: 2n, nowMs });
  const rules = (orders = [tradeOrder()], by: string | undefined = keyId) =>
    keyRulesBeside({ key: tradingKey(), count }, orders, { by, userID, wallet, nowMs });
  const ofKey = tradeOrder({ intent: intent({ by: keyId }) });

  it("adds the key's unsigned open orders of the wallet to what was signed on the day", () => {
    const most = amount + ofKey.quoted.networkFee;
    expect(rules([ofKey, ofKey])).toEqual({ key: tradingKey(), wallet, spent: 7n + 2n * most, nowMs });
  });

  it("counts no order of the user or of another key, and none that is signed", () => {
    const others = [
      tradeOrder(),
      tradeOrder({ intent: intent({ by: "pk_another_key_of_the_user" }) }),
      { ...ofKey, life: { ...ofKey.life, stage: "sent" as const } },
    ];
    expect(rules(others)?.spent).toBe(7n);
  });

  it("starts at nothing on a new day", () => {
    const tomorrow = { by: keyId, userID, wallet, nowMs: nowMs + 86_400_000 };
    expect(keyRulesBeside({ key: tradingKey(), count }, [], tomorrow)?.spent).toBe(0n);
  });

  it("has no rules for a user", () => {
    expect(keyRulesBeside(undefined, [ofKey], { userID, wallet, nowMs })).toBeUndefined();
  });
});
