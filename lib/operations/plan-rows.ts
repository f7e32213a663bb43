import type { Row } from "./types.ts";

/** Calls that find or create a user's key, find the plan, and put the key on the plan. */
const keyCalls = ["CreateApiKey", "GetApiKeys"] as const;
const planCalls = ["CreateUsagePlan", "GetUsagePlan", "GetUsagePlans", "UpdateUsagePlan"] as const;
const placeCalls = ["CreateUsagePlanKey", "GetUsagePlanKey"] as const;

const planEnv = [
  "STANDARD_PLAN_ID",
  "PRO_PLAN_ID",
  "PLAN_PREFIX",
  "PLAN_STAGES",
  "KEY_GRACE_SECONDS",
] as const;

export const planRows = {
  mirrorPlans: {
    kind: "changes",
    changes: "profiles",
    summary: "Give each active user an API key on the usage plan of their tier",
    table: ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:DeleteItem"],
    writes: ["USERKEY", "RETIREDKEYS"],
    deletes: ["USERKEY"],
    plans: [...keyCalls, ...planCalls, ...placeCalls],
    env: planEnv,
    timeoutSeconds: 300,
    impact: "New users, and users whose tier has changed, share the rate limits of fallback keys.",
  },
  deleteRetiredKeys: {
    kind: "schedule",
    everyMinutes: 5,
    summary: "Delete retired API keys, and plans that customers have left",
    // Needs the rights and variables of mirrorPlans, because once keys are free, this row creates the key of a user for
    // whom there was no room before.
    table: ["dynamodb:GetItem", "dynamodb:Query", "dynamodb:PutItem", "dynamodb:DeleteItem"],
    writes: ["USERKEY", "RETIREDKEYS"],
    deletes: ["USERKEY", "RETIREDKEYS"],
    plans: [...keyCalls, "DeleteApiKey", ...planCalls, "DeleteUsagePlan", ...placeCalls],
    env: planEnv,
    // Ends before the next run starts, so that runs do not overlap. The next run continues where this one stopped.
    timeoutSeconds: 240,
    impact:
      "Users notice nothing until the account's 10,000 API keys are used up. Then new users share the rate limits of fallback keys.",
  },
  freeIdleKeys: {
    kind: "schedule",
    everyMinutes: 1440,
    summary: "Retire the API keys of users who have been away for 30 days, or never returned",
    table: ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:DeleteItem", "dynamodb:ConditionCheckItem"],
    writes: ["USERKEY", "RETIREDKEYS"],
    deletes: ["USERKEY"],
    plans: ["GetApiKeys"],
    env: ["PLAN_PREFIX", "PLAN_STAGES"],
    timeoutSeconds: 900,
    impact:
      "Users notice nothing until the account's 10,000 API keys are used up. Then new users share the rate limits of fallback keys.",
  },
  makeFallbackKeys: {
    kind: "schedule",
    everyMinutes: 5,
    summary: "Make the API keys that are shared by users without one of their own",
    table: ["dynamodb:GetItem", "dynamodb:PutItem"],
    writes: ["FALLBACKKEYS"],
    plans: [...keyCalls, "DeleteApiKey", ...placeCalls, "GetUsagePlanKeys"],
    keysOf: "fallback",
    env: [
      "SHARED_KEY",
      "FALLBACK_KEYS",
      "FALLBACK_PREFIX",
      "FALLBACK_PLAN_ID",
      "STANDARD_PLAN_ID",
      "PLAN_STAGES",
      "KEY_GRACE_SECONDS",
    ],
    // Ends before the next run starts, so that runs do not overlap. The next run continues where this one stopped.
    timeoutSeconds: 240,
    impact:
      "Users notice nothing once the fallback keys exist. Until then, all users without an API key share one rate limit.",
  },
} as const satisfies Record<string, Row>;
