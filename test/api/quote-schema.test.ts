import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { BalancesQuerySchema } from "../../lib/api/balance-schema.ts";
import { PlaceOrderSchema } from "../../lib/api/order-request-schema.ts";
import { QuoteRequestSchema } from "../../lib/api/quote-schema.ts";
import { ListTokensQuerySchema, TokenPathSchema } from "../../lib/api/token-schema.ts";
import { validate } from "../../lib/runtime/validate.ts";

const moon = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const wallet = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const buy = { chain: "eth", side: "buy", token: moon, amount: "0.5" };
const sell = { chain: "eth", wallet, side: "sell", token: moon, percent: 50 };

/** Changes a valid request. Removes the fields that are changed to undefined. */
const changed = (request: object, changes: object) =>
  Object.fromEntries(Object.entries({ ...request, ...changes }).filter(([, value]) => value !== undefined));

const addressRule = "must be an address: 0x and 40 hex digits, or base58";
const amountRule =
  "must be a decimal number above 0 as text, with at most 40 digits on each side of the point";

describe("PlaceOrderSchema", () => {
  it("rejects an order that names venues", () => {
    const order = { ...buy, wallet, type: "market" };
    expect(validate(PlaceOrderSchema, order)).toEqual(order);
    expect(() => validate(PlaceOrderSchema, { ...order, venues: ["uniswap-v3"] })).toThrow(
      "venues is not a known field",
    );
  });
});

describe("QuoteRequestSchema", () => {
  it.each([
    buy,
    sell,
    changed(sell, { percent: 0.0001 }),
    changed(sell, { percent: undefined, amount: "12" }),
    changed(buy, { token: moon.toLowerCase() }),
    changed(buy, { token: `0x${moon.slice(2).toUpperCase()}` }),
    changed(buy, { token: `0X${moon.slice(2).toUpperCase()}` }),
    changed(buy, { amount: `${"9".repeat(40)}.${"9".repeat(40)}` }),
    changed(buy, { amount: "007.50" }),
    changed(buy, { slippage: 0.0001, maxPriceImpact: 100, maxGasPrice: 1e-9, gasPreset: "turbo" }),
    changed(buy, { minAmountOut: "1", mevProtection: false, allowUnsafe: true }),
  ])("accepts %j", (request) => {
    expect(validate(QuoteRequestSchema, request)).toEqual(request);
  });

  it.each([
    ["amount", [0, 0.5, null, true, ["1"], { value: "1" }], amountRule],
    ["amount", ["", "0", "0.0", "-1", "+1", "1.", ".5", "1e3", "0x1", "1,5", " 1", "1 ", "NaN"], amountRule],
    ["amount", ["1".repeat(41), `0.${"0".repeat(40)}1`, "٣", "1\n"], amountRule],
    ["minAmountOut", ["0", 1, "-1"], amountRule],
    ["token", ["native", "NATIVE", "", "MOON", moon.slice(2), moon.slice(0, -1), `${moon}0`], addressRule],
    ["token", [`0X${"0".repeat(40)}`, `0x${"0".repeat(40)}`, `0x${"E".repeat(40)}`, 7, null], addressRule],
    ["wallet", ["native", "alice", null], addressRule],
    ["side", ["hold", "BUY", null], "must be one of buy, sell"],
    ["chain", ["ETH", "polygon", "", 1, "toString"], "must be one of eth, base, sol, bsc, avax"],
    ["slippage", [0, -1, 0.00009], "must be at least 0.0001"],
    ["slippage", [100.0001], "must be at most 100"],
    ["slippage", [1.00001, 0.1 + 0.2], "must have at most 4 decimal places"],
    ["slippage", ["1", null], "must be a number"],
    ["maxPriceImpact", [101], "must be at most 100"],
    ["gasPreset", ["FAST", 1], "must be one of slow, medium, fast, turbo"],
    ["maxGasPrice", ["10"], "must be a number"],
    ["mevProtection", ["true", 1], "must be a boolean"],
    ["allowUnsafe", [null], "must be a boolean"],
    ["userID", ["somebody-else"], "is not a known field"],
    ["type", ["market"], "is not a known field"],
    ["venues", [["uniswap-v3"]], "is not a known field"],
  ])("rejects %s of %j", (field, values, problem) => {
    for (const value of values)
      expect(() => validate(QuoteRequestSchema, { ...buy, [field]: value })).toThrow(
        expect.objectContaining({ message: `${field} ${problem}`, details: { field } }),
      );
  });

  it.each([
    [{ ...sell, percent: 0 }, "percent must be at least 0.0001"],
    [{ ...sell, percent: 100.1 }, "percent must be at most 100"],
    [{ ...sell, percent: "50" }, "percent must be a number"],
    [changed(buy, { amount: undefined }), "amount is required"],
    [changed(buy, { token: undefined }), `token is required and ${addressRule}`],
    [{ ...sell, amount: "1" }, "percent must not be given together with amount"],
    [
      changed(buy, { amount: undefined, percent: 50, wallet }),
      "percent is for sales only; use amount instead",
    ],
    [changed(sell, { wallet: undefined }), "wallet is required with percent"],
    [{ ...buy, slippage: 1, minAmountOut: "1" }, "minAmountOut must not be given together with slippage"],
  ])("rejects %j: %s", (request, message) => {
    const [field] = message.split(" ");
    expect(() => validate(QuoteRequestSchema, request)).toThrow(
      expect.objectContaining({ message, details: { field } }),
    );
  });
});

describe("fees in a request", () => {
  const mint = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
  const onSol = { ...buy, chain: "sol", token: mint };

  it("accepts the fees of the request's chain", () => {
    for (const request of [
      { ...onSol, priorityFee: 0 },
      { ...onSol, priorityFee: 1e-9 },
      { ...onSol, pool: mint },
    ])
      expect(validate(QuoteRequestSchema, request)).toEqual(request);
    const order = { ...onSol, wallet: mint, type: "market", priorityFee: 0.5 };
    expect(validate(PlaceOrderSchema, order)).toEqual(order);
  });

  it.each<[object, string]>([
    [{ ...buy, priorityFee: 0.001 }, "priorityFee is for sol only; use gasPreset and maxGasPrice instead"],
    [{ ...buy, pool: moon }, "pool is for sol only"],
    [{ ...onSol, pool: "MOON" }, `pool ${addressRule}`],
    [{ ...onSol, gasPreset: "fast" }, "gasPreset is not for sol; use priorityFee instead"],
    [{ ...onSol, maxGasPrice: 5 }, "maxGasPrice is not for sol; use priorityFee instead"],
    [{ ...onSol, priorityFee: "0.001" }, "priorityFee must be a number"],
    [{ ...onSol, priorityFee: 1e-10 }, "priorityFee must be 0, or at least 1e-9"],
    [{ ...onSol, priorityFee: -1 }, "priorityFee must be at least 0"],
    [{ ...onSol, token: `${mint}11` }, `token ${addressRule}`],
    [{ ...onSol, token: mint.replace("E", "0") }, `token ${addressRule}`],
  ])("%j: %s", (request, message) => {
    const [field] = message.split(" ");
    expect(() => validate(QuoteRequestSchema, request)).toThrow(
      expect.objectContaining({ message, details: { field } }),
    );
  });
});

describe("further requests of traders", () => {
  it.each<[v.GenericSchema, object, string]>([
    [ListTokensQuerySchema, { chain: "polygon" }, "chain must be one of eth, base, sol, bsc, avax"],
    [ListTokensQuerySchema, { chain: "eth", symbol: "MOON" }, "symbol is not a known field"],
    [TokenPathSchema, { chain: "eth", token: "native" }, `token ${addressRule}`],
    [TokenPathSchema, { chain: "ETH", token: moon }, "chain must be one of eth, base, sol, bsc, avax"],
    [BalancesQuerySchema, { wallet }, "chain is required and must be one of eth, base, sol, bsc, avax"],
    [BalancesQuerySchema, { chain: "eth", token: "MOON" }, `token ${addressRule}, or native`],
    [BalancesQuerySchema, { chain: "eth", token: "NATIVE" }, `token ${addressRule}, or native`],
    [BalancesQuerySchema, { chain: "eth", wallet: "native" }, `wallet ${addressRule}`],
    [BalancesQuerySchema, { chain: "eth", limit: "5" }, "limit is not a known field"],
  ])("rejects malformed requests: %#, %j: %s", (schema, input, message) => {
    expect(() => validate(schema, input)).toThrow(expect.objectContaining({ message }));
  });

  it("accepts every form of the requests", () => {
    expect(v.parse(ListTokensQuerySchema, {})).toEqual({});
    expect(v.parse(TokenPathSchema, { chain: "sol", token: moon })).toEqual({ chain: "sol", token: moon });
    for (const token of ["native", moon, moon.toLowerCase()])
      expect(v.parse(BalancesQuerySchema, { chain: "eth", wallet, token })).toMatchObject({ token });
  });
});
