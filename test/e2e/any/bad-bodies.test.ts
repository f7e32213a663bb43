import { describe, expect, test } from "vitest";
import { type Answer, sendRaw } from "../support/client.ts";
import { expectMessage, expectNoTraceOf, expectRefusal } from "../support/expectations.ts";
import { newEvmKey } from "../../support/keys.ts";
import { keeping } from "../support/terminal.ts";
import { someUser, type User } from "../support/users.ts";

const { network, privateKey } = newEvmKey();

/** A good body of each endpoint that takes one. */
const takers = [
  { path: "/storeWallet_v2", good: { network, privateKey }, kept: "wallets" },
  { path: "/updateTradingSettings/eth", good: { slippage: 7.25 }, kept: "settings" },
] as const;

const json = "application/json";

const sendAs = (user: User, path: string, types: string[], body: string | Uint8Array): Promise<Answer> =>
  sendRaw(
    "POST",
    path,
    [["Authorization", `Bearer ${user.token}`], ...types.map((type) => ["Content-Type", type] as const)],
    body,
  );

const megabytes = (count: number) => "x".repeat(count * 1_000_000);

describe.each(takers)("POST $path", ({ path, good, kept }) => {
  const goodText = JSON.stringify(good);

  test.each<[title: string, body: string | Uint8Array]>([
    ["nothing", ""],
    ["a space", " "],
    ["null", "null"],
    ["true", "true"],
    ["a number", "42"],
    ["a string", '"text"'],
    ["the good body as a string", JSON.stringify(goodText)],
    ["an empty list", "[]"],
    ["the good body in a list", `[${goodText}]`],
    ["plain text", "hello"],
    ["half of the good body", goodText.slice(0, -3)],
    ["more behind the good body", `${goodText}}`],
    ["two good bodies", goodText + goodText],
    ["a comma too many", goodText.replace("}", ",}")],
    ["single quotes", goodText.replaceAll('"', "'")],
    ["a comment", `/* */${goodText}`],
    ["a byte order mark", `\uFEFF${goodText}`],
    ["UTF-16", Buffer.from(goodText, "utf16le")],
    ["bytes that are no text", Buffer.from([0xff, 0xfe, 0x00, 0x80])],
    ["a NUL byte", "\0"],
    ["a NUL byte behind the good body", `${goodText}\0`],
    ["NaN", '{"slippage":NaN,"privateKey":NaN}'],
    ["Infinity", '{"slippage":Infinity,"privateKey":-Infinity}'],
    ["a form", "network=eth&slippage=1"],
    ["XML", "<network>eth</network>"],
    ["a list 100,000 deep", "[".repeat(100_000) + "]".repeat(100_000)],
    ["a list 100,000 deep that does not end", "[".repeat(100_000)],
    ["an object 100,000 deep", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`],
    ["1 MB of text", megabytes(1)],
    ["1 MB in a string", JSON.stringify(megabytes(1))],
  ])("refuses %s with 400, and stores nothing", async (_, body) => {
    const user = await someUser();

    const answer = await keeping(kept, user, () => sendAs(user, path, [json], body));

    expectMessage(answer, 400);
    expectNoTraceOf(privateKey, answer);
  });

  test.each<[title: string, fields: string, name: RegExp]>([
    ["an unknown field", '"surprise":1', /surprise/],
    ["an unknown field that is null", '"surprise":null', /surprise/],
    ["__proto__", '"__proto__":{"polluted":true}', /__proto__|field/],
    ["constructor", '"constructor":{"prototype":{"polluted":true}}', /constructor/],
    ["toString", '"toString":"x"', /toString/],
    ["hasOwnProperty", '"hasOwnProperty":"x"', /hasOwnProperty/],
    ["an id", '"_id":"1"', /_id/],
    ["another user", '"userID":"somebody-else"', /userID/],
    ["another user, as wallets spell it", '"UserID":"somebody-else"', /UserID/],
    ["a key of the table", '"PK":"USER#somebody-else"', /PK/],
    ["a field named like an operator", '"$set":{"tier":"Pro"}', /field/],
    ["a field without a name", '"":1', /field/],
    ["1 MB as a field's name", `"${megabytes(1)}":1`, /field/],
    ["1 MB in an unknown field", `"surprise":"${megabytes(1)}"`, /surprise/],
    ["an unknown field 100,000 deep", `"surprise":${"[".repeat(100_000)}${"]".repeat(100_000)}`, /surprise/],
  ])("refuses %s beside good fields, names it, and stores nothing", async (_, fields, name) => {
    const user = await someUser();
    const body = goodText.replace("{", `{${fields},`);

    const answer = await keeping(kept, user, () => sendAs(user, path, [json], body));

    expectMessage(answer, 400, name);
    expect(answer.text.length).toBeLessThan(500);
    expectNoTraceOf(privateKey, answer);
  });

  test("never quotes a private key that stands where a field's name belongs", async () => {
    const user = await someUser();
    const body = JSON.stringify({ ...good, [privateKey]: "eth", [privateKey.slice(2)]: "eth" });

    const answer = await keeping(kept, user, () => sendAs(user, path, [json], body));

    expectMessage(answer, 400);
    expectNoTraceOf(privateKey, answer);
  });

  test("refuses 9 MB, and stores nothing", async () => {
    const user = await someUser();

    const answer = await keeping(kept, user, () => sendAs(user, path, [json], megabytes(9)));

    expectRefusal(answer, 400, 413);
  });

  test.each<[title: string, types: string[]]>([
    ["no Content-Type", []],
    ["an empty Content-Type", [""]],
    ["plain text", ["text/plain"]],
    ["a form", ["application/x-www-form-urlencoded"]],
    ["a form of parts", ["multipart/form-data; boundary=x"]],
    ["text that looks like JSON", ["text/json"]],
    ["a name that only begins like JSON's", ["application/json5"]],
    ["lines of JSON", ["application/jsonl"]],
    ["JSON of another kind", ["application/vnd.api+json"]],
    ["plain text with JSON for a parameter", ["text/plain; application/json"]],
    ["anything", ["*/*"]],
  ])("refuses a good body sent as %s with 415, and stores nothing", async (_, types) => {
    const user = await someUser();

    const answer = await keeping(kept, user, () => sendAs(user, path, types, goodText));

    expectMessage(answer, 415, /application\/json/);
    expectNoTraceOf(privateKey, answer);
  });
});

test.each([
  "application/json",
  "application/json; charset=utf-8",
  "application/json;charset=UTF-8",
  "Application/JSON",
  "  application/json  ",
])("takes JSON that is sent as %j", async (type) => {
  const user = await someUser();

  const answer = await sendAs(user, "/updateTradingSettings/eth", [type], "{}");

  expect(answer.status, answer.text).toBe(200);
});

test("takes JSON with space and line breaks around it", async () => {
  const user = await someUser();

  const answer = await sendAs(user, "/updateTradingSettings/eth", [json], " \r\n\t{ } \n");

  expect(answer.status, answer.text).toBe(200);
});
