import type { Network, QuoteRequest } from "trading-terminal-client";

type Given = Partial<
  Pick<QuoteRequest, "slippage" | "gasPreset" | "maxGasPrice" | "priorityFee" | "mevProtection">
>;

export const gasPresets = ["slow", "medium", "fast", "turbo"] as const;

/** The limits of an order as text. The empty text stands for the user's setting. */
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

/** The numbers that a chain's orders have: gas is of EVM chains, and a priority fee of sol. */
export const numbersOf = (chain: Network): readonly NumberField[] => [
  ["slippage", "Slippage, %"],
  chain === "sol" ? ["priorityFee", "Priority fee, SOL"] : ["maxGasPrice", "Max gas price, gwei"],
];

/** Names the first limit that is not a number. */
export const wrongLimit = (chain: Network, limits: Limits): string | undefined =>
  numbersOf(chain).find(([name]) => limits[name] !== "" && !/^\d*\.?\d+$/.test(limits[name]))?.[1];

/** Returns the fields of a request. Those of other chains, and those left empty, are absent. */
export function givenLimits(chain: Network, limits: Limits): Given {
  const { gasPreset, mevProtection } = limits;
  const numbers = numbersOf(chain).filter(([name]) => limits[name] !== "");
  return {
    ...Object.fromEntries(numbers.map(([name]) => [name, Number(limits[name])])),
    ...(chain !== "sol" && gasPreset !== "" && { gasPreset }),
    ...(mevProtection !== "" && { mevProtection: mevProtection === "on" }),
  };
}
