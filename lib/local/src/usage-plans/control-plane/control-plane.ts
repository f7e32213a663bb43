import { type GatewayRequest, type GatewayResponse, json, type Route } from "../../http/messages.ts";
import { createRouteMatcher, readTarget } from "../../http/paths.ts";
import type { Throttle } from "../model.ts";
import { createTokenBucket } from "../token-bucket.ts";
import { apiKeyOperations } from "./key-operations.ts";
import { badRequest, type Context, ControlPlaneError, type Operation } from "./operation.ts";
import { usagePlanKeyOperations } from "./plan-key-operations.ts";
import { usagePlanOperations } from "./plan-operations.ts";
import { tagOperations } from "./tag-operations.ts";

export type ControlPlaneOptions = Pick<Context, "state" | "stages"> & {
  now?: () => number;
  /** True if the account's request quotas apply. */
  throttled?: boolean;
  /** Quota of keys. On AWS it is API_KEYS_PER_ACCOUNT. */
  maxKeys?: number;
};

/**
 * Serves API Gateway's control plane for keys, plans and their tags, as the SDK's `APIGatewayClient` calls it. A change
 * applies to the next request; on AWS it takes a while.
 */
export function createControlPlane({
  state,
  stages,
  now = Date.now,
  throttled = false,
  maxKeys = Number.POSITIVE_INFINITY,
}: ControlPlaneOptions): Route {
  const context = { state, stages, now, maxKeys };
  const operations = {
    ...apiKeyOperations(context),
    ...usagePlanOperations(context),
    ...usagePlanKeyOperations(context),
    ...tagOperations(context),
  };
  const count = throttled ? createRequestQuotas(now) : () => {};

  return (request) => {
    const { path, query } = readTarget(request.target);
    const found = match(path);
    const name = found?.resource.methods[request.method];
    if (found === undefined || name === undefined) return undefined;
    return answer(operations[name], () => {
      count(name);
      return {
        ...readBody(request),
        ...query.single,
        ...decoded(found.pathParameters),
      };
    });
  };
}

type OperationName = keyof (ReturnType<typeof apiKeyOperations> &
  ReturnType<typeof usagePlanOperations> &
  ReturnType<typeof usagePlanKeyOperations> &
  ReturnType<typeof tagOperations>);

const resource = (path: string, methods: Record<string, OperationName>) => ({ path, methods });

const match = createRouteMatcher([
  resource("/apikeys", { POST: "CreateApiKey", GET: "GetApiKeys" }),
  resource("/apikeys/{apiKey}", { DELETE: "DeleteApiKey" }),
  resource("/usageplans", { POST: "CreateUsagePlan", GET: "GetUsagePlans" }),
  resource("/usageplans/{usagePlanId}", {
    GET: "GetUsagePlan",
    PATCH: "UpdateUsagePlan",
    DELETE: "DeleteUsagePlan",
  }),
  resource("/usageplans/{usagePlanId}/keys", { POST: "CreateUsagePlanKey", GET: "GetUsagePlanKeys" }),
  resource("/usageplans/{usagePlanId}/keys/{keyId}", { GET: "GetUsagePlanKey" }),
  resource("/tags/{resourceArn}", { PUT: "TagResource" }),
]);

async function answer(
  { status, run }: Operation,
  read: () => Record<string, unknown>,
): Promise<GatewayResponse> {
  try {
    const body = run(read());
    return body ? json(status, body) : { status, headers: [], body: Buffer.alloc(0) };
  } catch (error) {
    if (!(error instanceof ControlPlaneError)) throw error;
    const { name, message, retryAfterSeconds } = error;
    return json(
      error.status,
      { message },
      ["x-amzn-ErrorType", name],
      ...(retryAfterSeconds === undefined ? [] : [["Retry-After", String(retryAfterSeconds)] as const]),
    );
  }
}

function readBody({ body }: GatewayRequest): object {
  if (body.length === 0) return {};
  try {
    const parsed: unknown = JSON.parse(body.toString("utf8"));
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return parsed;
  } catch {
    // Text that is not JSON is refused below, like JSON that is not an object.
  }
  throw badRequest("Invalid request body specified");
}

function decoded(pathParameters: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(pathParameters).map(([name, value]) => [name, decodeURIComponent(value)]),
  );
}

/** Quota of keys per account and Region. AWS does not raise it. */
export const API_KEYS_PER_ACCOUNT = 10_000;

/** Quotas of calls for the account and for single operations. AWS raises none of them. */
const totalQuota: Throttle = { rateLimit: 10, burstLimit: 40 };
const operationQuotas: Record<string, Throttle> = {
  CreateApiKey: { rateLimit: 5, burstLimit: 5 },
  DeleteApiKey: { rateLimit: 5, burstLimit: 5 },
  UpdateUsagePlan: { rateLimit: 1 / 20, burstLimit: 1 },
};

/** @returns a function that counts a call, and throws a ControlPlaneError TooManyRequestsException beyond a quota */
function createRequestQuotas(now: () => number): (operation: string) => void {
  const all = createTokenBucket(totalQuota, now());
  const byOperation = new Map(
    Object.entries(operationQuotas).map(([name, throttle]) => [name, createTokenBucket(throttle, now())]),
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
