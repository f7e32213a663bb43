import * as v from "valibot";
import { arn } from "../account.ts";
import { jsonObject, readJson } from "../http/json.ts";
import type { InvokeResult } from "../lambda/invoke.ts";
import { wildcard } from "../wildcard.ts";
import type { Call } from "./call.ts";
import type { ApiDefinition, Authorizer } from "./definition.ts";
import { type FunctionPort, invokeFunction } from "./function-port.ts";
import { GatewayFailure } from "./gateway-failure.ts";
import type { AuthorizerContext } from "./request-context.ts";
import { authorizerHeaders } from "./request-headers.ts";

/** What an authorizer has found of a caller; `refusal` is set when its policy does not let the caller in. */
export type Authorization = {
  context: AuthorizerContext;
  /** The value of the caller's API key, for an API that takes it from here. */
  usageIdentifierKey: string | undefined;
  refusal: GatewayFailure | undefined;
};

const METHOD_ARN_BYTES = 1600;

/** @throws GatewayFailure when the authorizer has not come to a decision */
export async function authorize(
  call: Call,
  authorizer: Authorizer,
  { apiId, stage }: Pick<ApiDefinition, "apiId" | "stage">,
  functions: FunctionPort,
  now: () => Date,
): Promise<Authorization> {
  const methodArn = arn("execute-api", `${apiId}/${stage.name}/${call.request.method}${call.target.path}`);
  if (Buffer.byteLength(methodArn) > METHOD_ARN_BYTES) {
    throw new GatewayFailure("DEFAULT_4XX", { status: 414, told: "Request URI too long" });
  }

  const begun = now();
  const result = await invokeFunction(
    functions,
    {
      functionArn: authorizer.functionArn,
      sourceArn: arn("execute-api", `${apiId}/authorizers/${authorizer.id}`),
      event: authorizerEvent(call, methodArn, stage.variables),
    },
    "AUTHORIZER_CONFIGURATION_ERROR",
  );
  const { principalId, policyDocument, context, usageIdentifierKey } = readAuthorizerResult(result);
  return {
    context: {
      ...contextStrings(context),
      principalId,
      integrationLatency: now().getTime() - begun.getTime(),
    },
    usageIdentifierKey: usageIdentifierKey ?? undefined,
    refusal: refusalOf(evaluatePolicy(policyDocument, methodArn)),
  };
}

export function refusalOf(verdict: Verdict): GatewayFailure | undefined {
  switch (verdict) {
    case "allowed":
      return undefined;
    case "denied implicitly":
      return new GatewayFailure("ACCESS_DENIED");
    case "denied explicitly":
      return new GatewayFailure("ACCESS_DENIED", {
        told: "User is not authorized to access this resource with an explicit deny",
      });
  }
}

/**
 * The event of a REQUEST authorizer. Recorded: a map without entries is empty here, where a proxy event has null.
 *
 * @param methodArn of the method and path that are called
 */
export function authorizerEvent(
  { request, target, pathParameters, context, traceId }: Call,
  methodArn: string,
  stageVariables: Record<string, string>,
) {
  const headers = authorizerHeaders(request, traceId);
  return {
    type: "REQUEST",
    methodArn,
    resource: context.resourcePath,
    path: target.path,
    httpMethod: request.method,
    headers: headers.single,
    multiValueHeaders: headers.multi,
    queryStringParameters: target.query.single,
    multiValueQueryStringParameters: target.query.multi,
    pathParameters,
    stageVariables,
    requestContext: context,
  };
}

const oneOrMore = v.union([v.string(), v.array(v.string())]);

/** Strict, because a condition that is passed over would let callers in whom API Gateway keeps out. */
const statement = v.strictObject({
  Sid: v.optional(v.string()),
  Effect: v.picklist(["Allow", "Deny"]),
  Action: oneOrMore,
  Resource: oneOrMore,
});

export const accessPolicy = v.strictObject({
  Version: v.optional(v.string()),
  Id: v.optional(v.string()),
  Statement: v.union([v.array(statement), statement]),
});

/** Objects and arrays are not allowed as values; null leaves the key out. */
const contextValue = v.nullable(v.union([v.string(), v.number(), v.boolean()]));

const authorizerOutput = v.object({
  principalId: v.string(),
  policyDocument: accessPolicy,
  context: v.nullish(v.pipe(jsonObject, v.record(v.string(), contextValue)), {}),
  usageIdentifierKey: v.nullish(v.string()),
});

type AuthorizerOutput = v.InferOutput<typeof authorizerOutput>;

/**
 * What an authorizer has answered.
 *
 * @throws GatewayFailure UNAUTHORIZED when it has thrown exactly `Unauthorized`, otherwise AUTHORIZER_CONFIGURATION_ERROR
 */
export function readAuthorizerResult({ payload, functionError }: InvokeResult): AuthorizerOutput {
  if (functionError) {
    if (errorMessage(payload) === "Unauthorized") throw new GatewayFailure("UNAUTHORIZED");
    throw new GatewayFailure("AUTHORIZER_CONFIGURATION_ERROR", { reason: "the authorizer has failed" });
  }
  const result = readJson(authorizerOutput, payload);
  if ("object" in result) return result.object;
  throw new GatewayFailure("AUTHORIZER_CONFIGURATION_ERROR", {
    reason: `the authorizer's answer is malformed at ${result.malformedAt}`,
  });
}

/** The context as strings, which is how functions and templates get every value. */
export function contextStrings(context: AuthorizerOutput["context"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(context).flatMap(([key, value]) => (value === null ? [] : [[key, String(value)]])),
  );
}

function errorMessage(payload: string): string | undefined {
  const parsed = v.safeParse(
    v.pipe(v.string(), v.parseJson(), v.object({ errorMessage: v.string() })),
    payload,
  );
  return parsed.success ? parsed.output.errorMessage : undefined;
}

type AccessPolicy = v.InferOutput<typeof accessPolicy>;
export type Verdict = "allowed" | "denied explicitly" | "denied implicitly";

/** What a policy says about calling the method of that ARN. A single Deny outweighs any number of Allows. */
export function evaluatePolicy(policy: AccessPolicy, methodArn: string): Verdict {
  const effects = [policy.Statement]
    .flat()
    .filter(({ Action }) => matchesAny(Action, "execute-api:Invoke", "i"))
    .filter(({ Resource }) => matchesAny(Resource, methodArn))
    .map(({ Effect }) => Effect);
  if (effects.includes("Deny")) return "denied explicitly";
  return effects.includes("Allow") ? "allowed" : "denied implicitly";
}

function matchesAny(patterns: string | readonly string[], text: string, flags = ""): boolean {
  return [patterns].flat().some((pattern) => wildcard(pattern, flags).test(text));
}
