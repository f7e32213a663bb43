import type { Network, QuoteRequest } from "trading-terminal-client";

type Given = Partial<
  Pick<QuoteRequest, "slippage" | "gasPreset" | "maxGasPrice" | "priorityFee" | "mevProtection">
>;

export const gasPresets = ["slow", "medium", "fast", "turbo"] as const;

/** Limits of an order as text. If a text is empty, the user's setting applies. */
export type Limits = {
  slippage: string;
  gasPreset: "" | (typeof gasPresets)[number];
  maxGasPrice: string;
  priorityFee: string;
  mevProtection: "" | "on" | "off";
};

export const noLimits: Limits = {
  slippage: "",
  gasPreset: "",
  maxGasPrice: "",
  priorityFee: "",
  mevProtection: "",
};

type NumberField = readonly [name: "slippage" | "maxGasPrice" | "priorityFee", label: string];

/** Lists the numeric limits of a chain's orders: EVM chains have a gas price, and sol has a priority fee. */
export const numbersOf = (chain: Network): readonly NumberField[] => [
  ["slippage", "Slippage, %"],
  chain === "sol" ? ["priorityFee", "Priority fee, SOL"] : ["maxGasPrice", "Max gas price, gwei"],
];

/** Returns the label of the first limit that is not a number. */
export const wrongLimit = (chain: Network, limits: Limits): string | undefined =>
  numbersOf(chain).find(([name]) => limits[name] !== "" && !/^\d*\.?\d+$/.test(limits[name]))?.[1];

/** Returns the limits for a request. Empty limits and those of other chains are left out. */
export function givenLimits(chain: Network, limits: Limits): Given {
  const { gasPreset, mevProtection } = limits;
  const numbers = numbersOf(chain).filter(([name]) => limits[name] !== "");
  return {
    ...Object.fromEntries(numbers.map(([name]) => [name, Number(limits[name])])),
    ...(chain !== "sol" && gasPreset !== "" && { gasPreset }),
    ...(mevProtection !== "" && { mevProtection: mevProtection === "on" }),
  };
}
