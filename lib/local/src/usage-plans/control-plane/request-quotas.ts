import type { Throttle } from "../model.ts";
import { createTokenBucket } from "../token-bucket.ts";
import { ControlPlaneError } from "./control-plane-error.ts";

/** How many keys an account may have in a Region. AWS does not raise it. */
export const API_KEYS_PER_ACCOUNT = 10_000;

/** How often an account may call the API. AWS raises none of them. */
const total: Throttle = { rateLimit: 10, burstLimit: 40 };
const own: Record<string, Throttle> = {
  CreateApiKey: { rateLimit: 5, burstLimit: 5 },
  DeleteApiKey: { rateLimit: 5, burstLimit: 5 },
  UpdateUsagePlan: { rateLimit: 1 / 20, burstLimit: 1 },
};

/** @returns what counts a call of an operation, and throws ControlPlaneError TooManyRequestsException beyond the quotas */
export function createRequestQuotas(now: () => number): (operation: string) => void {
  const all = createTokenBucket(total, now());
  const byOperation = new Map(
    Object.entries(own).map(([name, throttle]) => [name, createTokenBucket(throttle, now())]),
  );
  return (operation) => {
    const at = now();
    const buckets = [all, byOperation.get(operation)].filter((bucket) => bucket !== undefined);
    const wait = Math.max(...buckets.map((bucket) => bucket.wait(at)));
    if (wait > 0) {
      throw new ControlPlaneError("TooManyRequestsException", "Too Many Requests", Math.ceil(wait / 1000));
    }
    for (const bucket of buckets) bucket.count(at);
  };
}
