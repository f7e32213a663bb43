import * as v from "valibot";
import { poolVenues } from "../chains/families/venue.ts";
import type { NewTokensView } from "../markets/list-new-tokens.ts";
import { envelopeOf, TimestampSchema } from "./scalars.ts";
import { safetyEntries } from "./token-schema.ts";
import { AddressSchema, AmountTextSchema, ChainNameSchema, TradingChainSchema } from "./trading-scalars.ts";

export const NewTokensQuerySchema = v.strictObject({ chain: ChainNameSchema });

const NewTokenSchema = v.pipe(
  v.object({
    chain: TradingChainSchema,
    token: AddressSchema,
    symbol: v.string(),
    name: v.string(),
    decimals: v.pipe(v.number(), v.integer()),
    listed: v.boolean(),
    ...safetyEntries,
    liquidity: v.pipe(
      AmountTextSchema,
      v.description(
        "Coins that a sale really gets in the token's reference pool while moving the price by at most 2 %",
      ),
    ),
    pool: v.pipe(AddressSchema, v.description("The newest pool")),
    venue: v.picklist(poolVenues),
    madeAt: v.pipe(TimestampSchema, v.description("Time of the block that made `pool`")),
    isConfirmed: v.pipe(
      v.boolean(),
      v.description("False while only one host has shown that the pool was made"),
    ),
  }),
  v.title("NewToken"),
);

export const NewTokensAnswerSchema = envelopeOf(
  v.object({
    tokens: v.pipe(v.array(NewTokenSchema), v.description("At most 100, those with the newest pools first")),
    since: v.exactOptional(
      v.pipe(
        TimestampSchema,
        v.description("Time from which on pools are known. Absent before any have been read"),
      ),
    ),
    asOf: v.exactOptional(v.pipe(TimestampSchema, v.description("Time of the newest block that was read"))),
  }) satisfies v.GenericSchema<NewTokensView>,
);
