import { InvokeCommand, LambdaClient, type LambdaClientConfig } from "@aws-sdk/client-lambda";
import { ServiceError } from "../core/service-error.ts";
import { timeouts } from "./timeouts.ts";

/** Time limit of a call: the function's own limit of ten seconds, and one second for the network. */
const longestCallMs = 11_000;

/**
 * Makes a function that invokes a Lambda function and returns its result. Unless `maxAttempts` is 1, the function may
 * be invoked twice, so use it for idempotent functions only.
 *
 * @param name The Lambda function's name or ARN.
 * @param longestMs The time after which a call fails.
 * @throws {ServiceError} if the invoked function fails.
 */
export function callOf(name: string, config: LambdaClientConfig = {}, longestMs = longestCallMs) {
  const requestHandler = { ...timeouts, requestTimeout: longestMs };
  const client = new LambdaClient({ requestHandler, maxAttempts: 2, ...config });
  return async (event: unknown): Promise<unknown> => {
    const { FunctionError, Payload } = await client.send(
      new InvokeCommand({ FunctionName: name, Payload: JSON.stringify(event) }),
      { abortSignal: AbortSignal.timeout(longestMs) },
    );
    if (FunctionError !== undefined) throw new ServiceError(FunctionError, { code: "FUNCTION_FAILED" });
    return JSON.parse(Payload?.transformToString() ?? "null");
  };
}
