import { type Case, casesOf, type Table } from "./sample.ts";

/** A message that is answered with this error code. Text is sent unchanged, anything else as JSON. */
export type BadMessage = Case & { code: string; message: unknown };

const subscribe = (channels: unknown, rest: object = {}) => ({ type: "subscribe", channels, ...rest });

const token = (index: number) => ({ chain: "base", token: `0x9${String(index).padStart(39, "0")}` });
const follow = (tokens: unknown, rest: object = {}) => subscribe(["prices"], { tokens, ...rest });

const notJson: Table<unknown> = {
  "a message is not empty": [
    ["nothing", ""],
    ["a space", " "],
  ],
  "a message is JSON": [
    ["half of a message", '{"type":"ping"'],
    ["plain text", "subscribe"],
    ["two messages in one", '{"type":"ping"}{"type":"ping"}'],
    ["single quotes", "{'type':'ping'}"],
    ["a byte order mark", '\uFEFF{"type":"ping"}'],
    ["a NUL byte at the end", '{"type":"ping"}\0'],
    ["lists 10,000 deep that do not end", "[".repeat(10_000)],
  ],
};

const invalid: Table<unknown> = {
  "a message is an object": [
    ["a list", '[{"type":"ping"}]'],
    ["null", "null"],
    ["a number", "42"],
    ["a string", '"ping"'],
  ],
  "a type is required": [
    ["no type", { channels: ["prices"] }],
    ["an object with nothing in it", {}],
  ],
  "channels are a list": [
    ["one channel without a list", subscribe("prices")],
    ["no channels", { type: "subscribe" }],
    ["null for channels", subscribe(null)],
    ["an object for a list", { type: "unsubscribe", channels: { 0: "prices" } }],
  ],
  "a channel is a string": [
    ["a bad channel with a good one", subscribe(["prices", null])],
    ["a number for a channel", subscribe([7])],
  ],
  "channels are few": [
    ["1000 channels", subscribe(Array.from({ length: 1000 }, (_, index) => `channel${index}`))],
    ["a good channel 1000 times", subscribe(Array.from({ length: 1000 }, () => "prices"))],
  ],
  "tokens are a list": [
    ["a token without a list", follow(token(1))],
    ["null for tokens", follow(null)],
    ["no channels and no tokens to leave", { type: "unsubscribe" }],
    ["a token to leave without a list", { type: "unsubscribe", tokens: token(1) }],
  ],
  "a token has a chain and an address": [
    ["an address for a token", follow([token(1), token(2).token])],
    ["a token without a chain", follow([{ token: token(1).token }])],
    ["a token without an address", follow([{ chain: "base" }])],
    ["a number for an address", follow([{ chain: "base", token: 7 }])],
    ["text for candles", follow([{ ...token(1), candles: "1m" }])],
    ["an unknown field of a token", follow([{ ...token(1), trades: true }])],
    ["candles of a token to leave", { type: "unsubscribe", tokens: [{ ...token(1), candles: true }] }],
  ],
  "tokens are few": [
    ["51 tokens", follow(Array.from({ length: 51 }, (_, index) => token(index)))],
    ["51 tokens to leave", { type: "unsubscribe", tokens: Array.from({ length: 51 }, () => token(1)) }],
  ],
  "a pace is 1 or 5": [
    ["0 for every", subscribe(["prices"], { every: 0 })],
    ["half a second for every", subscribe(["prices"], { every: 0.5 })],
    ["text for every", subscribe(["prices"], { every: "1" })],
    ["null for every", subscribe(["prices"], { every: null })],
  ],
  "a field is known": [
    ["an unknown field", subscribe(["prices"], { user: "somebody" })],
    ["a field of another message", { type: "ping", channels: [] }],
    ["another constructor", { type: "ping", constructor: { prototype: {} } }],
    ["another prototype", '{"type":"ping","__proto__":{"id":"x"}}'],
  ],
  "a field is there once": [
    ["two types", '{"type":"ping","type":"ping"}'],
    ["a list of channels twice", '{"type":"subscribe","channels":["orders"],"channels":["prices"]}'],
  ],
  "an id is short": [
    ["an id of 65 letters", { type: "ping", id: "x".repeat(65) }],
    ["an empty id", { type: "ping", id: "" }],
    ["an id of 20 KB", subscribe(["prices"], { id: "x".repeat(20 * 1024) })],
  ],
  "an id is a string or an integer": [
    ["a fraction for an id", { type: "ping", id: 1.5 }],
    ["a number that JSON does not keep for an id", { type: "ping", id: 2 ** 53 }],
    ["null for an id", { type: "ping", id: null }],
    ["a list for an id", { type: "ping", id: ["c1"] }],
  ],
};

const unknownTypes: Table<unknown> = {
  "a type is known": [
    ["an unknown type", { type: "buy" }],
    ["a type in upper case", { type: "PING" }],
    ["an empty type", { type: "" }],
    ["a message that the service sends", { type: "TradingSettingsUpdated", data: {} }],
    ["the name of a method of every object", { type: "toString" }],
    ["__proto__", '{"type":"__proto__"}'],
  ],
  "a type is a string": [
    ["a number for a type", { type: 7 }],
    ["null for a type", { type: null }],
    ["a list for a type", { type: ["ping"] }],
  ],
};

const unknownChannels: Table<unknown> = {
  "a channel to join is known": [
    ["an unknown channel", subscribe(["candles"])],
    ["a channel in upper case", subscribe(["Prices"])],
    ["a channel of another user", subscribe(["orders#somebody"])],
    ["__proto__ for a channel", subscribe(["__proto__"])],
  ],
  "a channel to leave is known": [
    ["an unknown channel to leave", { type: "unsubscribe", channels: ["candles"] }],
  ],
};

const withCode = (code: string, table: Table<unknown>): BadMessage[] =>
  casesOf(table).map(({ value, ...rest }) => ({ ...rest, code, message: value }));

export const badMessages: readonly BadMessage[] = [
  ...withCode("INVALID_JSON", notJson),
  ...withCode("INVALID_MESSAGE", invalid),
  ...withCode("UNKNOWN_TYPE", unknownTypes),
  ...withCode("UNKNOWN_CHANNEL", unknownChannels),
];

/** Bad messages with an id that the error must repeat. */
export const badMessagesWithId: readonly BadMessage[] = [
  ...withCode("UNKNOWN_TYPE", {
    "an error carries the id": [["an unknown type", { type: "buy", id: "c1" }]],
  }),
  ...withCode("INVALID_MESSAGE", {
    "an error carries the id": [
      ["no type", { id: "c1" }],
      ["channels that are not a list", { type: "subscribe", id: "c1", channels: "prices" }],
    ],
  }),
  ...withCode("UNKNOWN_CHANNEL", {
    "an error carries the id": [
      ["an unknown channel", { type: "unsubscribe", id: "c1", channels: ["candles"] }],
    ],
  }),
];
