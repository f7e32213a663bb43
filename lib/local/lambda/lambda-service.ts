import type { GatewayRequest, GatewayResponse } from "../gateway/messages.ts";
import { header, json, pathOf, type Route } from "../http/handle.ts";
import type { Lambda } from "./lambda.ts";
import { PAYLOAD_LIMIT } from "./outcome.ts";

const INVOCATIONS = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/;

/** The call Invoke of Lambda over HTTP. An event that nobody waits for is handled once, whatever comes of it. */
export function lambdaService(lambda: Lambda): Route {
  return (request) => {
    const [, name] = INVOCATIONS.exec(pathOf(request)) ?? [];
    if (name === undefined || request.method !== "POST") return undefined;
    return invoke(lambda, decodeURIComponent(name), request);
  };
}

async function invoke(lambda: Lambda, name: string, request: GatewayRequest): Promise<GatewayResponse> {
  if (request.body.length > PAYLOAD_LIMIT) {
    return failure(413, "RequestTooLargeException", `Request must be smaller than ${PAYLOAD_LIMIT} bytes`);
  }
  let event: unknown;
  try {
    event = request.body.length === 0 ? {} : JSON.parse(request.body.toString("utf8"));
  } catch {
    return failure(400, "InvalidRequestContentException", "Could not parse request body into json");
  }
  if (!lambda.has(name)) return failure(404, "ResourceNotFoundException", `Function not found: ${name}`);

  const result = lambda.invoke(name, event);
  if (header(request, "x-amz-invocation-type") === "Event") {
    result.catch(() => {});
    return { status: 202, headers: [], body: Buffer.alloc(0) };
  }
  const { payload, functionError } = await result;
  return {
    status: 200,
    headers: [
      ["Content-Type", "application/json"],
      ["X-Amz-Executed-Version", "$LATEST"],
      ...(functionError === undefined ? [] : [["X-Amz-Function-Error", functionError] as const]),
    ],
    body: Buffer.from(payload),
  };
}

function failure(status: number, type: string, Message: string): GatewayResponse {
  return json(status, { Type: "User", Message }, ["x-amzn-ErrorType", type]);
}
