import type { Throttle } from "./model.ts";
import { accountThrottle } from "./usage-plans.ts";

type MethodSetting = {
  HttpMethod: string;
  ResourcePath: string;
  ThrottlingRateLimit?: number | undefined;
  ThrottlingBurstLimit?: number | undefined;
};

/**
 * Reads the throttles in a stage's MethodSettings. Recorded: a limit that the setting of a method leaves out is that of
 * the setting for all methods, and without that the account's.
 *
 * @returns a lookup by method, e.g. `/pets/{id}/GET`, which gives undefined for a method without a limit
 */
export function readStageThrottles(
  settings: readonly MethodSetting[],
): (method: string) => Throttle | undefined {
  const last = (wanted: string, limit: "ThrottlingRateLimit" | "ThrottlingBurstLimit") =>
    settings.findLast((setting) => setting[limit] !== undefined && methodOf(setting) === wanted)?.[limit];

  return (method) => {
    const rateLimit = last(method, "ThrottlingRateLimit") ?? last(ALL, "ThrottlingRateLimit");
    const burstLimit = last(method, "ThrottlingBurstLimit") ?? last(ALL, "ThrottlingBurstLimit");
    if (rateLimit === undefined && burstLimit === undefined) return undefined;
    return {
      rateLimit: rateLimit ?? accountThrottle.rateLimit,
      burstLimit: burstLimit ?? accountThrottle.burstLimit,
    };
  };
}

const ALL = "/*/*";

/** In a setting, a resource path has one more slash in front, and the slashes of the path itself are `~1`. */
function methodOf({ ResourcePath, HttpMethod }: MethodSetting): string {
  const path = ResourcePath.replace(/^\/(?=~1)/, "").replaceAll("~1", "/");
  return `${path}/${HttpMethod}`;
}
