import * as v from "valibot";
import { presetWarnings } from "../orders/preset.ts";
import { quoteWarnings } from "../orders/quote-warnings.ts";
import { defaultMaxPriceImpact } from "../orders/trade.ts";
import type { AutomaticRequest, PlaceOrderRequest } from "../orders/trade-request.ts";
import { documented, tradeVariants } from "./documented.ts";
import { OrderSchema } from "./execution-schema.ts";
import { exitsOfBuy } from "./exits-schema.ts";
import { clientOrderId, idempotencyHeaders } from "./idempotency-schema.ts";
import { QuoteSchema, tradeDescription, tradeEntries, tradeRules } from "./quote-schema.ts";
import { placedRestingSchemas, restingSchemas } from "./resting-schema.ts";
import { envelopeOf, wholeInRange } from "./scalars.ts";
import { ChainNameSchema, GivenAddressSchema } from "./trading-scalars.ts";

export const PlaceOrderSchema = v.pipe(
  v.strictObject({
    chain: ChainNameSchema,
    wallet: GivenAddressSchema,
    type: v.literal("market"),
    ...tradeEntries,
    validForSeconds: v.optional(wholeInRange(15, 600, "120 by default, or 600 if gasPreset is slow")),
    dryRun: v.optional(v.boolean()),
    clientOrderId,
    exits: exitsOfBuy,
  }),
  tradeRules(),
  documented(tradeVariants({ title: "SellShare", required: ["percent"] })),
  v.title("PlaceOrder"),
  v.description(
    `${tradeDescription} \`maxPriceImpact\` is ${defaultMaxPriceImpact} by default. With \`dryRun\`, nothing is recorded and no key is needed.`,
  ),
) satisfies v.GenericSchema<PlaceOrderRequest>;

const AutomaticBuySchema = v.pipe(
  v.strictObject({
    auto: v.literal("buy"),
    chain: ChainNameSchema,
    token: GivenAddressSchema,
    wallet: v.pipe(v.optional(GivenAddressSchema), v.description("In place of the preset's")),
    clientOrderId,
  }),
  v.title("PlaceAutomaticBuy"),
  v.description("Buys as the user's preset of the chain says. Needs the switch `autoBuy`."),
) satisfies v.GenericSchema<AutomaticRequest>;

const ofTypes = [PlaceOrderSchema, ...restingSchemas] as const;
const typedSchema = v.variant("type", ofTypes);

const isAutomatic = (input: unknown): boolean =>
  typeof input === "object" && input !== null && "auto" in input;

/**
 * A request for an order of any type, or for an automatic one. Only its field `auto` decides which, so that an error is
 * about the form that the client means.
 */
export const PlaceAnyOrderSchema = v.pipe(
  Object.assign(v.union([...ofTypes, AutomaticBuySchema]), {
    "~run": ((dataset, config) => {
      const schema = isAutomatic(dataset.value) ? AutomaticBuySchema : typedSchema;
      return schema["~run"](dataset, config);
    }) as v.GenericSchema<
      v.InferInput<typeof typedSchema> | AutomaticRequest,
      v.InferOutput<typeof typedSchema> | AutomaticRequest
    >["~run"],
  }),
  v.title("PlaceAnyOrder"),
);

export const PlaceOrderHeadersSchema = idempotencyHeaders("A key places only one order per user, ever.");

/** The placed order, or the quote of a dry run. */
export const PlacedAnswerSchema = envelopeOf(
  v.union([
    v.object({
      order: OrderSchema,
      warnings: v.pipe(
        v.array(v.picklist([...quoteWarnings, ...presetWarnings])),
        v.description(
          "`MEV_UNPROTECTED`: the order goes to a public pool, or on sol to hosts, also if it asked for protection. `MINIMUM_ABOVE_QUOTE`: its `minAmountOut` is above the quote, so it is most likely rejected with `SLIPPAGE_EXCEEDED`. `NO_DAY_LIMIT`, of an automatic buy: the wallet's policy has no `maxPerDay`",
        ),
      ),
    }),
    ...placedRestingSchemas,
    v.object({ dryRun: v.literal(true), quote: QuoteSchema }),
  ]),
);

export const CancelOrderSchema = v.pipe(v.strictObject({}), v.title("CancelOrder"));

export const CancelOrdersSchema = v.pipe(
  v.strictObject({
    chain: v.pipe(v.optional(ChainNameSchema), v.description("Cancels only orders on this chain")),
    wallet: v.pipe(
      v.optional(GivenAddressSchema),
      v.description("Cancels only orders of this wallet. Needs `chain`"),
    ),
  }),
  v.forward(
    v.check(({ chain, wallet }) => wallet === undefined || chain !== undefined, "needs chain"),
    ["wallet"],
  ),
  v.title("CancelOrders"),
  v.description("Without fields, cancels all of the user's orders."),
);

export const CancelledCountSchema = envelopeOf(
  v.object({
    cancelled: v.pipe(
      v.number(),
      v.integer(),
      v.minValue(0),
      v.description("Number of orders that were open. Those whose swaps are signed may still be filled"),
    ),
  }),
);

export const CancelledAnswerSchema = envelopeOf(v.object({ order: OrderSchema }));
