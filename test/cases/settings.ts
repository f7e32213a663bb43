import { type Case, casesOf, type Table } from "./sample.ts";

/** A change of a chain's settings. Objects are sent as JSON, text is sent unchanged. */
export type SettingsChange = Case & { chain: "eth" | "base" | "sol"; body: unknown };

/** A change that is answered with 400 and a message that names the field. */
export type BadSettings = SettingsChange & { field: string };

const wrongTypes = ["1", "", null, true, [1], { value: 1 }];
const notFlags = ["true", "false", "", 0, 1, null, [], {}, [true]];
const notPresets = ["FAST", "", "Fast", " fast", "fastest", "custom", "__proto__"];

type Field = [name: string, rule: string, values: unknown[]];

/** Tests each value on only one chain, because all chains have the same rules and differ only in their fields. */
const badValues: Record<BadSettings["chain"], Field[]> = {
  eth: [
    ["slippage", "in range", [0, -1, 0.00009, 100.01, 101, 1e21, 1e308]],
    ["slippage", "of four decimal places", [12.34567, 99.99999, 0.00011, 0.1 + 0.2]],
    ["slippage", "a number", wrongTypes],
    ["maxGasPrice", "in range", [0, -1, -0.5, 1e-10, 1_000_000_001, 1e300]],
    ["maxGasPrice", "of nine decimal places", [1.5e-9, 25.0000000001, 0.1 + 0.2]],
    ["maxGasPrice", "a number", wrongTypes],
    ["gasPreset", "a preset", notPresets],
    ["gasPreset", "a string", [0, 1, null, true, ["fast"], {}]],
    ["mevProtection", "a boolean", notFlags],
    ["autoBuy", "a boolean", notFlags],
    ["autoSell", "a boolean", notFlags],
    ["priorityFee", "a setting of the chain", [0, 0.1, null]],
  ],
  base: [
    ["slippage", "in range", [0, 101, "1"]],
    ["maxGasPrice", "in range", [0, "1"]],
    ["gasPreset", "a preset", ["FAST", null]],
    ["autoSell", "a boolean", ["true", null]],
    ["priorityFee", "a setting of the chain", [0.1]],
  ],
  sol: [
    ["slippage", "in range", [0, 101, "1"]],
    ["priorityFee", "in range", [-1, -0.001, 1e-10, 1_000_001, 1e300]],
    ["priorityFee", "of nine decimal places", [1.5e-9, 0.1 + 0.2]],
    ["priorityFee", "a number", wrongTypes],
    ["mevProtection", "a boolean", ["true", null]],
    ["gasPreset", "a setting of the chain", ["fast"]],
    ["maxGasPrice", "a setting of the chain", [10]],
  ],
};

/** JSON in forms that `JSON.stringify` never produces. */
const badTexts: [field: string, rule: string, texts: string[]][] = [
  ["slippage", "overflow", ["1e400", "-1e400"]],
  ["slippage", "underflow", ["1e-400", "-0"]],
  ["maxGasPrice", "overflow", ["1e400"]],
  ["maxGasPrice", "underflow", ["1e-400", "0.0"]],
];

const notSettable = ["_id", "userID", "createdAt", "updatedAt", "version", "chain", "expiresAt", "SK"];

const chains = ["eth", "base", "sol"] as const;

export const badSettings: readonly BadSettings[] = chains.flatMap((chain): BadSettings[] => [
  ...badValues[chain].flatMap(([field, rule, values]) =>
    values.map((value) => ({
      rule: `${field} of ${chain} is ${rule}`,
      title: `${field} of ${chain}: ${JSON.stringify(value)}`,
      chain,
      body: { [field]: value },
      field,
    })),
  ),
  {
    rule: `one bad change on ${chain} spoils the others`,
    title: `good changes on ${chain} with a bad one`,
    chain,
    body: { slippage: 3, autoBuy: true, mevProtection: "yes" },
    field: "mevProtection",
  },
  ...notSettable.map((field) => ({
    rule: `fields of the record of ${chain} cannot be set`,
    title: `${field} of ${chain}`,
    chain,
    body: { slippage: 3, [field]: "1" },
    field,
  })),
  ...(chain === "eth" ? badTexts : []).flatMap(([field, rule, texts]) =>
    texts.map((text) => ({
      rule: `${field} of ${chain} has no ${rule}`,
      title: `${field} of ${chain}: ${text}`,
      chain,
      body: `{"${field}":${text}}`,
      field,
    })),
  ),
]);

const common: Table<Record<string, unknown>> = {
  slippage: [0.0001, 0.01, 0.57, 12.7501, 100].map((slippage) => [`${slippage}`, { slippage }]),
  mevProtection: [false, true].map((mevProtection) => [`${mevProtection}`, { mevProtection }]),
  autoBuy: [true, false].map((autoBuy) => [`${autoBuy}`, { autoBuy }]),
  autoSell: [true, false].map((autoSell) => [`${autoSell}`, { autoSell }]),
};

const evm: Table<Record<string, unknown>> = {
  ...common,
  gasPreset: ["slow", "medium", "fast", "turbo"].map((gasPreset) => [gasPreset, { gasPreset }]),
  maxGasPrice: [1e-9, 0.05, 25, 12_345.678].map((maxGasPrice) => [`${maxGasPrice}`, { maxGasPrice }]),
};

const solana: Table<Record<string, unknown>> = {
  ...common,
  priorityFee: [0, 0.000005, 1.5].map((priorityFee) => [`${priorityFee}`, { priorityFee }]),
};

/** Accepted changes of a single setting. */
export const goodSettings: readonly (SettingsChange & { body: Record<string, unknown> })[] = chains.flatMap(
  (chain) =>
    casesOf(chain === "sol" ? solana : evm).map(({ rule, title, value }) => ({
      rule: `${rule} of ${chain}`,
      title: `${rule} of ${chain}: ${title}`,
      chain,
      body: value,
    })),
);

/** Gas prices that must be either kept exactly or rejected. */
export const gasPrices = casesOf<number>({
  "very small": [5e-324, 1e-200, 1e-20].map((price) => [`${price}`, price]),
  inexact: [[`${0.1 + 0.2}`, 0.1 + 0.2]],
  "very large": [Number.MAX_VALUE, 1e15, 2 ** 53, 1e126, 1e300].map((price) => [`${price}`, price]),
});

/**
 * Values of `{chain}` in /updateTradingSettings/{chain} that name no chain with settings, percent-encoded for the path.
 */
export const badChains = casesOf<string>({
  "another network": [
    ["bsc", "bsc"],
    ["avax", "avax"],
    ["doge", "doge"],
  ],
  "another case": [
    ["ETH", "ETH"],
    ["Eth", "Eth"],
  ],
  "written out": [
    ["ethereum", "ethereum"],
    ["solana", "solana"],
  ],
  "a list": [["eth,sol", "eth,sol"]],
  "a space": [
    ["eth and a space", "eth%20"],
    ["a space", "%20"],
  ],
  "a NUL byte": [
    ["eth and a NUL byte", "eth%00"],
    ["a NUL byte", "%00"],
  ],
  "a slash": [["a path to eth", "..%2feth"]],
  "a template": [["the template of the path", "%7Bchain%7D"]],
  "a property of every object": [
    ["__proto__", "__proto__"],
    ["constructor", "constructor"],
    ["toString", "toString"],
  ],
  "a long name": [["300 letters", "x".repeat(300)]],
});
