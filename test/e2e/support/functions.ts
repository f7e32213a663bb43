import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { functionNameIn } from "../../support/function-name.ts";
import { deployment, localRunner } from "./deployment.ts";

/** Invokes a function of the local runner by its name, as AWS or another program in the account would. */
export async function invokeFunction(
  name: string,
  event: unknown,
): Promise<{ failed: boolean; answer: unknown }> {
  const description = await (await fetch(`${deployment().baseUrl}/_local/outputs`)).json();
  const { endpoints, region, credentials } = description as {
    endpoints: { lambda: string };
    region: string;
    credentials: { accessKeyId: string; secretAccessKey: string };
  };
  const lambda = new LambdaClient({ endpoint: endpoints.lambda, region, credentials });
  const { FunctionError, Payload } = await lambda.send(
    new InvokeCommand({
      FunctionName: functionNameIn(localRunner().dataDir, name),
      Payload: JSON.stringify(event),
    }),
  );
  lambda.destroy();
  return { failed: FunctionError !== undefined, answer: JSON.parse(Payload?.transformToString() ?? "null") };
}
