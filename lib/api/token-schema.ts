import * as v from "valibot";
import { type TradingVenue, tradingVenues } from "../chains/families/venue.ts";
import { tokenFlags } from "../core/token-flag.ts";
import type { InspectedToken } from "../orders/token-family.ts";
import { nativeToken } from "../orders/trading-chain.ts";
import type { Token } from "../trading/list-tokens.ts";
import { documented, evmAddress, variantsByChain } from "./documented.ts";
import { envelopeOf } from "./scalars.ts";
import {
  AddressSchema,
  AmountTextSchema,
  asOfBlock,
  ChainNameSchema,
  GivenAddressSchema,
  TaxSchema,
  TokenNameSchema,
  TradingChainSchema,
} from "./trading-scalars.ts";

export const ListTokensQuerySchema = v.strictObject({
  chain: v.pipe(
    v.optional(ChainNameSchema),
    v.description("Chain whose tokens are listed. If absent, those of all chains are"),
  ),
  query: v.pipe(
    v.optional(v.string()),
    v.description("A part of the symbol or name, or an address. With it, unlisted tokens are found as well"),
  ),
});

export const TokenPathSchema = v.strictObject({ chain: ChainNameSchema, token: GivenAddressSchema });

const identity = {
  chain: TradingChainSchema,
  token: TokenNameSchema,
  symbol: v.string(),
  name: v.string(),
  decimals: v.pipe(v.number(), v.integer()),
  wrapped: v.exactOptional(v.literal(true)),
};

const evmToken = { anyOf: [{ type: "string", const: nativeToken }, evmAddress] };

const TokenSchema = v.pipe(
  v.object({
    ...identity,
    listed: v.exactOptional(
      v.pipe(
        v.boolean(),
        v.description("True if the token is on the list that users see without searching. Only with `query`"),
      ),
    ),
    flags: v.exactOptional(
      v.pipe(
        v.array(v.picklist(["IMPERSONATES", "NEW"])),
        v.description(
          "`IMPERSONATES`: the token's symbol or name is like that of a listed token. `NEW`: found only because it has a pool of the last day. Only with `query`",
        ),
      ),
    ),
  }),
  documented({ oneOf: variantsByChain("Token", "chain", { token: evmToken }) }),
  v.title("Token"),
) satisfies v.GenericSchema<Token>;

export const TokenListSchema = envelopeOf(v.object({ tokens: v.array(TokenSchema) }));

const venue = v.picklist(tradingVenues);

const ofPool = "Absent if the venue is `jupiter-metis`, which chooses pools by itself";

export const RouteStepSchema = v.pipe(
  v.object({
    venue,
    pool: v.exactOptional(v.pipe(AddressSchema, v.description(ofPool))),
    feeBps: v.exactOptional(v.pipe(v.number(), v.description(ofPool))),
    tokenIn: TokenNameSchema,
    tokenOut: TokenNameSchema,
  }),
  v.title("RouteStep"),
);

/** Results of simulating a purchase and a sale of a token. */
export const safetyEntries = {
  sellable: v.pipe(v.nullable(v.boolean()), v.description("null if unknown")),
  buyTax: TaxSchema,
  sellTax: TaxSchema,
  flags: v.array(v.picklist(tokenFlags)),
};

const PoolSchema = v.pipe(
  v.object({
    venue,
    pool: AddressSchema,
    feeBps: v.number(),
    quoteToken: v.exactOptional(
      v.pipe(AddressSchema, v.description("Other token of the pool. Absent if it is the wrapped coin")),
    ),
    liquidity: v.pipe(AmountTextSchema, v.description("Worth of the pool's other side, in native coin")),
  }),
  v.title("Pool"),
);

const InspectedTokenSchema = v.pipe(
  v.object({
    ...identity,
    token: AddressSchema,
    listed: v.boolean(),
    ...safetyEntries,
    pools: v.pipe(
      v.array(PoolSchema),
      v.description("Pools of the token, at most 10, first those that hold most"),
    ),
    ...asOfBlock,
  }),
  v.title("InspectedToken"),
) satisfies v.GenericSchema<InspectedToken<TradingVenue>>;

export const InspectedTokenAnswerSchema = envelopeOf(v.object({ token: InspectedTokenSchema }));
