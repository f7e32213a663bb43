import {
  APIGatewayClient,
  type APIGatewayClientConfig,
  LimitExceededException,
  NotFoundException,
} from "@aws-sdk/client-api-gateway";
import type { PlanStage } from "./plan-stages.ts";
import { timeouts } from "./timeouts.ts";

/**
 * The plans and keys of API Gateway, which its control plane holds. What is made for a user goes by a name that is noted
 * in the table before, and that no other has; so every call can be repeated.
 */
export type UsagePlans = {
  client: APIGatewayClient;
  /** Repeats no call by itself: for what would be made a second time. */
  once: APIGatewayClient;
  /** What the names of our users' keys and plans begin with; the account may have others. */
  prefix: string;
  /** All that a plan covers. */
  stages: readonly PlanStage[];
};

/** There can be no more keys, or plans, in this account and region. */
export class LimitReached extends Error {
  override readonly name: "KeyLimitReached" | "PlanLimitReached";

  constructor(name: LimitReached["name"]) {
    super("The account can have no more in this region");
    this.name = name;
  }
}

/** The control plane takes 10 calls a second from a whole account, so the SDK slows down as it is told to. */
export function openUsagePlans(
  { prefix, stages }: Pick<UsagePlans, "prefix" | "stages">,
  config: APIGatewayClientConfig = {},
): UsagePlans {
  const common = { requestHandler: timeouts, ...config };
  return {
    client: open({ retryMode: "adaptive", maxAttempts: 8, ...common }),
    once: open({ ...common, maxAttempts: 1 }),
    prefix,
    stages,
  };
}

/** The calls that meet the limit of an account. To others the same exception says that they come too fast. */
const limits: Record<string, LimitReached["name"]> = {
  CreateApiKeyCommand: "KeyLimitReached",
  CreateUsagePlanCommand: "PlanLimitReached",
};

/** The SDK takes a limit of an account for one of the moment, and would try again for half a minute. */
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
    // Between the retries and the one that makes errors of answers.
    { name: "limitReached", step: "deserialize", priority: "high" },
  );
  return client;
}

/** @returns undefined when what the call is about is not there. */
export async function unlessGone<Output>(call: Promise<Output>): Promise<Output | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof NotFoundException) return undefined;
    throw error;
  }
}

/** The SDK's types leave open what API Gateway always gives. */
export function given(id: string | undefined): string {
  if (id === undefined) throw new Error("API Gateway gave no id");
  return id;
}
