import type {
  APIGatewayEventWebsocketRequestContextV2,
  APIGatewayProxyEventHeaders,
  APIGatewayProxyWebsocketEventV2WithRequestContext,
  Context,
} from "aws-lambda";
import * as v from "valibot";
import { clientMessages, MessageIDSchema } from "../api/client-messages.ts";
import { encodeMessage, errorMessage, type ServerMessage } from "../api/server-messages.ts";
import { ServiceError } from "../core/service-error.ts";
import type { Admission } from "../realtime/connect.ts";
import type { ConnectedProgram } from "../realtime/connection-records.ts";
import { inTime } from "./in-time.ts";
import { parseJson, RepeatedField } from "./json.ts";
import { logFault } from "./log.ts";
import { subprotocolsOf, tokenSubprotocol } from "./request-token.ts";
import { givenTwice, InvalidRequest, validate } from "./validate.ts";

/** An event of the WebSocket API. Only `$connect` has headers. */
export type WebSocketEvent = APIGatewayProxyWebsocketEventV2WithRequestContext<
  APIGatewayEventWebsocketRequestContextV2 & {
    authorizer?: { principalId?: string; programKeyId?: string; programKeyEndsAt?: string };
  }
> & {
  headers?: APIGatewayProxyEventHeaders;
  multiValueHeaders?: Record<string, string[] | undefined>;
};

/** Body that API Gateway sends to the client on routes that have a response. */
export type WebSocketResult = { statusCode: number; headers?: Record<string, string>; body?: string };

type ConnectionEvent = { userID: string; connectionId: string; now: Date };

/** A new connection, and the key of the program that opens it. */
type NewConnection = ConnectionEvent & { program?: ConnectedProgram };

/**
 * Wraps the function of `$connect`. A response of 200 connects the client.
 *
 * @param open Returns whether the user may have another connection.
 */
export function connect(open: (connection: NewConnection) => Promise<Admission>) {
  return (event: WebSocketEvent, context?: Context) =>
    handle("connect", "CONNECT", { event, context }, async (connection) => {
      const admission = await open({ ...connection, ...programOf(event) });
      if (admission !== "admitted") return { statusCode: refusals[admission] };
      const { headers = {}, multiValueHeaders = {} } = event;
      if (!subprotocolsOf({ headers, multiValueHeaders }).includes(tokenSubprotocol))
        return { statusCode: 200 };
      // Selects a subprotocol, because browsers close a connection if the server selects none of those that they
      // requested.
      return { statusCode: 200, headers: { "Sec-WebSocket-Protocol": tokenSubprotocol } };
    });
}

/**
 * Sends a blocked user a 401 like the authorizer's, because the authorizer may not know yet that the user is blocked. A
 * key may be revoked between the two.
 */
const refusals: Record<Exclude<Admission, "admitted">, number> = {
  "too many": 429,
  blocked: 401,
  revoked: 401,
};

function programOf({ requestContext: { authorizer } }: WebSocketEvent): Pick<NewConnection, "program"> {
  const { programKeyId: keyId, programKeyEndsAt: endsAt } = authorizer ?? {};
  return keyId === undefined || endsAt === undefined ? {} : { program: { keyId, endsAt } };
}

/** Wraps the function of `$disconnect`. */
export function disconnect(close: (connection: ConnectionEvent) => Promise<unknown>) {
  return (event: WebSocketEvent, context?: Context) =>
    handle("disconnect", "DISCONNECT", { event, context }, async (connection) => {
      await close(connection);
      return { statusCode: 200 };
    });
}

async function handle(
  name: "connect" | "disconnect",
  eventType: WebSocketEvent["requestContext"]["eventType"],
  { event, context }: { event: WebSocketEvent; context: Context | undefined },
  answer: (connection: ConnectionEvent) => Promise<WebSocketResult>,
): Promise<WebSocketResult> {
  try {
    // Rejects events of other routes. Clients choose the type of a message, and a message of the type `$connect` must
    // not open a connection.
    if (event.requestContext.eventType !== eventType) return { statusCode: 400 };
    const now = new Date(event.requestContext.requestTimeEpoch);
    const connection = { ...connectionOf(event), now };
    return await inTime(context, () => answer(connection));
  } catch (error) {
    logFault(name, error);
    return { statusCode: 500 };
  }
}

function connectionOf({ requestContext }: WebSocketEvent) {
  const { connectionId, authorizer } = requestContext;
  const userID = authorizer?.principalId;
  if (userID === undefined) throw new Error("The connection has no user");
  return { connectionId, userID };
}

type MessageType = keyof typeof clientMessages;

/** A parsed message, its sender, and the time of receipt. */
type Received<Type extends MessageType> = v.InferOutput<(typeof clientMessages)[Type]> & ConnectionEvent;

/** Minimum time needed to send the error. If less is left, the function does not send it. */
const lastMs = 300;

/** Sends messages to a connection, in order. */
type Send = (connectionId: string, messages: readonly string[]) => Promise<void>;

/**
 * Wraps a function that answers messages: parses the message, runs the use case and sends its replies. If `send` is
 * given, pushes every reply, in order. The route must then have no response, because API Gateway would send an empty
 * message for a result without a body. If `send` is absent, the use case has exactly one reply, which is the function's
 * result.
 */
export function message<Type extends MessageType>(
  type: Type,
  useCase: (received: Received<Type>) => Promise<ServerMessage[]>,
  send?: Send,
) {
  const answer = async (event: WebSocketEvent, replies: readonly string[]): Promise<WebSocketResult> => {
    if (send === undefined) return onlyResult(replies);
    await send(event.requestContext.connectionId, replies);
    return { statusCode: 200 };
  };
  return async (event: WebSocketEvent, context?: Context): Promise<WebSocketResult> => {
    let content: unknown;
    try {
      content = readMessage(event);
      const parsed = validate(clientMessages[type] as v.GenericSchema, content, "message");
      const connection = connectionOf(event);
      const received = { ...(parsed as object), ...connection, now: new Date() } as Received<Type>;
      return await inTime(context, async () => {
        const replies = await useCase(received);
        return answer(
          event,
          replies.map((reply) => encodeReply(reply, content)),
        );
      });
    } catch (error) {
      const reply = encodeReply(replyTo(error, type), content);
      return inTime(context, () => answer(event, [reply]), lastMs).catch((lost: unknown) => {
        logFault(type, lost);
        return { statusCode: 500 };
      });
    }
  };
}

function onlyResult(replies: readonly string[]): WebSocketResult {
  const [reply, ...others] = replies;
  if (reply === undefined || others.length > 0) throw new Error("A result needs exactly one reply");
  return result(reply);
}

/** Makes the handler of `$default`, which receives every message of unknown type. */
export function unknownMessage() {
  return async (event: WebSocketEvent): Promise<WebSocketResult> => {
    let content: unknown;
    try {
      content = readMessage(event);
      const { type } = content as { type?: unknown };
      const known = `one of ${Object.keys(clientMessages).join(", ")}`;
      const reply =
        type === undefined
          ? errorMessage("INVALID_MESSAGE", `type is required and must be ${known}`)
          : errorMessage("UNKNOWN_TYPE", `type must be ${known}`);
      return result(encodeReply(reply, content));
    } catch (error) {
      return result(encodeReply(replyTo(error, "unknownMessage"), content));
    }
  };
}

const invalidJson = "INVALID_JSON";

/**
 * Parses a message.
 *
 * @throws {ServiceError} with the code INVALID_JSON.
 * @throws {InvalidRequest}
 */
function readMessage({ body = "", isBase64Encoded }: WebSocketEvent): object {
  let content: unknown;
  try {
    content = parseJson(isBase64Encoded ? Buffer.from(body, "base64").toString() : body);
  } catch (error) {
    if (error instanceof RepeatedField) throw givenTwice("message", error.field);
    throw new ServiceError("The message must be valid JSON", { code: invalidJson });
  }
  if (typeof content !== "object" || content === null || Array.isArray(content))
    throw new InvalidRequest("The message must be a JSON object");
  return content;
}

function replyTo(error: unknown, operation: string): ServerMessage {
  if (error instanceof ServiceError && error.code === invalidJson)
    return errorMessage(invalidJson, error.message);
  if (error instanceof InvalidRequest) return errorMessage("INVALID_MESSAGE", error.message);
  logFault(operation, error);
  return errorMessage("INTERNAL_ERROR", "Internal server error");
}

/**
 * Adds the id of the message, if it has a valid one. Snapshots and updates answer no message, so their schemas drop the
 * id.
 */
function encodeReply(reply: ServerMessage, content: unknown): string {
  const answered = v.safeParse(v.object({ id: MessageIDSchema }), content);
  return encodeMessage(answered.success ? ({ ...reply, ...answered.output } as ServerMessage) : reply);
}

const result = (body: string): WebSocketResult => ({ statusCode: 200, body });
