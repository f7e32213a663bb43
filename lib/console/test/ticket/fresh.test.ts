import { describe, expect, it } from "vitest";
import { freshSide, isFresh } from "../../app/ticket/fresh.ts";
import { noLimits } from "../../app/ticket/order-limits.ts";
import { freshTerms } from "../../app/ticket/order-types.ts";

const token = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const ticket = { chain: "eth", token, wallet: "", ...freshSide("buy") } as const;
const wishes = {
  type: "market",
  terms: freshTerms,
  limits: noLimits,
  least: "",
  confirmation: "",
  exits: [],
  isOptedOut: false,
} as const;

describe("isFresh", () => {
  it.each([{}, { token: "" }, { chain: "base" }] as const)(
    "is true of a page's first state: %j",
    (change) => {
      expect(isFresh({ ...ticket, ...change }, wishes)).toBe(true);
    },
  );

  it.each([
    { given: "0.5" },
    { given: "0.1", unit: "percent" },
    freshSide("sell"),
    { token: "moo" },
    { wallet: token },
  ] as const)("is false of a ticket with %j", (change) => {
    expect(isFresh({ ...ticket, ...change }, wishes)).toBe(false);
  });

  it.each([
    { type: "limit" },
    { terms: { ...freshTerms, price: "0.1" } },
    { limits: { ...noLimits, slippage: "2" } },
    { least: "1" },
    { confirmation: "MOON" },
    { exits: [{}] as never },
    { isOptedOut: true },
  ] as const)("is false of wishes with %j", (change) => {
    expect(isFresh(ticket, { ...wishes, ...change })).toBe(false);
  });
});
