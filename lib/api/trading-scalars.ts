import * as v from "valibot";
import { tradingChains } from "../core/chain-facts.ts";
import { networks } from "../core/network.ts";
import { priceRule } from "../orders/resting/prices.ts";
import { decimalFormat } from "./documented.ts";
import { TimestampSchema } from "./scalars.ts";

/** Name of a chain in requests. The configuration decides whether the deployment trades on it. */
export const ChainNameSchema = v.picklist(networks);

/** Name of a chain in a response. */
export const TradingChainSchema = v.picklist(tradingChains);

// Does not check checksums, nor whether an address fits its chain. Later checks do, because hashing would double the
// code that every function loads.
const addressRule = "must be an address: 0x and 40 hex digits, or base58";
const addressForms = String.raw`0[xX](?!0{40}$)(?![eE]{40}$)[\da-fA-F]{40}$|[1-9A-HJ-NP-Za-km-z]{32,44}$`;

export const GivenAddressSchema = v.pipe(
  v.string(addressRule),
  v.regex(new RegExp(`^(?:${addressForms})`), addressRule),
  v.description(
    "Address: on EVM chains in upper, lower or checksum case; on sol in base58, where case counts",
  ),
);

const tokenRule = `${addressRule}, or native`;

export const GivenTokenSchema = v.pipe(
  v.string(tokenRule),
  v.regex(new RegExp(`^(?:native$|${addressForms})`), tokenRule),
  v.description("An address, or `native` for the chain's coin"),
);

const amountRule =
  "must be a decimal number above 0 as text, with at most 40 digits on each side of the point";

export const GivenAmountSchema = v.pipe(
  v.string(amountRule),
  v.regex(/^(?=.*[1-9])\d{1,40}(\.\d{1,40})?$/, amountRule),
  v.description("A decimal number as text, in whole coins or tokens"),
  decimalFormat(),
);

/** A price above 0 in a request. */
export const GivenPriceSchema = v.pipe(
  v.string(priceRule),
  v.regex(/^(?=.*[1-9])\d{1,41}(\.\d{1,40})?$/, priceRule),
  v.description("Native coin for one token, as decimal text"),
  decimalFormat(),
);

/** The prices of a stop in a request. */
export const stopPrices = {
  stopPrice: GivenPriceSchema,
  price: v.optional(
    v.pipe(GivenPriceSchema, v.description("The least that it sells for; 0.8 × `stopPrice` by default")),
  ),
};

export const AddressSchema = v.pipe(v.string(), v.description("Address in EIP-55 form; on sol in base58"));

export const TokenNameSchema = v.pipe(
  v.string(),
  v.description("An address in EIP-55 form or in base58, or `native`"),
);

export const AmountTextSchema = v.pipe(
  v.string(),
  v.description("Decimal text, exact to the last unit"),
  decimalFormat(),
);

export const PercentSchema = v.pipe(v.number(), v.description("Percent"));

/** A token's tax in percent, or null if unknown. */
export const TaxSchema = v.pipe(v.nullable(v.number()), v.description("Percent; null if unknown"));

/** A block that a response refers to, and the time at which the block was read. */
export const asOfBlock = { block: v.pipe(v.number(), v.integer()), asOf: TimestampSchema };
