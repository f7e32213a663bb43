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

/** Maximum slippage of an immediate order and of one that waits, in percent. */
const mostSlippage = { now: 100, waiting: 50 } as const;

/** Returns what is wrong with each limit, in words. An empty limit is as in the settings. */
export function wrongLimits(
  chain: Network,
  limits: Limits,
  isWaiting: boolean,
): Partial<Readonly<Record<NumberField[0], string>>> {
  const problems: Partial<Record<NumberField[0], string>> = {};
  const most = mostSlippage[isWaiting ? "waiting" : "now"];
  for (const [name] of numbersOf(chain)) {
    const text = limits[name];
    if (text === "") continue;
    if (!/^\d+(\.\d+)?$/.test(text)) problems[name] = "Write a number with a point, such as 1.5.";
    else if (name === "slippage" && Number(text) > most) problems[name] = `Write at most ${most} %.`;
  }
  return problems;
}

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
