import { arn } from "../account.ts";
import {
  type GatewayRequest,
  type GatewayResponse,
  header,
  json,
  pathOf,
  type Route,
} from "../http/messages.ts";
import { guarded, type ServiceRoute } from "../services.ts";
import type { InvokeLater } from "./async-invocations.ts";
import { PAYLOAD_LIMIT_BYTES } from "./invoke.ts";
import { type Lambda, nameIn } from "./lambda.ts";

const INVOCATIONS = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/;

/** Maximum size of an asynchronous event. */
const ASYNC_LIMIT_BYTES = 1024 * 1024;

/** Serves Lambda's operation Invoke over HTTP. */
export function lambdaService(
  lambda: Pick<Lambda, "has" | "invoke">,
  invokeLater: InvokeLater,
): ServiceRoute {
  const route: Route = (request) => {
    const name = invokedBy(request);
    return name === undefined ? undefined : invoke(lambda, invokeLater, name, request);
  };
  return guarded(route, (request) => {
    const name = invokedBy(request);
    if (name === undefined) return [];
    return [
      { action: "lambda:InvokeFunction", resource: arn("lambda", `function:${nameIn(name)}`), values: {} },
    ];
  });
}

/** Reads the name or ARN of the function that a request invokes. */
function invokedBy(request: GatewayRequest): string | undefined {
  const [, name] = INVOCATIONS.exec(pathOf(request)) ?? [];
  return name === undefined || request.method !== "POST" ? undefined : decodeURIComponent(name);
}

async function invoke(
  lambda: Pick<Lambda, "has" | "invoke">,
  invokeLater: InvokeLater,
  name: string,
  request: GatewayRequest,
): Promise<GatewayResponse> {
  const waits = header(request, "x-amz-invocation-type") !== "Event";
  const limit = waits ? PAYLOAD_LIMIT_BYTES : ASYNC_LIMIT_BYTES;
  if (request.body.length > limit) {
    return failure(413, "RequestTooLargeException", `Request must be smaller than ${limit} bytes`);
  }
  let event: unknown;
  try {
    event = request.body.length === 0 ? {} : JSON.parse(request.body.toString("utf8"));
  } catch {
    return failure(400, "InvalidRequestContentException", "Could not parse request body into json");
  }
  if (!lambda.has(name)) return failure(404, "ResourceNotFoundException", `Function not found: ${name}`);

  if (!waits) {
    invokeLater(name, event);
    return { status: 202, headers: [], body: Buffer.alloc(0) };
  }
  const { payload, functionError } = await lambda.invoke(name, event);
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
