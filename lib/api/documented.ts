import * as v from "valibot";
import { evmChains } from "../core/chain-facts.ts";

/** Keywords of JSON Schema, with properties or titles of components. */
type Keywords = { readonly [keyword: string]: unknown };

/**
 * Adds keywords to the JSON Schema of the API's documents, from which the client's types are made. They check nothing at
 * run time.
 */
export const documented = <Input>(keywords: Keywords) => v.metadata<Input, Keywords>(keywords);

/** Decimal text, which clients may write and read as a number of any precision. */
export const decimalFormat = <Input>() => documented<Input>({ format: "decimal" });

/** A number in text, as queries have it. Clients pass a number. */
export const numberInText = <Input>(bounds: { minimum: number; maximum: number }) =>
  documented<Input>({ type: "integer", pattern: undefined, ...bounds });

/** The text form of a boolean parameter. */
export const booleanInText = <Input>() => documented<Input>({ type: "boolean", enum: undefined });

/** The form of addresses on EVM chains. Those of sol have none that a type could have. */
export const evmAddress = { type: "string", format: "evm-address" };

/** The variants of an object by the family of its chain, with the form of its addresses on EVM chains. */
export const variantsByChain = (title: string, key: "chain" | "network", addresses: Keywords) => [
  {
    title: `${title}OnEvm`,
    type: "object",
    required: [key],
    properties: { [key]: { type: "string", enum: evmChains }, ...addresses },
  },
  {
    title: `${title}OnSol`,
    type: "object",
    required: [key],
    properties: { [key]: { type: "string", const: "sol" } },
  },
];

const present = (field: string) => ({ type: "object", properties: { [field]: {} }, required: [field] });

/**
 * The rules that involve several fields of a trade: see `tradeProblem`. Only those of the side are variants, since pages show
 * one choice.
 */
export function tradeVariants(share: { title: string; required: readonly string[] }) {
  const side = (side: "buy" | "sell") => ({ side: { type: "string", const: side } });
  const amount = { amount: { type: "string", format: "decimal" } };
  const ofAmount = { type: "object", required: ["side", "amount"], not: present("percent") };
  const [onEvm, onSol] = variantsByChain("Trade", "chain", { wallet: evmAddress, token: evmAddress });
  return {
    oneOf: [
      { title: "Buy", ...ofAmount, properties: { ...side("buy"), ...amount } },
      { title: "SellAmount", ...ofAmount, properties: { ...side("sell"), ...amount } },
      {
        title: share.title,
        type: "object",
        required: ["side", ...share.required],
        properties: { ...side("sell"), percent: { type: "number" }, wallet: { type: "string" } },
        not: present("amount"),
      },
    ],
    allOf: [
      {
        if: { type: "object", properties: { chain: { const: "sol" } }, required: ["chain"] },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { ...onSol, not: { anyOf: [present("gasPreset"), present("maxGasPrice")] } },
        else: { ...onEvm, not: present("priorityFee") },
      },
      {
        if: present("minAmountOut"),
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: {
          title: "ByMinimum",
          ...present("minAmountOut"),
          not: present("slippage"),
          properties: { minAmountOut: amount.amount },
        },
        else: { title: "BySlippage", type: "object", not: present("minAmountOut") },
      },
    ],
  };
}
