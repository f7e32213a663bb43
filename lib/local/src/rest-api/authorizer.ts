import * as v from "valibot";
import { arn } from "../account.ts";
import { jsonObject, readJson } from "../http/json.ts";
import type { InvokeResult } from "../lambda/invoke.ts";
import { wildcard } from "../wildcard.ts";
import type { Call } from "./call.ts";
import { type FunctionPort, invokeFunction } from "./function-port.ts";
import { GatewayFailure } from "./gateway-failure.ts";
import type { AuthorizerContext, DeployedApi } from "./request-context.ts";
import { authorizerHeaders } from "./request-headers.ts";

export type Authorizer = { id: string; functionArn: string };

/** An authorizer's decision about a caller. */
export type Authorization = {
  context: AuthorizerContext;
  /** Value of the caller's API key. */
  usageIdentifierKey: string | undefined;
  /** Set if the policy denies access. */
  refusal: GatewayFailure | undefined;
};

const METHOD_ARN_BYTES = 1600;

/** Maximum length of a resource in a policy. AWS documents that a longer one fails. */
const RESOURCE_CHARACTERS = 512;

/**
 * Asks the authorizer.
 * @throws {GatewayFailure} if it made no decision
 */
export async function authorize(
  call: Call,
  authorizer: Authorizer,
  { apiId, stage }: DeployedApi,
  functions: FunctionPort,
  now: () => Date,
): Promise<Authorization> {
  const methodArn = arn("execute-api", `${apiId}/${stage.name}/${call.request.method}${call.target.path}`);
  if (Buffer.byteLength(methodArn) > METHOD_ARN_BYTES) {
    throw new GatewayFailure("DEFAULT_4XX", { status: 414, clientMessage: "Request URI too long" });
  }
  const event = authorizerEvent(call, methodArn);
  return runAuthorizer({ authorizer, apiId, methodArn, event }, functions, now);
}

type AuthorizerCall = { authorizer: Authorizer; apiId: string; methodArn: string; event: object };

/**
 * Asks the authorizer.
 * @throws {GatewayFailure} if it made no decision
 */
export async function runAuthorizer(
  { authorizer, apiId, methodArn, event }: AuthorizerCall,
  functions: FunctionPort,
  now: () => Date,
): Promise<Authorization> {
  const begun = now();
  const result = await invokeFunction(
    functions,
    {
      functionArn: authorizer.functionArn,
      sourceArn: arn("execute-api", `${apiId}/authorizers/${authorizer.id}`),
      event,
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
    refusal: evaluatePolicy(policyDocument, methodArn),
  };
}

/** Builds the event of a REQUEST authorizer. Recorded: an empty map is `{}` here, but null in a proxy event. */
export function authorizerEvent(
  { request, target, pathParameters, context, traceId }: Call,
  methodArn: string,
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
    stageVariables: {},
    requestContext: context,
  };
}

const oneOrMore = v.union([v.string(), v.array(v.string())]);

const resource = v.pipe(v.string(), v.maxLength(RESOURCE_CHARACTERS));

/** Strict, because ignoring a condition would admit callers that API Gateway refuses. */
const statement = v.strictObject({
  Sid: v.optional(v.string()),
  Effect: v.picklist(["Allow", "Deny"]),
  Action: oneOrMore,
  Resource: v.union([resource, v.array(resource)]),
});

const accessPolicy = v.strictObject({
  Version: v.optional(v.string()),
  Id: v.optional(v.string()),
  Statement: v.union([v.array(statement), statement]),
});

/** A context value. Objects and arrays are not allowed, and null drops its key. */
const contextValue = v.nullable(v.union([v.string(), v.number(), v.boolean()]));

const authorizerOutput = v.object({
  principalId: v.string(),
  policyDocument: accessPolicy,
  context: v.nullish(v.pipe(jsonObject, v.record(v.string(), contextValue)), {}),
  usageIdentifierKey: v.nullish(v.string()),
});

type AuthorizerOutput = v.InferOutput<typeof authorizerOutput>;

/**
 * @throws {GatewayFailure} UNAUTHORIZED if the function threw exactly `Unauthorized`, or AUTHORIZER_CONFIGURATION_ERROR
 * if it failed otherwise or its answer is malformed
 */
function readAuthorizerResult({ payload, functionError }: InvokeResult): AuthorizerOutput {
  if (functionError) {
    if (errorMessage(payload) === "Unauthorized") throw new GatewayFailure("UNAUTHORIZED");
    throw new GatewayFailure("AUTHORIZER_CONFIGURATION_ERROR", { reason: "the authorizer failed" });
  }
  const result = readJson(authorizerOutput, payload);
  if ("object" in result) return result.object;
  throw new GatewayFailure("AUTHORIZER_CONFIGURATION_ERROR", {
    reason: `the authorizer's answer is malformed at ${result.malformedAt}`,
  });
}

function errorMessage(payload: string): string | undefined {
  const parsed = v.safeParse(
    v.pipe(v.string(), v.parseJson(), v.object({ errorMessage: v.string() })),
    payload,
  );
  return parsed.success ? parsed.output.errorMessage : undefined;
}

/** Converts the context. Recorded: functions and templates get all its values as strings. */
function contextStrings(context: AuthorizerOutput["context"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(context).flatMap(([key, value]) => (value === null ? [] : [[key, String(value)]])),
  );
}

/**
 * Evaluates a policy for a call. A single Deny outweighs any number of Allows.
 *
 * @returns undefined if the policy allows the call
 */
function evaluatePolicy(
  policy: AuthorizerOutput["policyDocument"],
  methodArn: string,
): GatewayFailure | undefined {
  const effects = [policy.Statement]
    .flat()
    .filter(({ Action }) => matchesAny(Action, "execute-api:Invoke", "i"))
    .filter(({ Resource }) => matchesAny(Resource, methodArn))
    .map(({ Effect }) => Effect);
  if (effects.includes("Deny")) {
    return new GatewayFailure("ACCESS_DENIED", {
      clientMessage: "User is not authorized to access this resource with an explicit deny",
    });
  }
  return effects.includes("Allow") ? undefined : new GatewayFailure("ACCESS_DENIED");
}

function matchesAny(patterns: string | readonly string[], text: string, flags = ""): boolean {
  return [patterns].flat().some((pattern) => wildcard(pattern, flags).test(text));
}
