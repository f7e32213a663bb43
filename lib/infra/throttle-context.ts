import * as v from "valibot";
import { json } from "./context-values.ts";
import {
  defaultThrottles,
  guardNames,
  stagesShare,
  type Throttles,
  throttledNames,
  totalRate,
} from "./throttles.ts";

const Throttled = v.picklist(
  throttledNames,
  ({ received }) => `is neither a method nor a route: ${received}. They are ${throttledNames.join(", ")}`,
);

const Limit = v.pipe(
  v.number("must be a number"),
  v.integer("must be a whole number"),
  v.minValue(1, "must be at least 1"),
);

const ThrottleSchema = v.strictObject(
  { rateLimit: Limit, burstLimit: Limit },
  "must be an object of rateLimit (a second) and burstLimit",
);

/** Keys of the context about throttles for all callers together. */
export const throttleContext = {
  throttles: v.optional(
    json(v.record(Throttled, ThrottleSchema, "must be an object of methods and routes")),
    {},
  ),
};

type Context = { accountRequestsPerSecond: number; throttles: Partial<Throttles> };

/** Finds what is wrong with the throttles: a total that is too high, or a guard that is limited. */
export function throttleProblems({ accountRequestsPerSecond: account, throttles }: Context): string[] {
  const total = totalRate({ ...defaultThrottles(account), ...throttles });
  const most = stagesShare * account;
  const tooMuch = `throttles add up to ${total} requests a second; at most ${most} of accountRequestsPerSecond are allowed, so that pushes have the rest`;
  const limited = [...guardNames].filter((name) => (throttles[name]?.rateLimit ?? account) < account);
  return [
    ...(total > most ? [tooMuch] : []),
    ...limited.map(
      (name) =>
        `throttles.${name}.rateLimit must be at least ${account}: owners stop a thief with it, so no crowd of accounts may use it up`,
    ),
  ];
}
