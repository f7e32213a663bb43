import { type Case, casesOf, type Table } from "./sample.ts";

/** A body that every POST rejects, derived from a valid one. */
export type BadBody = Case & { body: (good: string) => string | Uint8Array };

type Make = BadBody["body"];

const megabytes = (count: number) => "x".repeat(count * 1_000_000);

const table: Table<Make> = {
  "a body is required": [
    ["nothing", () => ""],
    ["a space", () => " "],
  ],
  "a body is an object": [
    ["null", () => "null"],
    ["true", () => "true"],
    ["a number", () => "42"],
    ["a string", () => '"text"'],
    ["the good body as a string", (good) => JSON.stringify(good)],
    ["an empty list", () => "[]"],
    ["the good body in a list", (good) => `[${good}]`],
  ],
  "a body is JSON": [
    ["plain text", () => "hello"],
    ["half of the good body", (good) => good.slice(0, -3)],
    ["more after the good body", (good) => `${good}}`],
    ["two good bodies", (good) => good + good],
    ["a comma too many", (good) => good.replace("}", ",}")],
    ["single quotes", (good) => good.replaceAll('"', "'")],
    ["a comment", (good) => `/* */${good}`],
    ["NaN", () => '{"slippage":NaN,"privateKey":NaN}'],
    ["Infinity", () => '{"slippage":Infinity,"privateKey":-Infinity}'],
    ["a form", () => "network=eth&slippage=1"],
    ["XML", () => "<network>eth</network>"],
  ],
  "a body has each field once": [
    ["the good fields twice", (good) => `${good.slice(0, -1)},${good.slice(1)}`],
    [
      "a field twice, once with an escape",
      (good) => good.replace('{"', '{"slippage":1,"slip\\u0070age":1,"'),
    ],
    ["a field twice in a field", (good) => good.replace("{", '{"a":[{"b":1,"c":{"b":1},"b":1}],')],
  ],
  "a body has no byte order mark": [["a byte order mark", (good) => `\uFEFF${good}`]],
  "a body is UTF-8": [
    ["UTF-16", (good) => Buffer.from(good, "utf16le")],
    ["bytes that are not text", () => Buffer.from([0xff, 0xfe, 0x00, 0x80])],
  ],
  "a body has no NUL byte": [
    ["a NUL byte", () => "\0"],
    ["a NUL byte after the good body", (good) => `${good}\0`],
  ],
  "a body is not deep": [
    ["a list 100,000 deep", () => "[".repeat(100_000) + "]".repeat(100_000)],
    ["a list 100,000 deep that does not end", () => "[".repeat(100_000)],
    ["an object 100,000 deep", () => `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`],
  ],
  "a large body is parsed like a small one": [
    ["1 MB of text", () => megabytes(1)],
    ["1 MB in a string", () => JSON.stringify(megabytes(1))],
  ],
};

export const badBodies: readonly BadBody[] = casesOf(table).map(({ value, ...rest }) => ({
  ...rest,
  body: value,
}));

/** Fields that every body rejects, as JSON, each with a pattern for the error message. */
export const unknownFields = casesOf<{ json: string; names: RegExp }>({
  "an unknown field": [
    ["an unknown field", { json: '"surprise":1', names: /surprise/ }],
    ["an unknown field that is null", { json: '"surprise":null', names: /surprise/ }],
    ["an id", { json: '"_id":"1"', names: /_id/ }],
    ["another user", { json: '"userID":"somebody-else"', names: /userID/ }],
    ["another user, as wallets spell it", { json: '"UserID":"somebody-else"', names: /UserID/ }],
    ["a key of the table", { json: '"PK":"USER#somebody-else"', names: /PK/ }],
  ],
  "a property of every object": [
    ["__proto__", { json: '"__proto__":{"polluted":true}', names: /__proto__|field/ }],
    ["constructor", { json: '"constructor":{"prototype":{"polluted":true}}', names: /constructor/ }],
    ["toString", { json: '"toString":"x"', names: /toString/ }],
    ["hasOwnProperty", { json: '"hasOwnProperty":"x"', names: /hasOwnProperty/ }],
  ],
  "a name that is not repeated": [
    ["a field named like an operator", { json: '"$set":{"tier":"Pro"}', names: /field/ }],
    ["a field without a name", { json: '"":1', names: /field/ }],
    ["1 MB as the name of a field", { json: `"${megabytes(1)}":1`, names: /field/ }],
  ],
  "a large field": [
    ["1 MB in an unknown field", { json: `"surprise":"${megabytes(1)}"`, names: /surprise/ }],
    [
      "an unknown field 100,000 deep",
      { json: `"surprise":${"[".repeat(100_000)}${"]".repeat(100_000)}`, names: /surprise/ },
    ],
  ],
});

/** Values of Content-Type that are answered with 415, each with a valid body. */
export const badContentTypes = casesOf<string[]>({
  "no type": [
    ["no Content-Type", []],
    ["an empty Content-Type", [""]],
  ],
  "another type": [
    ["plain text", ["text/plain"]],
    ["a form", ["application/x-www-form-urlencoded"]],
    ["a multipart form", ["multipart/form-data; boundary=x"]],
    ["anything", ["*/*"]],
  ],
  "a type that looks like JSON": [
    ["JSON as text", ["text/json"]],
    ["a name that begins like that of JSON", ["application/json5"]],
    ["lines of JSON", ["application/jsonl"]],
    ["JSON of another kind", ["application/vnd.api+json"]],
    ["plain text with JSON for a parameter", ["text/plain; application/json"]],
  ],
});
