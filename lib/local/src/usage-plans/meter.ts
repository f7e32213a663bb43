import { stageName, type Throttle, type UsagePlan } from "./model.ts";
import { createQuotaCounter, type QuotaCounter } from "./quota-counter.ts";
import { createTokenBucket, type Limit, type TokenBucket } from "./token-bucket.ts";

/** What one key has used of one plan. */
export type Meter = {
  /** What a request counts against, in the order in which API Gateway looks: the method, the plan, the quota. */
  limits(apiId: string, stage: string, method: string): Limit[];
  /** Goes on with changed limits, and with what is used up. */
  adjust(plan: UsagePlan, now: number): void;
};

/**
 * The plan's throttle and quota hold for the key's requests to all stages of the plan together, as API Gateway documents
 * it; a method's throttle holds for that method of that stage alone.
 */
export function createMeter(plan: UsagePlan, now: number): Meter {
  let overall: TokenBucket | undefined;
  let quota: QuotaCounter | undefined;
  let methods = new Map<string, TokenBucket>();

  function adjust({ throttle, apiStages, quota: allowed, createdDate }: UsagePlan, now: number): void {
    overall = throttle && bucketWith(overall, throttle, now);
    methods = new Map(
      apiStages.flatMap((stage) =>
        Object.entries(stage.throttle ?? {}).map(([method, limit]) => {
          const name = `${stageName(stage)} ${method}`;
          return [name, bucketWith(methods.get(name), limit, now)] as const;
        }),
      ),
    );
    if (allowed === undefined) quota = undefined;
    else if (quota === undefined) quota = createQuotaCounter(allowed, createdDate);
    else quota.adjust(allowed);
  }

  adjust(plan, now);
  return {
    limits: (apiId, stage, method) =>
      [methods.get(`${stageName({ apiId, stage })} ${method}`), overall, quota].filter(
        (limit) => limit !== undefined,
      ),
    adjust,
  };
}

function bucketWith(bucket: TokenBucket | undefined, throttle: Throttle, now: number): TokenBucket {
  if (bucket === undefined) return createTokenBucket(throttle, now);
  bucket.adjust(throttle, now);
  return bucket;
}
