import { restMethods } from "../../operations/operations.ts";
import { fallbackMethodThrottles, methodThrottlesOf } from "../../plans/method-throttles.ts";
import { requestsPerMinute, throttleOf } from "../../plans/plan.ts";
import { table } from "./sums.ts";

const standard = { requestsPerMinute: requestsPerMinute.Standard };
const pro = { requestsPerMinute: requestsPerMinute.Pro };

const plans = [
  methodThrottlesOf(standard),
  methodThrottlesOf(pro),
  fallbackMethodThrottles(throttleOf(standard)),
];

/** Lists the methods with limits of their own for docs/plans.md: how many requests a second, and how many at once. */
export const methodLimits = (): string =>
  table(
    ["Method", "Operation", "Standard", "Pro", "A fallback key"],
    restMethods.flatMap(({ name, method, path }) => {
      const limits = plans.flatMap((throttles) => throttles[`${path}/${method}`] ?? []);
      if (limits.length === 0) return [];
      const cells = limits.map(({ rateLimit, burstLimit }) => `${Math.round(rateLimit)}, ${burstLimit}`);
      return [[`\`${method} ${path}\``, `\`${name}\``, ...cells]];
    }),
  );
