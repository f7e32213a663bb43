import * as v from "valibot";
import { periods, stageName } from "../model.ts";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** A throttle that may still lack a part, which a patch can give. */
const throttle = v.strictObject({
  rateLimit: v.pipe(v.number(), v.finite(), v.minValue(0)),
  burstLimit: count,
});

/** What can be changed of a plan, once it is complete. */
export const planSettings = {
  name: v.pipe(v.string(), v.minLength(1)),
  description: v.optional(v.string()),
  productCode: v.optional(v.string()),
  apiStages: v.pipe(
    v.optional(
      v.array(
        v.strictObject({
          apiId: v.string(),
          stage: v.string(),
          throttle: v.optional(v.record(v.string(), throttle)),
        }),
      ),
      [],
    ),
    v.check(
      (stages) => new Set(stages.map(stageName)).size === stages.length,
      "An API Stage can be in a Usage Plan only once",
    ),
  ),
  throttle: v.optional(throttle),
  quota: v.optional(
    v.strictObject({ limit: count, offset: v.optional(count, 0), period: v.picklist(periods) }),
  ),
};

const completePlan = v.object(planSettings);
export type PlanSettings = v.InferOutput<typeof completePlan>;
