import { InvokeCommand, LambdaClient, type LambdaClientConfig } from "@aws-sdk/client-lambda";
import { maxAttempts, timeouts } from "./timeouts.ts";

/**
 * Makes the function that invokes a Lambda function without waiting for what comes of it.
 *
 * @param name of the function, or its ARN.
 */
export function handOverTo<Event>(name: string, config: LambdaClientConfig = {}) {
  const client = new LambdaClient({ requestHandler: timeouts, maxAttempts, ...config });
  return async (event: Event): Promise<void> => {
    await client.send(
      new InvokeCommand({ FunctionName: name, InvocationType: "Event", Payload: JSON.stringify(event) }),
    );
  };
}
