import { expect, it } from "vitest";
import { methodThrottlesOf } from "../../../lib/plans/method-throttles.ts";
import { methodLimits } from "../../../lib/tools/documents/method-limits.ts";

it("lists each method with a limit of its own, with the limits of both tiers and of fallback keys", () => {
  const [, , ...rows] = methodLimits().split("\n");
  const listed = rows.map((row) => row.replace(/^\| `(\w+) (\S+)`.*$/, "$2/$1"));
  const limited = Object.keys(methodThrottlesOf({ requestsPerMinute: 1000 }));
  expect(listed.toSorted()).toEqual(limited.filter((method) => !method.endsWith("/HEAD")).toSorted());
  expect(rows).toContain("| `POST /api/v2/quotes` | `quoteOrder` | 5, 100 | 25, 500 | 10, 200 |");
});
