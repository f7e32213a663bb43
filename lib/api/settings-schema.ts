import * as v from "valibot";
import { type EntityTags, readEntityTags } from "../core/entity-tag.ts";
import { chains } from "../core/network.ts";
import { gasPresets } from "../users/settings.ts";
import { decimalPlaces, envelopeOf, GivenPercentSchema, TimestampSchema } from "./scalars.ts";

// The limits of the settings prevent typing errors, and numbers that could not be stored exactly. The lower limits are
// the chains' smallest units (wei in gwei, lamport in SOL); the upper limits are far above any fee ever paid.
export const maxGasPrice = v.pipe(
  v.number(),
  v.minValue(1e-9),
  v.maxValue(1e9),
  decimalPlaces(9),
  v.description("Gwei, with at most 9 decimal places"),
);
export const priorityFee = v.pipe(
  v.number(),
  v.minValue(0),
  v.maxValue(1e6),
  v.check((fee) => fee === 0 || fee >= 1e-9, "must be 0, or at least 1e-9"),
  decimalPlaces(9),
  v.description("SOL, with at most 9 decimal places"),
);
export const gasPreset = v.picklist(gasPresets);
const flag = v.boolean();
export const autoBuySwitch = v.pipe(
  flag,
  v.description('Lets a request with `auto: "buy"` place the buy that the preset of the chain describes'),
);
export const autoSellSwitch = v.pipe(
  flag,
  v.description(
    "Adds the exits of the chain's preset to each market, limit or automatic buy that names none",
  ),
);

export const ChainPathSchema = v.strictObject({
  chain: v.picklist(chains),
});

/** Accepts any settings for any chain. The domain checks whether the chain has these settings. */
export const SettingsPatchSchema = v.pipe(
  v.strictObject({
    slippage: v.optional(GivenPercentSchema),
    gasPreset: v.optional(gasPreset),
    maxGasPrice: v.optional(maxGasPrice),
    priorityFee: v.optional(priorityFee),
    mevProtection: v.optional(flag),
    autoBuy: v.optional(autoBuySwitch),
    autoSell: v.optional(autoSellSwitch),
  }),
  v.title("TradingSettingsPatch"),
  v.description(
    "Only the settings to change. eth and base have gasPreset and maxGasPrice; sol has priorityFee. All other settings exist on every chain.",
  ),
);

// Applies no limits to responses, so that stored records stay valid if a limit is narrowed later.
const number = (unit: "Percent" | "Gwei" | "SOL") => v.pipe(v.number(), v.description(unit));
const flags = { mevProtection: flag, autoBuy: autoBuySwitch, autoSell: autoSellSwitch };
const evm = { slippage: number("Percent"), gasPreset, maxGasPrice: number("Gwei"), ...flags };
const solana = { slippage: number("Percent"), priorityFee: number("SOL"), ...flags };
const record = { _id: v.string(), userID: v.string() };
const times = { createdAt: TimestampSchema, updatedAt: TimestampSchema };

/** Full settings after an update. The EVM form is tried first, because only it requires a gasPreset. */
export const SettingsRecordSchema = v.union([
  v.pipe(v.object({ ...record, ...evm, ...times }), v.title("EvmTradingSettings")),
  v.pipe(v.object({ ...record, ...solana, ...times }), v.title("SolanaTradingSettings")),
]);

/**
 * All settings of a chain for events, without ids and times. The EVM form is tried first, because only it requires a
 * gasPreset.
 */
export const StreamedSettingsSchema = v.union([v.object(evm), v.object(solana)]);

/** Settings of a chain in the form of TradingSettingsUpdated. Version 0 means that the user has changed none. */
export const SettingsAnswerSchema = envelopeOf(
  v.object({
    chain: v.picklist(chains),
    version: v.pipe(v.number(), v.integer(), v.minValue(0)),
    settings: StreamedSettingsSchema,
  }),
);

const tagsRule = 'must be * or a list of at most 100 entity tags, such as "5"';
const maxTags = 100;

const fewTags = (tags: EntityTags | undefined) => tags !== undefined && tags.length <= maxTags;

export const IfMatchHeadersSchema = v.object({
  "If-Match": v.optional(
    v.pipe(
      v.string(),
      v.check((text) => fewTags(readEntityTags(text)), tagsRule),
      v.transform((text) => readEntityTags(text) as EntityTags),
      v.description("Changes nothing unless the current ETag is in this list. `*` matches any."),
    ),
  ),
});

/** Reads the ETags in If-None-Match, which rest.ts compares with the response's ETag. */
export const IfNoneMatchHeadersSchema = v.object({
  "If-None-Match": v.optional(
    v.pipe(v.string(), v.description("Responds with 304 and no body if the ETag is in this list.")),
  ),
});

/** Settings inside the profile data, without ids and times. */
export const ProfileSettingsSchema = v.object({
  ethereum: v.object(evm),
  solana: v.object({ slippage: solana.slippage, priorityFee: solana.priorityFee }),
  base: v.object(evm),
});
