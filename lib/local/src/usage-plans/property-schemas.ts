import * as v from "valibot";
import { periods } from "./model.ts";

/** What a template may say of keys and plans. All of it is strict: what is not here stops the runner. */

const text = v.string();
const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** A key's value, in a template and over the API. */
export const keyValue = v.pipe(
  text,
  v.minLength(20, "API Key value should be at least 20 characters"),
  v.maxLength(128, "API Key value exceeds maximum size of 128 characters"),
  v.regex(/^[\dA-Za-z]*$/, "API Key value should be alphanumeric"),
);

// API Gateway does not document what becomes of one without the other.
const throttle = v.pipe(
  v.strictObject({ RateLimit: v.pipe(v.number(), v.minValue(0)), BurstLimit: count }),
  v.transform(({ RateLimit, BurstLimit }) => ({ rateLimit: RateLimit, burstLimit: BurstLimit })),
);

const method = v.pipe(text, v.regex(/^\/.*\/(ANY|DELETE|GET|HEAD|OPTIONS|PATCH|POST|PUT)$/));

const tags = v.pipe(
  v.optional(v.array(v.strictObject({ Key: text, Value: text })), []),
  v.transform((list) => Object.fromEntries(list.map(({ Key, Value }) => [Key, Value]))),
);

export const apiKey = v.strictObject({
  Name: v.optional(text),
  Description: v.optional(text),
  CustomerId: v.optional(text),
  Enabled: v.optional(v.boolean(), false),
  Value: v.optional(keyValue),
  GenerateDistinctId: v.optional(v.literal(true)),
  StageKeys: v.optional(v.array(v.strictObject({ RestApiId: text, StageName: text })), []),
  Tags: tags,
});

export const usagePlan = v.strictObject({
  UsagePlanName: v.optional(text),
  Description: v.optional(text),
  ApiStages: v.optional(
    v.array(
      v.strictObject({
        ApiId: text,
        Stage: text,
        Throttle: v.optional(v.record(method, throttle), {}),
      }),
    ),
    [],
  ),
  Throttle: v.optional(throttle),
  Quota: v.optional(
    v.pipe(
      v.strictObject({ Limit: count, Offset: v.optional(count, 0), Period: v.picklist(periods) }),
      v.transform(({ Limit, Offset, Period }) => ({ limit: Limit, offset: Offset, period: Period })),
    ),
  ),
  Tags: tags,
});

export const usagePlanKey = v.strictObject({ KeyId: text, KeyType: v.literal("API_KEY"), UsagePlanId: text });
