import {
  APIGatewayClient,
  type APIGatewayClientConfig,
  LimitExceededException,
  NotFoundException,
  TagResourceCommand,
} from "@aws-sdk/client-api-gateway";
import { timeouts } from "../aws/timeouts.ts";
import { ServiceError } from "../core/service-error.ts";
import type { PlanStage } from "./plan-stages.ts";

/**
 * API Gateway's control plane for plans and keys. Each key and plan of a user has a unique name, recorded in the table
 * before it is created, so every call can be repeated.
 */
export type UsagePlans = {
  client: APIGatewayClient;
  /** A client without retries, for calls that would create a second resource if repeated. */
  once: APIGatewayClient;
  /** Prefix of the names of the service's keys and plans. The account may contain others. */
  prefix: string;
  /** Stages that every plan covers. */
  stages: readonly PlanStage[];
};

/** Reports that the account has reached its limit of keys or of plans in this region. */
export class LimitReached extends ServiceError {
  declare readonly code: "KEY_LIMIT_REACHED" | "PLAN_LIMIT_REACHED";

  constructor(code: LimitReached["code"]) {
    super("The account's limit in this region is reached", { code });
  }
}

/** Allows several seconds for a call to the control plane, because giving up would not undo it. */
const requestTimeout = 10_000;

/**
 * Opens API Gateway's control plane. It accepts only 10 calls a second from a whole account, so the client uses the
 * SDK's adaptive retries.
 */
export function openUsagePlans(
  { prefix, stages }: Pick<UsagePlans, "prefix" | "stages">,
  config: APIGatewayClientConfig = {},
): UsagePlans {
  const common = { requestHandler: { ...timeouts, requestTimeout }, ...config };
  return {
    client: open({ retryMode: "adaptive", maxAttempts: 8, ...common }),
    once: open({ ...common, maxAttempts: 1 }),
    prefix,
    stages,
  };
}

/**
 * Calls for which LimitExceededException means that the account's limit is reached. For other calls, it means that
 * there were too many requests.
 */
const limits: Record<string, LimitReached["code"]> = {
  CreateApiKeyCommand: "KEY_LIMIT_REACHED",
  CreateUsagePlanCommand: "PLAN_LIMIT_REACHED",
};

/**
 * Reports a reached limit of the account as LimitReached. The SDK would mistake it for throttling, and would retry for
 * half a minute.
 */
function open(config: APIGatewayClientConfig): APIGatewayClient {
  const client = new APIGatewayClient(config);
  client.middlewareStack.add(
    (next, { commandName = "" }) =>
      async (args) => {
        try {
          return await next(args);
        } catch (error) {
          const limit = error instanceof LimitExceededException ? limits[commandName] : undefined;
          throw limit === undefined ? error : new LimitReached(limit);
        }
      },
    // Runs inside the retries, but outside the middleware that turns answers into errors.
    { name: "limitReached", step: "deserialize", priority: "high" },
  );
  return client;
}

/** Tag of the service's keys and plans. Functions may change and delete only tagged ones. */
export const planTag = "plan-prefix";

export const tagsOf = ({ prefix }: Pick<UsagePlans, "prefix">) => ({ [planTag]: prefix });

/** True if a key or a plan has the service's tag. All are created with the tag, but operators can remove it by hand. */
export const isTagged = ({ prefix }: UsagePlans, tags: Record<string, string> = {}): boolean =>
  tags[planTag] === prefix;

/** Adds the tag to a key or a plan, if it still exists. */
export async function addTag(plans: UsagePlans, kind: "apikeys" | "usageplans", id: string): Promise<void> {
  const region = await plans.client.config.region();
  const resourceArn = `arn:${partitionOf(region)}:apigateway:${region}::/${kind}/${id}`;
  await unlessGone(plans.client.send(new TagResourceCommand({ resourceArn, tags: tagsOf(plans) })));
}

const partitionOf = (region: string) =>
  region.startsWith("cn-") ? "aws-cn" : region.startsWith("us-gov-") ? "aws-us-gov" : "aws";

/** Runs a call, and returns undefined if its key or plan does not exist. */
export async function unlessGone<Output>(call: Promise<Output>): Promise<Output | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof NotFoundException) return undefined;
    throw error;
  }
}

/** Requires an id, which is optional in the SDK's types although API Gateway always returns it. */
export function given(id: string | undefined): string {
  if (id === undefined) throw new Error("API Gateway returned no id");
  return id;
}
