import "./environment.ts";
import {
  ApiGatewayManagementApiClient,
  PostToConnectionCommand,
} from "@aws-sdk/client-apigatewaymanagementapi";
import { DynamoDBDocumentClient, GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, describe, expect, it } from "vitest";
import { handler as ping } from "../../functions/ping/handler.ts";
import { handler as subscribe } from "../../functions/subscribe/handler.ts";
import { handler as unknownMessage } from "../../functions/unknownMessage/handler.ts";
import { handler as unsubscribe } from "../../functions/unsubscribe/handler.ts";
import { badMessages, badMessagesWithId } from "../cases/bad-messages.ts";
import { connectionItem, messageEvent } from "../support/websocket-events.ts";

const table = mockClient(DynamoDBDocumentClient);
const api = mockClient(ApiGatewayManagementApiClient);

beforeEach(() => {
  table.reset();
  api.reset();
  table.on(GetCommand).resolves({ Item: connectionItem });
  table.on(GetCommand, { Key: { PK: "LOCK#alice", SK: "LOCK" } }).resolves({});
  table.on(QueryCommand).resolves({ Items: [] });
  api.on(PostToConnectionCommand).resolves({});
});

/** Chooses the function by the message's type, like the API. */
function handlerOf(text: string) {
  try {
    const { type } = JSON.parse(text);
    if (type === "ping") return ping;
    if (type === "subscribe") return subscribe;
    if (type === "unsubscribe") return unsubscribe;
  } catch {
    // The text is not JSON, or is null.
  }
  return unknownMessage;
}

/** Returns everything sent to the connection: the result of the function, and its posts. */
async function repliesTo(message: unknown): Promise<Record<string, unknown>[]> {
  const text = typeof message === "string" ? message : JSON.stringify(message);
  const { body } = await handlerOf(text)(messageEvent(text));
  const posted = api.commandCalls(PostToConnectionCommand).map(({ args: [{ input }] }) => String(input.Data));
  return [...(body === undefined ? [] : [body]), ...posted].map((reply) => JSON.parse(reply));
}

const writes = () =>
  table
    .calls()
    .filter(({ args: [command] }) => !(command instanceof GetCommand || command instanceof QueryCommand));

describe("a message", () => {
  it.each(badMessages)("answers the error $code to $title", async ({ code, message }) => {
    const [error, ...rest] = await repliesTo(message);

    expect(error).toStrictEqual({ type: "error", code, message: expect.stringMatching(/\S/) });
    expect(String(error?.message).length).toBeLessThan(300);
    // Valid channels of a request still count, but these requests have none.
    for (const reply of rest) expect(reply).toMatchObject({ type: "subscriptions", channels: [] });
    expect(writes()).toEqual([]);
  });

  it.each(badMessagesWithId)(
    "answers the error $code with the message's id to $title",
    async ({ code, message }) => {
      const [error] = await repliesTo(message);

      expect(error).toStrictEqual({ type: "error", id: "c1", code, message: expect.stringMatching(/\S/) });
    },
  );
});
