import * as v from "valibot";
import { networks } from "../core/network.ts";
import { nativeAssets } from "../prices/price.ts";
import { decimalFormat } from "./documented.ts";
import { TimestampSchema } from "./scalars.ts";

export const PriceSchema = v.pipe(
  v.object({
    chain: v.picklist(networks),
    symbol: v.picklist([...new Set(Object.values(nativeAssets))]),
    price: v.pipe(v.string(), decimalFormat()),
    currency: v.literal("USD"),
    source: v.string(),
    asOf: TimestampSchema,
  }),
  v.title("Price"),
);
