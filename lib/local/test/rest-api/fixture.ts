import type { ResolvedResource } from "../../src/cloudformation/resource.ts";
import type { GatewayRequest, GatewayResponse } from "../../src/http/messages.ts";
import type { InvokeResult } from "../../src/lambda/invoke.ts";
import type { authorizerEvent } from "../../src/rest-api/authorizer.ts";
import type { proxyEvent } from "../../src/rest-api/proxy-integration.ts";
import { createRestApi, type RestApiOptions } from "../../src/rest-api/rest-api.ts";
import { memoryStore } from "../../src/storage/store.ts";
import { createUsage } from "../../src/usage-plans/usage.ts";

export const functionArn = "arn:aws:lambda:us-east-1:000000000000:function:pets";
export const authorizerArn = "arn:aws:lambda:us-east-1:000000000000:function:authorize";

const uri = (arn: string) =>
  `arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/${arn}/invocations`;

export const api: ResolvedResource = {
  logicalId: "Api",
  type: "AWS::ApiGateway::RestApi",
  properties: { Name: "pets", EndpointConfiguration: { Types: ["REGIONAL"] } },
};

export const stage = resource("Stage", "Stage", { StageName: "v1", DeploymentId: "Deployment" });
export const deployment = resource("Deployment", "Deployment", {});

/** Creates a resource of the API, e.g. `resource("Stage", "AccessDenied", { … })` for an AWS::ApiGateway::Stage. */
export function resource(
  type: string,
  logicalId: string,
  properties: Record<string, unknown>,
): ResolvedResource {
  return {
    logicalId,
    type: `AWS::ApiGateway::${type}`,
    properties: { RestApiId: "Api", ...properties },
  };
}

export const proxyIntegration = { Type: "AWS_PROXY", IntegrationHttpMethod: "POST", Uri: uri(functionArn) };

/** Creates the resources of a route such as `GET /pets/{id}`: path parts, whose ids are their paths, and a method. */
export function route(name: string, properties: Record<string, unknown> = {}): ResolvedResource[] {
  const [HttpMethod = "", path = ""] = name.split(" ");
  const parts = path.split("/").filter(Boolean);
  const idOf = (depth: number) => (depth === 0 ? "Api/root" : `/${parts.slice(0, depth).join("/")}`);
  return [
    ...parts.map((PathPart, at) => resource("Resource", idOf(at + 1), { ParentId: idOf(at), PathPart })),
    resource("Method", name, {
      HttpMethod,
      ResourceId: idOf(parts.length),
      AuthorizationType: "NONE",
      Integration: proxyIntegration,
      ...properties,
    }),
  ];
}

/** Creates a route behind the authorizer. */
export function guarded(name: string): ResolvedResource[] {
  return route(name, { AuthorizationType: "CUSTOM", AuthorizerId: "Authorizer" });
}

export const callers = resource("Authorizer", "Authorizer", {
  Name: "callers",
  Type: "REQUEST",
  AuthorizerUri: uri(authorizerArn),
  AuthorizerResultTtlInSeconds: 0,
  IdentitySource: "",
});

type Answer = unknown | (() => InvokeResult | Promise<InvokeResult>);

/** Converts an answer to a function's result: the answer as JSON, or the result that the answer returns. */
function invokeResult(answer: Answer): InvokeResult | Promise<InvokeResult> {
  return typeof answer === "function" ? answer() : { payload: JSON.stringify(answer) };
}

/** Creates a function that throws an Error with this message. */
export const throwing = (errorMessage: string) => (): InvokeResult => ({
  payload: JSON.stringify({ errorMessage, errorType: "Error", trace: ["Error", "    at handler"] }),
  functionError: "Unhandled",
});

/** Opens the keys and plans among the resources. `now` is in milliseconds. */
export function usageOf(resources: readonly ResolvedResource[], now: () => number = Date.now) {
  return createUsage(resources, { store: memoryStore, report: () => {}, now });
}

/** Creates an API in front of functions with these answers. Its clock and ids never change. */
export function gateway(
  resources: readonly ResolvedResource[],
  answers: { function?: Answer; authorizer?: Answer } = {},
  options: Partial<RestApiOptions> = {},
) {
  const events: ReturnType<typeof proxyEvent>[] = [];
  const authorizerEvents: ReturnType<typeof authorizerEvent>[] = [];
  const reports: string[] = [];
  const parts = options.resources ?? [stage, deployment, callers, ...resources];
  const now = options.now ?? (() => new Date("2026-11-21T09:14:00.123Z"));
  const usage = usageOf(parts, () => now().getTime());
  const restApi = createRestApi({
    api,
    resources: parts,
    usagePlans: usage.plans,
    invoke: async (arn, event) => {
      if (arn === authorizerArn) {
        authorizerEvents.push(event as ReturnType<typeof authorizerEvent>);
        return invokeResult(answers.authorizer);
      }
      events.push(event as ReturnType<typeof proxyEvent>);
      return invokeResult("function" in answers ? answers.function : { statusCode: 200 });
    },
    mayInvoke: () => true,
    now,
    newId: () => "00112233-4455-6677-8899-aabbccddeeff",
    report: (line) => reports.push(line),
    ...options,
  });
  return {
    usage,
    events,
    authorizerEvents,
    reports,
    send: async (line: string, request: Partial<Omit<GatewayRequest, "method" | "target">> = {}) => {
      const [method = "", ...target] = line.split(" ");
      return restApi.handle({
        method,
        target: target.join(" "),
        headers: [["Host", "127.0.0.1:3000"]],
        body: Buffer.alloc(0),
        sourceIp: "127.0.0.1",
        ...request,
      });
    },
  };
}

/** Converts a response for assertions. Repeated headers become lists. */
export function readable({ status, headers, body }: GatewayResponse) {
  const byName: Record<string, string | string[]> = {};
  for (const [name, value] of headers) {
    byName[name] = name in byName ? [byName[name] ?? [], value].flat() : value;
  }
  return { status, headers: byName, body: body.toString() };
}
