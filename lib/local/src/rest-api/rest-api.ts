import { randomUUID } from "node:crypto";
import { onlyApi } from "../cloudformation/apis.ts";
import { type ResolvedResource, reading } from "../cloudformation/resource.ts";
import type { Resources } from "../cloudformation/resources.ts";
import {
  type GatewayRequest,
  type GatewayResponse,
  type Handle,
  headerValues,
  json,
  type Pair,
} from "../http/messages.ts";
import { createRouteMatcher, isWellFormed } from "../http/paths.ts";
import type { Invoke } from "../lambda/invoke.ts";
import type { UsagePlans } from "../usage-plans/usage-plans.ts";
import { authorize } from "./authorizer.ts";
import { type Call, openCall } from "./call.ts";
import { type ApiResource, type Method, readDefinition } from "./definition.ts";
import type { FunctionPort } from "./function-port.ts";
import { GatewayFailure } from "./gateway-failure.ts";
import { gatewayResponse } from "./gateway-response.ts";
import { integrate } from "./integrate.ts";

export type RestApi = {
  /** Answers a request. Rejects only for a fault of the emulation itself. */
  handle(request: GatewayRequest): Promise<GatewayResponse>;
};

export type RestApiOptions = FunctionPort & {
  /** The AWS::ApiGateway::RestApi. */
  api: ResolvedResource;
  /** Everything that belongs to it. Resources of other APIs and other services may be among them. */
  resources: readonly ResolvedResource[];
  /** Those of all APIs. */
  usagePlans: UsagePlans;
  now?: () => Date;
  /** Makes a UUID. */
  newId?: () => string;
  /** Hears the reason of an answer that does not tell it. Nothing that a caller has sent is in it but the method. */
  report?: (line: string) => void;
};

/**
 * A Regional REST API, as its CloudFormation resources describe it. Its base URL has no stage in the path.
 *
 * @throws Error that names the resource and what of it is not emulated
 */
export function createRestApi({
  api,
  resources,
  usagePlans,
  now = () => new Date(),
  newId = randomUUID,
  report = () => {},
  ...functions
}: RestApiOptions): RestApi {
  const definition = readDefinition(api, resources);
  const match = reading(api, () => createRouteMatcher(definition.resources));

  const find = ({ request, target }: Call) => {
    if (!isWellFormed(request.target)) throw new GatewayFailure("DEFAULT_4XX");
    const found = match(target.path);
    const method = found && methodOf(found.resource, request.method);
    if (!method) throw new GatewayFailure("MISSING_AUTHENTICATION_TOKEN");
    return { ...found, method };
  };

  return {
    async handle(request) {
      // It grows on the way, because a gateway response can tell whatever is known by the time it is made.
      let call = openCall(request, definition, now(), newId);
      try {
        const { resource, pathParameters, method } = find(call);
        const place = { resourceId: resource.id, resourcePath: resource.path };
        call = { ...call, pathParameters, context: { ...call.context, ...place } };

        const keySource = method.apiKeyRequired ? definition.apiKeySource : undefined;
        let apiKey = keySource === "HEADER" ? headerValues(request.headers, "x-api-key").at(-1) : undefined;
        call = withApiKey(call, apiKey, usagePlans);

        if (method.authorizer) {
          const found = await authorize(call, method.authorizer, definition, functions, now);
          call = { ...call, context: { ...call.context, authorizer: found.context } };
          if (found.refusal) throw found.refusal;
          if (keySource === "AUTHORIZER") {
            apiKey = found.usageIdentifierKey;
            call = withApiKey(call, apiKey, usagePlans);
          }
        }
        // Documented of its execution log: API Gateway verifies the usage plan after the authorizer.
        checkUsage(call, method, apiKey, usagePlans);

        const response = await integrate(call, method.integration, definition, functions);
        // Recorded: the answers of a mock and of API Gateway itself come without a trace id.
        const isTraced = method.integration.type !== "MOCK";
        return withHeaders(response, [...idHeaders(call), ...(isTraced ? [traceHeader(call)] : [])]);
      } catch (error) {
        if (!(error instanceof GatewayFailure)) throw error;
        if (error.reason) report(`${request.method} ${call.context.resourcePath}: ${error.reason}`);
        const { gatewayResponses, stage } = definition;
        return withHeaders(gatewayResponse(error, call, gatewayResponses, stage.variables), idHeaders(call));
      }
    },
  };
}

const methodsOfAny = new Set(["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"]);

function methodOf({ methods }: ApiResource, httpMethod: string): Method | undefined {
  return methods.get(httpMethod) ?? (methodsOfAny.has(httpMethod) ? methods.get("ANY") : undefined);
}

function idHeaders({ context }: Call): Pair[] {
  return [
    ["x-amzn-RequestId", context.requestId],
    ["x-amz-apigw-id", context.extendedRequestId],
  ];
}

function traceHeader({ traceId }: Call): Pair {
  return ["X-Amzn-Trace-Id", traceId];
}

function withHeaders(response: GatewayResponse, headers: readonly Pair[]): GatewayResponse {
  return { ...response, headers: [...response.headers, ...headers] };
}

/**
 * The REST API of the stacks. Without one, nothing is found.
 * @throws StartupError when there are several, or something of it is not emulated
 */
export function openRestApi(
  resources: Resources,
  invoke: Invoke,
  usagePlans: UsagePlans,
  report: (line: string) => void,
): Handle {
  const several = "There is more than one REST API, and one base URL for them.";
  const api = onlyApi(resources, "AWS::ApiGateway::RestApi", several);
  if (api === undefined) return async () => json(404, { message: "There is no REST API" });
  return createRestApi({ ...api, invoke, usagePlans, report }).handle;
}

/**
 * Counts a call against whatever limits it.
 *
 * @param apiKey the value of the caller's key, if any
 * @throws GatewayFailure INVALID_API_KEY, THROTTLED or QUOTA_EXCEEDED
 */
export function checkUsage(
  { context }: Call,
  { name, apiKeyRequired, throttle }: Method,
  apiKey: string | undefined,
  usagePlans: UsagePlans,
): void {
  const admission = usagePlans.admit({
    apiId: context.apiId,
    stage: context.stage,
    method: name,
    ...(apiKeyRequired && { apiKey: { value: apiKey } }),
    throttle,
  });
  if (admission.admitted) return;
  throw new GatewayFailure(admission.refusal, "reason" in admission ? { reason: admission.reason } : {});
}

/** The call with the key in its context, value and id, as an authorizer and a function get it. */
export function withApiKey(call: Call, apiKey: string | undefined, usagePlans: UsagePlans): Call {
  const apiKeyId = apiKey && usagePlans.identify(apiKey);
  if (!apiKey || !apiKeyId) return call;
  const identity = { ...call.context.identity, apiKey, apiKeyId };
  return { ...call, context: { ...call.context, identity } };
}
