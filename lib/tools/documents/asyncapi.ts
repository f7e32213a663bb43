import type * as v from "valibot";
import manifest from "../../../package.json" with { type: "json" };
import { clientMessages } from "../../api/client-messages.ts";
import { serverMessages } from "../../api/server-messages.ts";
import { operations } from "../../operations/operations.ts";
import { type JsonSchema, schemaComponents } from "./components.ts";
import { messageExamples } from "./message-examples.ts";
import {
  type ClientType,
  delivery,
  messageSummaries,
  receives,
  replies,
  type ServerType,
  sends,
} from "./stream-notes.ts";

const channel = "#/channels/connection";
const reference = ($ref: string) => ({ $ref });

/**
 * Makes the AsyncAPI 3.0 description of the WebSocket API. "Send" and "receive" are from the service's point of view.
 */
export function asyncApiDocument(): JsonSchema {
  const { schemas, convert } = schemaComponents("draft-07");
  const messages: Record<string, JsonSchema> = {};

  /** Adds each variant of a message to the document. Returns references to them. */
  function messagesOf(schema: v.GenericSchema) {
    const { $ref, oneOf = [{ $ref }] } = convert(schema) as { $ref: string; oneOf?: { $ref: string }[] };
    return oneOf.map((payload) => {
      const name = payload.$ref.slice("#/components/schemas/".length);
      messages[name] = message(name, payload, schemas);
      return reference(`${channel}/messages/${name}`);
    });
  }

  const fromClient = mapValues(clientMessages, messagesOf);
  const toClient = mapValues(serverMessages, messagesOf);

  const receive = (type: ClientType) => ({
    action: "receive",
    channel: reference(channel),
    summary: operations[type].summary,
    description: receives[type],
    messages: fromClient[type],
    reply: { channel: reference(channel), messages: replies[type].flatMap((reply) => toClient[reply]) },
  });
  const describe = ({ $ref }: { $ref: string }) => `${messages[$ref.split("/").at(-1) ?? ""]?.summary}`;
  const send = (summary: string, type: ServerType) => ({
    action: "send",
    channel: reference(channel),
    summary,
    description: toClient[type].map(describe).join("\n\n"),
    messages: toClient[type],
  });

  return {
    asyncapi: "3.0.0",
    info: {
      title: "Multi-chain trading terminal: streams",
      version: manifest.version,
      description: delivery,
      contact: { name: "The operators of the service" },
      tags: [
        { name: "Streams", description: "Prices, orders, positions, settings and wallets, as they change" },
      ],
      license: { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" },
    },
    defaultContentType: "application/json",
    servers,
    channels: {
      connection: {
        address: "/",
        description: "A client's connection, which carries all its channels.",
        messages: mapValues(messages, (_, name) => reference(`#/components/messages/${name}`)),
      },
    },
    operations: {
      ...mapValues(fromClient, (_, type) => receive(type)),
      ...mapValues(sends, send),
    },
    components: { messages, schemas, correlationIds, securitySchemes },
  };
}

function message(name: string, payload: JsonSchema, schemas: Record<string, JsonSchema>): JsonSchema {
  const [summary, examples] = [messageSummaries[name], messageExamples[name]];
  if (!summary || !examples) throw new Error(`The message ${name} needs a summary and examples`);
  const hasId = Object.hasOwn(schemas[name]?.properties as JsonSchema, "id");
  return {
    name,
    summary,
    ...(hasId && { correlationId: reference("#/components/correlationIds/id") }),
    payload,
    examples: examples.map((example) => ({ payload: example })),
  };
}

function mapValues<Type extends object, To>(
  record: Type,
  change: (value: Type[keyof Type], key: Extract<keyof Type, string>) => To,
): Record<keyof Type, To> {
  const entries = Object.entries(record).map(([key, value]) => [key, change(value, key as never)]);
  return Object.fromEntries(entries) as Record<keyof Type, To>;
}

const correlationIds = {
  id: {
    location: "$message.payload#/id",
    description: "Optional and chosen by the client. The reply repeats it unchanged.",
  },
};

const securitySchemes = {
  bearer: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description: "Takes precedence over the others.",
  },
  subprotocols: {
    type: "httpApiKey",
    in: "header",
    name: "Sec-WebSocket-Protocol",
    description:
      'The pair `access_token, <JWT>`, for browsers: `new WebSocket(url, ["access_token", token])`. The ' +
      "service selects `access_token`. Takes precedence over the cookie.",
  },
  cookie: {
    type: "httpApiKey",
    in: "cookie",
    name: "access_token",
    description: "Browsers send it from any page, so it counts only if the page's origin is allowed.",
  },
};

/** Lists the schemes as alternatives, because clients need only one of them. */
const security = Object.keys(securitySchemes).map((name) =>
  reference(`#/components/securitySchemes/${name}`),
);

const servers = {
  deployed: {
    host: "{host}",
    pathname: "/stream",
    protocol: "wss",
    description: "A deployed stage. The output StreamUrl of the stack TerminalEdge has its address.",
    variables: {
      host: {
        description: "The domain of the service, or a name of CloudFront",
        default: "api.example.com",
      },
    },
    security,
  },
};
