import type { ResolvedResource } from "../../src/cloudformation/resource.ts";
import type { InvokeResult } from "../../src/lambda/invoke.ts";

/** Answer of a function, or a function of the event that returns an answer or an InvokeResult. */
export type Answer = unknown;

/** Parts of an event that tests check. */
export type GivenEvent = {
  headers: Record<string, string>;
  body: string;
  requestContext: Record<string, unknown> & { connectionId: string; requestId: string };
};

const arnOf = (name: string) => `arn:aws:lambda:us-east-1:000000000000:function:${name}`;

const uri = (name: string) =>
  `arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/${arnOf(name)}/invocations`;

/** Creates a resource of the API, e.g. `resource("Stage", "Stage", { … })` for an AWS::ApiGatewayV2::Stage. */
export function resource(
  type: string,
  logicalId: string,
  properties: Record<string, unknown>,
): ResolvedResource {
  return { logicalId, type: `AWS::ApiGatewayV2::${type}`, properties: { ApiId: "Api", ...properties } };
}

export const api: ResolvedResource = {
  logicalId: "Api",
  type: "AWS::ApiGatewayV2::Api",
  properties: { Name: "chat", ProtocolType: "WEBSOCKET", RouteSelectionExpression: "$request.body.type" },
};

export const stage = resource("Stage", "Stage", { StageName: "live", AutoDeploy: true });

/** Creates a route to the function of the same name, without the `$`. */
export function route(key: string, properties: Record<string, unknown> = {}): ResolvedResource[] {
  return [
    resource("Route", key, { RouteKey: key, Target: `integrations/to ${key}`, ...properties }),
    resource("Integration", `to ${key}`, {
      IntegrationType: "AWS_PROXY",
      IntegrationUri: uri(key.replace("$", "")),
    }),
  ];
}

/** Creates a route whose answers go to the client. */
export function talking(key: string): ResolvedResource[] {
  return [
    ...route(key, { RouteResponseSelectionExpression: "$default" }),
    resource("RouteResponse", `of ${key}`, { RouteId: key, RouteResponseKey: "$default" }),
  ];
}

/** Sets a timeout of 50 ms for the integrations among the resources. */
export function hasty(resources: readonly ResolvedResource[]): ResolvedResource[] {
  return resources.map(({ properties, ...rest }) => ({
    ...rest,
    properties: rest.type.endsWith("::Integration") ? { ...properties, TimeoutInMillis: 50 } : properties,
  }));
}

/** Creates `$connect` behind an authorizer with the function `authorize`. */
export function guarded(properties: Record<string, unknown> = {}): ResolvedResource[] {
  return [
    ...route("$connect", { AuthorizationType: "CUSTOM", AuthorizerId: "Authorizer" }),
    resource("Authorizer", "Authorizer", {
      Name: "callers",
      AuthorizerType: "REQUEST",
      AuthorizerUri: uri("authorize"),
      ...properties,
    }),
  ];
}

export const allow = (context: object = {}, Effect = "Allow") => ({
  principalId: "alice",
  policyDocument: {
    Version: "2012-10-17",
    Statement: [
      { Effect, Action: "execute-api:Invoke", Resource: "arn:aws:execute-api:*:*:Api/live/$connect" },
    ],
  },
  context,
});

/** Creates a function that throws an Error with this message. */
export const throws = (errorMessage: string) => (): InvokeResult => ({
  payload: JSON.stringify({ errorMessage, errorType: "Error", trace: [] }),
  functionError: "Unhandled",
});

/** Creates functions by name. `events` collects the events of each. */
export function functions(answers: Record<string, Answer>) {
  const events: Record<string, GivenEvent[]> = {};
  return {
    events,
    async invoke(arn: string, event: unknown): Promise<InvokeResult> {
      const name = arn.split(":").at(-1) ?? "";
      events[name] = [...(events[name] ?? []), event as GivenEvent];
      const answer = name in answers ? answers[name] : { statusCode: 200 };
      const given = typeof answer === "function" ? await answer(event) : answer;
      return isResult(given) ? given : { payload: JSON.stringify(given) };
    },
  };
}

const isResult = (value: unknown): value is InvokeResult =>
  typeof value === "object" && value !== null && "payload" in value;
