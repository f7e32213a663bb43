import * as v from "valibot";
import { clientMessages, MessageIDSchema } from "../api/client-messages.ts";
import { encodeMessage, errorMessage, type ServerMessage } from "../api/server-messages.ts";
import { InvalidRequest } from "./invalid-request.ts";
import { logFault } from "./log.ts";
import { validate } from "./validate.ts";
import { connectionOf, type WebSocketEvent, type WebSocketResult } from "./websocket-event.ts";

type MessageType = keyof typeof clientMessages;

/** A message that has been read, who sent it, and when. */
export type Received<Type extends MessageType> = v.InferOutput<(typeof clientMessages)[Type]> & {
  userID: string;
  connectionID: string;
  now: Date;
};

/** Sends messages to a connection, in their order. */
export type Send = (connectionID: string, messages: readonly string[]) => Promise<void>;

const cannotSend: Send = async () => {
  throw new Error("Several replies, and no way to send them");
};

/**
 * The ring around the functions that answer messages: parses the message, runs the use case and sends its replies. One
 * reply is the function's result, which API Gateway brings to the client; several are pushed, in their order.
 */
export function message<Type extends MessageType>(
  type: Type,
  useCase: (received: Received<Type>) => Promise<ServerMessage[]>,
  send: Send = cannotSend,
) {
  return async (event: WebSocketEvent): Promise<WebSocketResult> => {
    let content: unknown;
    try {
      content = readMessage(event);
      const parsed = validate(clientMessages[type] as v.GenericSchema, content, "message");
      const connection = connectionOf(event);
      const received = { ...(parsed as object), ...connection, now: new Date() } as Received<Type>;
      const replies = (await useCase(received)).map((reply) => encodeReply(reply, content));
      const [reply, ...others] = replies;
      if (reply !== undefined && others.length === 0) return result(reply);
      await send(connection.connectionID, replies);
      return { statusCode: 200 };
    } catch (error) {
      return result(encodeReply(replyTo(error, type), content));
    }
  };
}

/** The ring around the function that hears of every message of no known type. */
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

class InvalidJson extends Error {}

/** @throws {InvalidJson} @throws {InvalidRequest} */
function readMessage({ body = "", isBase64Encoded }: WebSocketEvent): object {
  let content: unknown;
  try {
    content = JSON.parse(isBase64Encoded ? Buffer.from(body, "base64").toString() : body);
  } catch {
    throw new InvalidJson();
  }
  if (typeof content !== "object" || content === null || Array.isArray(content))
    throw new InvalidRequest("The message must be a JSON object");
  return content;
}

function replyTo(error: unknown, operation: string): ServerMessage {
  if (error instanceof InvalidJson) return errorMessage("INVALID_JSON", "The message must be valid JSON");
  if (error instanceof InvalidRequest) return errorMessage("INVALID_MESSAGE", error.message);
  logFault(operation, error);
  return errorMessage("INTERNAL_ERROR", "Internal server error");
}

/**
 * Adds the id of the message that is answered, as far as it is one. What tells of a channel answers nobody, so its schema
 * knows no id and leaves it out.
 */
function encodeReply(reply: ServerMessage, content: unknown): string {
  const answered = v.safeParse(v.object({ id: MessageIDSchema }), content);
  return encodeMessage(answered.success ? ({ ...reply, ...answered.output } as ServerMessage) : reply);
}

const result = (body: string): WebSocketResult => ({ statusCode: 200, body });
