import {
  APIGatewayClient,
  type APIGatewayClientConfig,
  LimitExceededException,
  NotFoundException,
} from "@aws-sdk/client-api-gateway";
import { timeouts } from "./timeouts.ts";

/** A stage of an API, which plans cover. */
export type PlanStage = { apiId?: string | undefined; stage?: string | undefined };

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

/** The SDK takes a limit of an account for one of the moment, and would try again for half a minute. */
function open(config: APIGatewayClientConfig): APIGatewayClient {
  const client = new APIGatewayClient(config);
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        try {
          return await next(args);
        } catch (error) {
          if (!(error instanceof LimitExceededException)) throw error;
          throw new LimitReached(
            commandName === "CreateApiKeyCommand" ? "KeyLimitReached" : "PlanLimitReached",
          );
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

/** A stage as patches of plans write it. */
export const stageName = ({ apiId, stage }: PlanStage): string => `${apiId}:${stage}`;

/** Stages as one text, to compare by. */
export const coverageOf = (stages: readonly PlanStage[]): string =>
  stages.map(stageName).toSorted().join(" ");

/** Whose a key or a plan is, by its name: `userID/random`. */
export const ownerOf = (name: string): string => name.slice(0, name.lastIndexOf("/"));
