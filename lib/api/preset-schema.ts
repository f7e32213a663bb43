import * as v from "valibot";
import { type Preset, presetWarnings } from "../orders/preset.ts";
import { PercentExitsSchema } from "./exits-schema.ts";
import { CountSchema, envelopeOf, GivenPercentSchema, percentWithin } from "./scalars.ts";
import { autoBuySwitch, autoSellSwitch } from "./settings-schema.ts";
import {
  AddressSchema,
  AmountTextSchema,
  ChainNameSchema,
  GivenAddressSchema,
  GivenAmountSchema,
  PercentSchema,
  TradingChainSchema,
} from "./trading-scalars.ts";

export const PresetPathSchema = v.strictObject({ chain: ChainNameSchema });

const GivenTaxSchema = v.optional(
  percentWithin(0, 100, "Percent, 5 by default: a token with a higher tax is not bought"),
  5,
);

const switches = { autoBuy: v.optional(autoBuySwitch), autoSell: v.optional(autoSellSwitch) };

/** A preset in a request. Addresses, decimal places and switches depend on the chain and are checked later. */
export const GivenPresetSchema = v.pipe(
  v.strictObject({
    wallet: GivenAddressSchema,
    buyAmount: v.pipe(GivenAmountSchema, v.description("What an automatic buy spends, in the chain's coin")),
    slippage: v.optional(v.pipe(GivenPercentSchema, v.maxValue(50))),
    exits: PercentExitsSchema,
    maxBuyTax: GivenTaxSchema,
    maxSellTax: GivenTaxSchema,
    minLiquidity: v.optional(
      v.pipe(
        GivenAmountSchema,
        v.description("A token with less liquidity, in the chain's coin, is not bought"),
      ),
    ),
    ...switches,
  }),
  v.title("GivenPreset"),
  v.description(
    "Replaces the whole preset. Only presets of bsc and avax have the switches, which are off by default; eth, base and sol have them in their trading settings.",
  ),
) satisfies v.GenericSchema<unknown, Preset>;

export const PresetAnswerSchema = envelopeOf(
  v.object({
    chain: TradingChainSchema,
    version: CountSchema,
    preset: v.pipe(
      v.object({
        wallet: AddressSchema,
        buyAmount: AmountTextSchema,
        slippage: v.optional(PercentSchema),
        exits: PercentExitsSchema,
        maxBuyTax: PercentSchema,
        maxSellTax: PercentSchema,
        minLiquidity: v.optional(AmountTextSchema),
        ...switches,
      }),
      v.title("Preset"),
    ),
    warnings: v.pipe(
      v.array(v.picklist(presetWarnings)),
      v.description("`NO_DAY_LIMIT`: the wallet's policy has no `maxPerDay`"),
    ),
  }),
);
