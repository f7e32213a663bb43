import * as v from "valibot";
import type { InvokeResult } from "../lambda/invoke.ts";
import { accessPolicy } from "./access-policy.ts";
import { GatewayFailure } from "./gateway-failure.ts";
import { jsonObject, readJson } from "./json.ts";

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
