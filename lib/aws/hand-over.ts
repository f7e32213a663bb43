import { InvokeCommand, LambdaClient, type LambdaClientConfig } from "@aws-sdk/client-lambda";
import { callOf } from "./call-function.ts";
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

/**
 * Makes a function that invokes a Lambda function without its queue. Nobody learns of a run that fails, or that never
 * begins because Lambda throttles it: the promise only shows that the call has ended.
 *
 * @param name the Lambda function's name or ARN.
 */
export function directStartOf<Event>(name: string, config: LambdaClientConfig = {}) {
  const call = callOf(name, { maxAttempts: 1, ...config });
  return (event: Event): Promise<void> =>
    call(event).then(
      () => undefined,
      () => undefined,
    );
}
