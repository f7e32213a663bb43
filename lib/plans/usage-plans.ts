import {
  APIGatewayClient,
  type APIGatewayClientConfig,
  LimitExceededException,
  NotFoundException,
  TagResourceCommand,
} from "@aws-sdk/client-api-gateway";
import { timeouts } from "../aws/timeouts.ts";
import type { PlanStage } from "./plan-stages.ts";

/**
 * API Gateway's control plane for plans and keys. Each key and plan of a user has a unique name, recorded in the table
 * before it is created, so every call can be repeated.
 */
export type UsagePlans = {
  client: APIGatewayClient;
  /** Does not retry. For calls that would create a second resource. */
  once: APIGatewayClient;
  /** Begins the names of our users' keys and plans. The account may have others. */
  prefix: string;
  /** The stages that every plan covers. */
  stages: readonly PlanStage[];
};

/** The account's limit of keys, or of plans, in this region is reached. */
export class LimitReached extends Error {
  override readonly name: "KeyLimitReached" | "PlanLimitReached";

  constructor(name: LimitReached["name"]) {
    super("The account's limit in this region is reached");
    this.name = name;
  }
}

/** Some calls of the control plane take several seconds, and to give one up does not undo it. */
const requestTimeout = 10_000;

/** The control plane takes 10 calls a second from a whole account, hence the SDK's adaptive retries. */
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

/** The calls for which LimitExceededException is the account's limit. For others it means too many calls. */
const limits: Record<string, LimitReached["name"]> = {
  CreateApiKeyCommand: "KeyLimitReached",
  CreateUsagePlanCommand: "PlanLimitReached",
};

/** Turns an account's limit into LimitReached. The SDK takes it for throttling, and would retry for half a minute. */
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
    // Between the retries and the middleware that turns answers into errors.
    { name: "limitReached", step: "deserialize", priority: "high" },
  );
  return client;
}

/** Marks a key or a plan as one of ours. Functions may change and delete only what has this tag. */
export const planTag = "plan-prefix";

/** The tags of everything that is created. */
export const tagsOf = ({ prefix }: Pick<UsagePlans, "prefix">) => ({ [planTag]: prefix });

/** What is created here has the tag from its first moment. Operators can remove it by hand. */
export const isTagged = ({ prefix }: UsagePlans, tags: Record<string, string> = {}): boolean =>
  tags[planTag] === prefix;

/** Adds the tag to a key or a plan, unless that is gone. */
export async function addTag(plans: UsagePlans, kind: "apikeys" | "usageplans", id: string): Promise<void> {
  const region = await plans.client.config.region();
  const resourceArn = `arn:${partitionOf(region)}:apigateway:${region}::/${kind}/${id}`;
  await unlessGone(plans.client.send(new TagResourceCommand({ resourceArn, tags: tagsOf(plans) })));
}

const partitionOf = (region: string) =>
  region.startsWith("cn-") ? "aws-cn" : region.startsWith("us-gov-") ? "aws-us-gov" : "aws";

/** Returns undefined if the subject of the call does not exist. */
export async function unlessGone<Output>(call: Promise<Output>): Promise<Output | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof NotFoundException) return undefined;
    throw error;
  }
}

/** Optional in the SDK's types, but API Gateway always returns it. */
export function given(id: string | undefined): string {
  if (id === undefined) throw new Error("API Gateway returned no id");
  return id;
}
