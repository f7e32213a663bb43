import * as v from "valibot";
import { evmChains } from "../core/chain-facts.ts";

/** Keywords of a JSON Schema, which may describe properties or name components. */
type Keywords = { readonly [keyword: string]: unknown };

/**
 * Adds keywords to the API's JSON Schema, from which the client's types are generated. They check nothing at run time.
 */
export const documented = <Input>(keywords: Keywords) => v.metadata<Input, Keywords>(keywords);

/** Describes decimal text. Clients may write it and read it as a number of any precision. */
export const decimalFormat = <Input>() => documented<Input>({ format: "decimal" });

/** Describes a number that a query string carries as text. The client's type for it is a number. */
export const numberInText = <Input>(bounds: { minimum: number; maximum: number }) =>
  documented<Input>({ type: "integer", pattern: undefined, ...bounds });

/** The text form of a boolean parameter. */
export const booleanInText = <Input>() => documented<Input>({ type: "boolean", enum: undefined });

/** Describes the form of EVM addresses. No type can describe addresses on Solana. */
export const evmAddress = { type: "string", format: "evm-address" };

/**
 * Makes an object's variants for EVM chains and for sol. `addresses` describes the addresses in the variant for EVM
 * chains.
 */
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
 * Describes the rules of `tradeProblem`, which involve several fields of a trade. Only buying and selling become
 * separate variants, because documentation pages show a single choice.
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
        else: { ...onEvm, not: { anyOf: [present("priorityFee"), present("pool")] } },
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
