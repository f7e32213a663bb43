import { describe, expect, it } from "vitest";
import { dayRange, freshForm, type KeyTerms, limitsText, requestOf } from "../app/programs/key-terms.ts";

const now = new Date("2026-11-30T12:00:00.000Z");
const filled: KeyTerms = {
  ...freshForm(now),
  name: "Bot",
  chains: ["base"],
  tokens: " 0xa\n0xb, ",
  maxPerDay: "0.5",
  lastDay: "2026-12-01",
};

describe("requestOf", () => {
  it("ends the key with its last day, in the user's time", () => {
    const { expiresAt } = requestOf(filled, "x");
    expect(new Date(expiresAt).getDate()).toBe(1);
    expect(new Date(Date.parse(expiresAt) + 1000).getDate()).toBe(2);
  });

  it("sends the limits of orders only with the scope that places them", () => {
    const limits = { chains: ["base"], tokens: ["0xa", "0xb"], maxPerDay: "0.5" };
    expect(requestOf(filled, "x")).not.toHaveProperty("maxPerDay");
    const request = requestOf({ ...filled, scopes: ["trade"] }, "x");
    expect(request).toEqual({
      name: "Bot",
      publicKey: "x",
      scopes: ["trade"],
      ...limits,
      expiresAt: request.expiresAt,
    });
  });

  it("never asks for more than a year, which the service refuses", () => {
    const { max } = dayRange(now);
    const { expiresAt } = requestOf({ ...filled, lastDay: max }, "x");
    expect(Date.parse(expiresAt)).toBeLessThan(Date.parse("2027-11-30T12:00:00.000Z"));
  });
});

describe("limitsText", () => {
  it("names each limit of a key, and says if it has none", () => {
    expect(
      limitsText({ chains: ["base", "sol"], wallets: ["0xa"], tokens: ["0xa", "0xb"], maxPerOrder: "1" }),
    ).toBe("Trades on base, sol, with 1 wallet, of 2 tokens, at most 1 a buy.");
    expect(limitsText({})).toBe("Trades without limits of its own.");
  });
});
