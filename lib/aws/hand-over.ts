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
