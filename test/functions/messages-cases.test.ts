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
import { badMessages, badMessagesWithID } from "../cases/bad-messages.ts";
import { messageEvent } from "../support/websocket-events.ts";

const table = mockClient(DynamoDBDocumentClient);
const api = mockClient(ApiGatewayManagementApiClient);

const connection = { PK: "USER#alice", SK: "CONNECTION#c1", userID: "alice", connectionID: "c1", shard: 2 };

beforeEach(() => {
  table.reset();
  api.reset();
  table.on(GetCommand).resolves({ Item: connection });
  table.on(QueryCommand).resolves({ Items: [] });
  api.on(PostToConnectionCommand).resolves({});
});

/** Chooses the function as the API does, by the type of the message. */
function handlerOf(text: string) {
  try {
    const { type } = JSON.parse(text);
    if (type === "ping") return ping;
    if (type === "subscribe") return subscribe;
    if (type === "unsubscribe") return unsubscribe;
  } catch {
    // Not JSON, or null.
  }
  return unknownMessage;
}

/** All that the connection is sent: the result of the function, and what it posts. */
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
  it.each(badMessages)("is answered with $code for $title", async ({ code, message }) => {
    const [error, ...rest] = await repliesTo(message);

    expect(error).toStrictEqual({ type: "error", code, message: expect.stringMatching(/\S/) });
    expect(String(error?.message).length).toBeLessThan(300);
    // Good channels of the request count, and here there are none.
    for (const reply of rest) expect(reply).toMatchObject({ type: "subscriptions", channels: [] });
    expect(writes()).toEqual([]);
  });

  it.each(badMessagesWithID)("is answered with $code and its id for $title", async ({ code, message }) => {
    const [error] = await repliesTo(message);

    expect(error).toStrictEqual({ type: "error", id: "c1", code, message: expect.stringMatching(/\S/) });
  });
});
