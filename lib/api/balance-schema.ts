import * as v from "valibot";
import type { Balances } from "../trading/read-balances.ts";
import { envelopeOf } from "./scalars.ts";
import {
  AddressSchema,
  AmountTextSchema,
  asOfBlock,
  ChainNameSchema,
  GivenAddressSchema,
  GivenTokenSchema,
  TokenNameSchema,
  TradingChainSchema,
} from "./trading-scalars.ts";

export const BalancesQuerySchema = v.strictObject({
  chain: ChainNameSchema,
  wallet: v.optional(GivenAddressSchema),
  token: v.optional(GivenTokenSchema),
});

const BalanceSchema = v.pipe(
  v.object({
    wallet: AddressSchema,
    token: TokenNameSchema,
    symbol: v.string(),
    decimals: v.pipe(v.number(), v.integer()),
    amount: v.pipe(AmountTextSchema, v.description("On chain")),
    reserved: v.pipe(
      AmountTextSchema,
      v.description("Amount that open orders will spend, including network fees"),
    ),
    available: v.pipe(AmountTextSchema, v.description("The rest")),
  }),
  v.title("Balance"),
);

const BalancesSchema = v.object({
  chain: TradingChainSchema,
  ...asOfBlock,
  balances: v.array(BalanceSchema),
}) satisfies v.GenericSchema<Balances>;

export const BalancesAnswerSchema = envelopeOf(BalancesSchema);
