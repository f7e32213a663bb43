import { randomUUID } from "node:crypto";
import { type ApiPlace, onlyApi } from "../cloudformation/apis.ts";
import { type ResolvedResource, reading } from "../cloudformation/resource.ts";
import type { Resources } from "../cloudformation/resources.ts";
import { type GatewayRequest, type GatewayResponse, header, json, type Pair } from "../http/messages.ts";
import { createRouteMatcher, isWellFormed } from "../http/paths.ts";
import type { Invoke } from "../lambda/invoke.ts";
import type { UsagePlans } from "../usage-plans/usage-plans.ts";
import { authorize } from "./authorizer.ts";
import { type Call, openCall } from "./call.ts";
import { compressed } from "./compression.ts";
import { type ApiResource, type Method, readDefinition } from "./definition.ts";
import type { FunctionPort } from "./function-port.ts";
import { GatewayFailure } from "./gateway-failure.ts";
import { gatewayResponse } from "./gateway-response.ts";
import { integrate } from "./integrate.ts";

export type RestApi = {
  /** Address of the API on AWS. Undefined without an API. */
  place: ApiPlace | undefined;
  /** Answers a request. Rejects only if the emulation itself fails. */
  handle: (request: GatewayRequest) => Promise<GatewayResponse>;
};

export type RestApiOptions = FunctionPort & {
  api: ResolvedResource;
  /** All parts of the API. Resources of other APIs and services are ignored. */
  resources: readonly ResolvedResource[];
  /** Usage plans, shared by all APIs. */
  usagePlans: UsagePlans;
  now?: () => Date;
  newId?: () => string;
  /** Called with reasons that the answer hides. The line repeats only the request's method. */
  report?: (line: string) => void;
};

/**
 * Opens the REST API of the stacks. Without one, every answer is a 404.
 *
 * @throws {StartupError} if there are several, or a part of one is not emulated
 */
export function openRestApi(
  resources: Resources,
  invoke: Invoke,
  usagePlans: UsagePlans,
  report: (line: string) => void,
): RestApi {
  const several = "There are several REST APIs, but only one base URL.";
  const api = onlyApi(resources, "AWS::ApiGateway::RestApi", several);
  if (api) return createRestApi({ ...api, invoke, usagePlans, report });
  return { place: undefined, handle: async () => json(404, { message: "There is no REST API" }) };
}

/**
 * Creates a Regional REST API from its CloudFormation resources. Its base URL has no stage in the path.
 *
 * @throws {StartupError} if something is not emulated; the message names the resource and the property
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
    if (!method) throw noMethod(request);
    return { ...found, method };
  };

  return {
    place: { apiId: definition.apiId, stage: definition.stage.name },
    async handle(request) {
      // Each step adds to the call, so that a gateway response shows everything known up to the failure.
      let call = openCall(request, definition, now(), newId);
      try {
        const { resource, pathParameters, method } = find(call);
        const place = { resourceId: resource.id, resourcePath: resource.path };
        call = { ...call, pathParameters, context: { ...call.context, ...place } };

        let apiKey: string | undefined;
        if (method.authorizer) {
          const found = await authorize(call, method.authorizer, definition, functions, now);
          call = { ...call, context: { ...call.context, authorizer: found.context } };
          if (found.refusal) throw found.refusal;
          apiKey = method.apiKeyRequired ? found.usageIdentifierKey : undefined;
          call = withApiKey(call, apiKey, usagePlans);
        }
        // Checks the usage plan after the authorizer, as documented for execution logs.
        checkUsage(call, method, apiKey, usagePlans);

        const response = await integrate(call, method.integration, definition, functions);
        // Recorded: answers of mocks and of API Gateway itself have no trace id.
        const isTraced = method.integration.type !== "MOCK";
        const headers = [...idHeaders(call), ...(isTraced ? [traceHeader(call)] : [])];
        return withHeaders(compressed(response, request, definition.minimumCompressionSize), headers);
      } catch (error) {
        if (!(error instanceof GatewayFailure)) throw error;
        if (error.reason) report(`${request.method} ${call.context.resourcePath}: ${error.reason}`);
        return withHeaders(gatewayResponse(error, call, definition.gatewayResponses), idHeaders(call));
      }
    },
  };
}

/**
 * Refuses a request that no method matches. API Gateway then mistakes an Authorization header for an AWS signature and
 * repeats it in its message. Users of AWS report this for bearer tokens; the type of the response is the documented one
 * for signatures.
 */
function noMethod(request: GatewayRequest): GatewayFailure {
  const authorization = header(request, "authorization");
  if (!authorization) return new GatewayFailure("MISSING_AUTHENTICATION_TOKEN");
  const token = authorization.replace(/^\S+\s+/, "");
  const clientMessage = token.includes("=")
    ? `Authorization header requires 'Credential' parameter. Authorization=${authorization}`
    : `'${token}' not a valid key=value pair (missing equal-sign) in Authorization header: '${authorization}'.`;
  return new GatewayFailure("INVALID_SIGNATURE", { clientMessage });
}

const methodsOfAny = new Set(["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"]);

function methodOf({ methods }: ApiResource, httpMethod: string): Method | undefined {
  return methods.get(httpMethod) ?? (methodsOfAny.has(httpMethod) ? methods.get("ANY") : undefined);
}

/** Adds the key's value and id to the context, for the function. */
function withApiKey(call: Call, apiKey: string | undefined, usagePlans: UsagePlans): Call {
  const apiKeyId = apiKey && usagePlans.identify(apiKey);
  if (!apiKey || !apiKeyId) return call;
  const identity = { ...call.context.identity, apiKey, apiKeyId };
  return { ...call, context: { ...call.context, identity } };
}

/**
 * Counts a call against its limits.
 *
 * @param apiKey the value of the caller's key, if any
 * @throws {GatewayFailure} INVALID_API_KEY or THROTTLED
 */
function checkUsage(
  { context: { apiId, stage } }: Call,
  { name, apiKeyRequired, throttle }: Method,
  apiKey: string | undefined,
  usagePlans: UsagePlans,
): void {
  const admission = usagePlans.admit({
    apiId,
    stage,
    ...(apiKeyRequired && { apiKey: { value: apiKey } }),
    method: { name, throttle },
  });
  if (!admission.admitted) throw new GatewayFailure(admission.refusal, { reason: admission.reason });
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
