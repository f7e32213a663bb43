import { LambdaClient, type LambdaClientConfig } from "@aws-sdk/client-lambda";

/** Milliseconds. Longer than any function that is waited for may run. */
const requestHandler = { connectionTimeout: 1000, requestTimeout: 60_000, throwOnRequestTimeout: true };

/** A client that waits for what comes of an invocation. */
export function openLambda(config: LambdaClientConfig = {}): LambdaClient {
  return new LambdaClient({ requestHandler, ...config });
}
