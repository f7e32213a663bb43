import { InvokeCommand, LambdaClient, type LambdaClientConfig } from "@aws-sdk/client-lambda";
import { maxAttempts, timeouts } from "./timeouts.ts";

/**
 * Makes a function that invokes a Lambda function asynchronously, without waiting for its result.
 *
 * @param name the Lambda function's name or ARN.
 */
export function handOverTo<Event>(name: string, config: LambdaClientConfig = {}) {
  const client = new LambdaClient({ requestHandler: timeouts, maxAttempts, ...config });
  return async (event: Event): Promise<void> => {
    await client.send(
      new InvokeCommand({ FunctionName: name, InvocationType: "Event", Payload: JSON.stringify(event) }),
    );
  };
}

/** Time limit of a run that nobody waits for: the socket is needed no longer. */
const longestRunMs = 11_000;

/**
 * Makes a function that invokes a Lambda function without its queue, and does not wait for it. The run may fail, or may
 * never begin if Lambda is throttled, without a word.
 *
 * @param name the Lambda function's name or ARN.
 */
export function directStartOf<Event>(name: string, config: LambdaClientConfig = {}) {
  const requestHandler = { ...timeouts, requestTimeout: longestRunMs };
  const client = new LambdaClient({ requestHandler, maxAttempts: 1, ...config });
  return (event: Event): void => {
    client.send(new InvokeCommand({ FunctionName: name, Payload: JSON.stringify(event) })).catch(() => {});
  };
}
