import type { RequestListener } from "node:http";
import { text } from "node:stream/consumers";
import type { Engine } from "../../../support/dynamodb.ts";

export type Handler = (event: { records: unknown[] }) => Promise<unknown>;

/** Fakes a local runner's description and Lambda service with one function. */
export function runnerWithFunction(
  { connection: { region, credentials } }: Engine,
  name: string,
  handler: Handler,
): RequestListener {
  const lambda = lambdaWith(name, handler);
  return (request, response) => {
    if (request.url !== "/_local/outputs") return lambda(request, response);
    const endpoints = { lambda: `http://${request.headers.host}` };
    const outputs = { RecordExecutionsFunction: name };
    response.end(JSON.stringify({ outputs, endpoints, region, credentials }));
  };
}

/** Answers Lambda's Invoke for one function with its result or error. */
export function lambdaWith(name: string, handler: Handler): RequestListener {
  return async (request, response) => {
    const event = JSON.parse(await text(request));
    if (request.url !== `/2015-03-31/functions/${name}/invocations`) {
      response.writeHead(404, { "x-amzn-errortype": "ResourceNotFoundException" });
      response.end(JSON.stringify({ Type: "User", message: "Function not found" }));
      return;
    }
    try {
      response.end(JSON.stringify(await handler(event)));
    } catch (error) {
      const { name: errorType, message: errorMessage } = error as Error;
      response.setHeader("X-Amz-Function-Error", "Unhandled");
      response.end(JSON.stringify({ errorType, errorMessage, trace: [] }));
    }
  };
}
