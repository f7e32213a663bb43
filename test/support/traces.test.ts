import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { formsOf, newEvmKey, newSolanaKey } from "./keys.ts";
import { partIn, stackTrace, traceFinder } from "./traces.ts";

const key = newEvmKey();

describe.each([
  ["partIn", (text: string) => partIn(text, formsOf(key))],
  ["traceFinder", traceFinder(formsOf(key))],
])("%s", (_, find) => {
  it.each([
    ["hex in upper case, in part", `{"error":"0x${key.privateKey.slice(20, 42).toUpperCase()}"}`],
    ["a list of bytes", `[${[...key.secret].join(",")}]`],
    ["a list of bytes with spaces", key.secret.toJSON().data.join(", ")],
    ["base64", key.secret.toString("base64")],
    ["base64url", key.secret.toString("base64url")],
  ])("finds traces of %s", (_, text) => {
    expect(find(text)).toBeDefined();
  });

  it("finds 20 characters of a secret at any position", () => {
    const part = key.privateKey.slice(10, 30);
    for (let before = 0; before < 30; before++) expect(find(`${"-".repeat(before)}${part}`)).toBe(find(part));
    expect(find(part)).toBeDefined();
  });

  it("finds no secret in other text", () => {
    expect(find("nothing of the sort")).toBeUndefined();
    // Byte lists of two keys may share three bytes by chance.
    expect(find(newSolanaKey().privateKey)).toBeUndefined();
    expect(find(randomBytes(100_000).toString("hex"))).toBeUndefined();
  });
});

describe("traceFinder", () => {
  it("ignores repeated digits that look like part of a key", () => {
    const find = traceFinder([`0x${"f".repeat(30)}${key.privateKey.slice(32)}`]);
    expect(find(`00${"f".repeat(40)}00`)).toBeUndefined();
    expect(find(key.privateKey)).toBeDefined();
  });
});

describe("stackTrace", () => {
  it("matches only lines of stack traces", () => {
    expect("Error: no\n    at main (file.js:1:1)").toMatch(stackTrace);
    expect('{"error":"Internal server error at 10:00"}').not.toMatch(stackTrace);
  });
});
