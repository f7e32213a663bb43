import * as v from "valibot";
import { envelopeOf, GivenPercentSchema, TimestampSchema } from "./scalars.ts";
import { AmountTextSchema, GivenAmountSchema, PercentSchema } from "./trading-scalars.ts";

/** Maximum number of tokens that a policy can name. */
const mostTokens = 100;

const tokensRule = `must be any, or a list of at most ${mostTokens} addresses`;

/** A policy in a request. Addresses and decimal places depend on the network and are checked later. */
export const GivenPolicySchema = v.pipe(
  v.strictObject({
    maxPerOrder: v.optional(GivenAmountSchema),
    maxPerDay: v.optional(GivenAmountSchema),
    maxNetworkFeesPerDay: v.optional(GivenAmountSchema),
    tokens: v.optional(
      v.union(
        [v.literal("any"), v.pipe(v.array(v.string(tokensRule)), v.maxLength(mostTokens, tokensRule))],
        tokensRule,
      ),
      "any",
    ),
    maxSlippage: v.optional(GivenPercentSchema),
    anyLoss: v.optional(v.boolean()),
    tradingEnabled: v.boolean(),
  }),
  v.title("GivenPolicy"),
  v.description(
    "Replaces the whole policy: an omitted limit is removed. Amounts are in the network's coin. Network fees count only towards `maxPerDay` and `maxNetworkFeesPerDay`.",
  ),
);

const PolicySchema = v.pipe(
  v.object({
    maxPerOrder: v.optional(AmountTextSchema),
    maxPerDay: v.optional(
      v.pipe(AmountTextSchema, v.description("Maximum to spend per day in UTC, including network fees")),
    ),
    maxNetworkFeesPerDay: v.optional(
      v.pipe(
        AmountTextSchema,
        v.description(
          "Most that transactions may pay the network per day in UTC, in place of the usual limit",
        ),
      ),
    ),
    tokens: v.pipe(
      v.union([v.literal("any"), v.array(v.string())]),
      v.description("The tokens that may be bought"),
    ),
    maxSlippage: v.optional(
      v.pipe(PercentSchema, v.description("Percent by which an order's minimum may be below its quote")),
    ),
    anyLoss: v.optional(
      v.pipe(
        v.boolean(),
        v.description("True if orders may lose more than half of their value without a fresh sign-in"),
      ),
    ),
    tradingEnabled: v.pipe(
      v.boolean(),
      v.description("`false`: the wallet neither buys nor sells, and approves nothing"),
    ),
  }),
  v.title("WalletPolicy"),
  v.description(
    "Limits on the wallet's orders. `maxNetworkFeesPerDay` limits sales too; the other amounts and `tokens` limit only purchases.",
  ),
);

const PendingPolicySchema = v.object({ policy: PolicySchema, effectiveAt: TimestampSchema });

/** Policy in force, and the pending one. */
export const policyStateEntries = { policy: PolicySchema, pending: v.optional(PendingPolicySchema) };

export const PolicyAnswerSchema = envelopeOf(v.object(policyStateEntries));

/** Policy in an event: the response to the request that changed it. */
export const policyOfEvent = {
  policy: v.exactOptional(PolicySchema),
  pending: v.exactOptional(PendingPolicySchema),
};
