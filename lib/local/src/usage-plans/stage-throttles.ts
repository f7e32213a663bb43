import type { Throttle } from "./model.ts";
import { accountThrottle } from "./usage-plans.ts";

type MethodSetting = {
  HttpMethod: string;
  ResourcePath: string;
  ThrottlingRateLimit?: number | undefined;
  ThrottlingBurstLimit?: number | undefined;
};

/**
 * Reads the throttles in a stage's MethodSettings. Recorded: if a method's setting leaves out a limit, the setting for
 * all methods applies, and without that the account's limit.
 *
 * @returns a lookup by method, e.g. `/pets/{id}/GET`. Undefined for a method without a limit
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

/**
 * Formats a setting's method. Settings prefix a resource path with one more slash and write the path's own slashes as
 * `~1`.
 */
function methodOf({ ResourcePath, HttpMethod }: MethodSetting): string {
  const path = ResourcePath.replace(/^\/(?=~1)/, "").replaceAll("~1", "/");
  return `${path}/${HttpMethod}`;
}
