import { Agent, request as send } from "node:http";
import { buffer } from "node:stream/consumers";
import { type GatewayRequest, type GatewayResponse, header, json, type Pair } from "../http/messages.ts";
import { dynamoDbError } from "./errors.ts";

/** Forwards a call to the database. */
export type Forward = (request: GatewayRequest) => Promise<GatewayResponse>;

/** Headers that concern one connection and are not forwarded. */
const hopHeaders = new Set([
  "connection",
  "content-length",
  "date",
  "host",
  "keep-alive",
  "transfer-encoding",
]);

const endToEnd = (headers: readonly Pair[]) =>
  headers.filter(([name]) => !hopHeaders.has(name.toLowerCase()));

/**
 * Returns an error that the SDK retries, because DynamoDB Local sometimes closes an idle connection just when a call
 * arrives.
 */
const connectionLost = dynamoDbError(500, "InternalServerError", "DynamoDB Local closed the connection");

/**
 * Opens the connection to the database.
 * @param endpoint the address of DynamoDB Local
 */
export function openForward(endpoint: string): { forward: Forward; close: () => void } {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port } = new URL(endpoint);
  return {
    forward({ method, target: path, headers, body }) {
      const { promise, resolve } = Promise.withResolvers<GatewayResponse>();
      const lose = () => resolve(connectionLost);
      const outgoing = [...endToEnd(headers), ["Content-Length", String(body.length)] as const];
      const call = send({ hostname, port, agent, method, path, headers: Object.fromEntries(outgoing) });
      call.on("error", lose);
      call.on("response", (response) => {
        const { statusCode: status = 502 } = response;
        const answered = Object.entries(response.headers).map(([name, value]): Pair => [name, String(value)]);
        buffer(response).then((read) => resolve({ status, headers: endToEnd(answered), body: read }), lose);
      });
      call.end(body);
      return promise;
    },
    close: () => agent.destroy(),
  };
}

/** Reads the operation's name, e.g. `PutItem`. */
export function operationOf(request: GatewayRequest): string {
  return header(request, "x-amz-target")?.split(".")[1] ?? "";
}

/** Calls an operation with the credentials of another request and returns the answer's JSON. */
export async function ask(
  forward: Forward,
  request: GatewayRequest,
  operation: "DescribeTable" | "GetItem" | "TransactWriteItems",
  input: object,
): Promise<unknown> {
  const headers = request.headers.filter(([name]) => name.toLowerCase() !== "x-amz-target");
  const { body } = json(200, input);
  const target: Pair = ["X-Amz-Target", `DynamoDB_20120810.${operation}`];
  const answer = await forward({ ...request, headers: [...headers, target], body });
  return parsed(answer.body) ?? {};
}

/** Parses a body. Undefined if it is not JSON. */
export function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}
