import * as v from "valibot";
import { chains, gasPresets } from "../domain/settings.ts";
import { Timestamp } from "./scalars.ts";

// The smallest steps of the chains (wei in a gwei, lamport in a SOL), and ceilings far above any fee ever paid: what is
// outside is a slip of the keyboard, and could not be kept exactly.
const slippage = v.pipe(v.number(), v.minValue(0.0001), v.maxValue(100), v.description("Percent"));
const maxGasPrice = v.pipe(v.number(), v.minValue(1e-9), v.maxValue(1e9), v.description("Gwei"));
const priorityFee = v.pipe(
  v.number(),
  v.minValue(0),
  v.maxValue(1e6),
  v.check((fee) => fee === 0 || fee >= 1e-9, "must be 0, or at least 1e-9"),
  v.description("SOL"),
);
const gasPreset = v.picklist(gasPresets);
const flag = v.boolean();

export const ChainPath = v.strictObject({
  chain: v.picklist(chains),
});

/** Any of a chain's settings; which chain has which is a rule of the domain. */
export const SettingsPatch = v.pipe(
  v.strictObject({
    slippage: v.optional(slippage),
    gasPreset: v.optional(gasPreset),
    maxGasPrice: v.optional(maxGasPrice),
    priorityFee: v.optional(priorityFee),
    mevProtection: v.optional(flag),
    autoBuy: v.optional(flag),
    autoSell: v.optional(flag),
  }),
  v.title("TradingSettingsPatch"),
  v.description(
    "Only what changes. eth and base have gasPreset and maxGasPrice, sol has priorityFee; the others are common.",
  ),
);

const evm = { slippage, gasPreset, maxGasPrice, mevProtection: flag, autoBuy: flag, autoSell: flag };
const solana = { slippage, priorityFee, mevProtection: flag, autoBuy: flag, autoSell: flag };
const record = { _id: v.string(), userID: v.string() };
const times = { createdAt: Timestamp, updatedAt: Timestamp };

/** The full settings record after an update. The EVM form is tried first: only it has a gasPreset. */
export const SettingsRecord = v.union([
  v.pipe(v.object({ ...record, ...evm, ...times }), v.title("EvmTradingSettings")),
  v.pipe(v.object({ ...record, ...solana, ...times }), v.title("SolanaTradingSettings")),
]);

/** All settings of a chain, as events tell them: no ids, no times. The EVM form is tried first. */
export const StreamedSettings = v.union([v.object(evm), v.object(solana)]);

/** The settings of a chain inside the profile data: no ids, no times. */
export const ProfileSettings = v.object({
  ethereum: v.object(evm),
  solana: v.object({ slippage, priorityFee }),
  base: v.object(evm),
});
