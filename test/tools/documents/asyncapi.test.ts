import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { clientMessages } from "../../../lib/api/client-messages.ts";
import { serverMessages } from "../../../lib/api/server-messages.ts";
import { tokenSubprotocol } from "../../../lib/runtime/request-token.ts";
import { asyncApiDocument } from "../../../lib/tools/documents/asyncapi.ts";
import { messageExamples } from "../../../lib/tools/documents/message-examples.ts";
import { openApiDocument } from "../../../lib/tools/documents/openapi.ts";
import { messageSummaries } from "../../../lib/tools/documents/stream-notes.ts";

type Reference = { $ref: string };
type Operation = { action: "send" | "receive"; messages: Reference[]; reply?: { messages: Reference[] } };
type Message = { payload: Reference; correlationId?: Reference; examples: { payload: object }[] };
type Schema = { properties: Record<string, { const?: unknown }> };
type Document = {
  servers: Record<string, { host: string; security: Reference[] }>;
  channels: { connection: { messages: Record<string, Reference> } };
  operations: Record<string, Operation>;
  components: {
    messages: Record<string, Message>;
    schemas: Record<string, Schema>;
    securitySchemes: Record<string, { name?: string; description: string }>;
  };
};

const { servers, channels, operations, components } = asyncApiDocument() as Document;

const nameOf = ({ $ref }: Reference) => $ref.split("/").at(-1) as string;
const typeOf = (reference: Reference) =>
  components.schemas[nameOf(components.messages[nameOf(reference)]?.payload as Reference)]?.properties.type
    ?.const;
const types = (references: Reference[]) => [...new Set(references.map(typeOf))];

/** Schemas by title, one for each variant of each message. */
const schemas = new Map(
  [...Object.values(clientMessages), ...Object.values(serverMessages)]
    .flatMap((schema: v.GenericSchema & { options?: v.GenericSchema[] }) => schema.options ?? [schema])
    .map((schema) => [v.getTitle(schema) as string, schema]),
);

describe("the messages of the AsyncAPI document", () => {
  it("documents each message under its schema's title, all in one channel", () => {
    expect(Object.keys(components.messages).toSorted()).toEqual([...schemas.keys()].toSorted());
    expect(Object.keys(channels.connection.messages)).toEqual(Object.keys(components.messages));
    expect(types(Object.values(channels.connection.messages)).toSorted()).toEqual(
      [...Object.keys(clientMessages), ...Object.keys(serverMessages)].toSorted(),
    );
  });

  it.each([
    ["a summary", messageSummaries],
    ["examples", messageExamples],
  ])("documents each message with %s and has no unused entries", (_, notes) => {
    expect(Object.keys(notes).toSorted()).toEqual([...schemas.keys()].toSorted());
  });

  it("adds a correlation id to requests and replies", () => {
    const answers = Object.keys(components.messages).filter(
      (name) => components.messages[name]?.correlationId,
    );
    expect(answers).toEqual(["Subscribe", "Unsubscribe", "Ping", "Subscriptions", "Pong", "ErrorMessage"]);
  });
});

describe("the operations of the AsyncAPI document", () => {
  const all = Object.entries(operations);
  const received = all.filter(([, { action }]) => action === "receive");
  const sent = all.filter(([, { action }]) => action === "send");

  it("documents that the service receives each client message and replies", () => {
    expect(
      received.map(([type, { messages, reply }]) => [type, types(messages), reply?.messages.map(nameOf)]),
    ).toEqual([
      ["subscribe", ["subscribe"], ["Subscriptions", "ErrorMessage"]],
      ["unsubscribe", ["unsubscribe"], ["Subscriptions", "ErrorMessage"]],
      ["ping", ["ping"], ["Pong", "ErrorMessage"]],
    ]);
  });

  it("documents every server message as sent, except those that are only replies", () => {
    for (const [type, { messages }] of sent) expect(types(messages)).toEqual([type]);
    const replies = received.flatMap(([, { reply }]) => types(reply?.messages ?? []));
    expect(new Set([...sent.map(([type]) => type), ...replies])).toEqual(
      new Set(Object.keys(serverMessages)),
    );
    expect(operations.snapshot?.messages).toHaveLength(3);
  });
});

describe("the examples of the AsyncAPI document", () => {
  const examples = Object.entries(components.messages).flatMap(([name, message]) =>
    message.examples.map(({ payload }) => [name, payload] as const),
  );

  it.each(examples)("contains an example that matches the schema of %s exactly: %j", (name, payload) => {
    expect(v.parse(schemas.get(name) as v.GenericSchema, payload)).toEqual(payload);
  });

  it("contains an example of every message", () => {
    expect(new Set(examples.map(([name]) => name))).toEqual(new Set(schemas.keys()));
  });
});

describe("the servers of the AsyncAPI document", () => {
  it("are not local, and neither are those of the OpenAPI document", () => {
    const urls = (openApiDocument() as { servers: { url: string }[] }).servers.map(({ url }) => url);
    expect([...urls, ...Object.values(servers).map(({ host }) => host)]).toEqual([
      "https://{host}",
      "{host}",
    ]);
  });

  it.each(Object.keys(servers))("accepts a token in any of three ways on the server %s", (name) => {
    const ways = servers[name]?.security.map(nameOf) ?? [];
    expect(ways).toEqual(["bearer", "subprotocols", "cookie"]);
    for (const way of ways) expect(components.securitySchemes).toHaveProperty(way);
  });

  it("names the subprotocol that the service selects", () => {
    const { name, description } = components.securitySchemes.subprotocols ?? {};
    expect(name).toBe("Sec-WebSocket-Protocol");
    expect(description).toContain(`new WebSocket(url, ["${tokenSubprotocol}", token])`);
  });
});
