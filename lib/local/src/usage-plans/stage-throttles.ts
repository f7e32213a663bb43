import type { Throttle } from "./model.ts";
import { accountThrottle } from "./usage-plans.ts";

type MethodSetting = {
  HttpMethod: string;
  ResourcePath: string;
  ThrottlingRateLimit?: number | undefined;
  ThrottlingBurstLimit?: number | undefined;
};

/**
 * What a stage's MethodSettings allow of a method such as `/pets/{id}/GET`. Recorded: what the setting of a method leaves
 * open is as for all methods, and what that leaves open as for the account.
 *
 * @returns undefined for a method that has no limit of its own
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

/** A resource path begins with a slash of its own, and the slashes of the path are written as `~1`. */
function methodOf({ ResourcePath, HttpMethod }: MethodSetting): string {
  const path = ResourcePath.replace(/^\/(?=~1)/, "").replaceAll("~1", "/");
  return `${path}/${HttpMethod}`;
}
