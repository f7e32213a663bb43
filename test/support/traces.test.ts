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
  ])("finds %s", (_, text) => {
    expect(find(text)).toBeDefined();
  });

  it("finds a part of 20 characters at any position", () => {
    const part = key.privateKey.slice(10, 30);
    for (let before = 0; before < 30; before++) expect(find(`${"-".repeat(before)}${part}`)).toBe(find(part));
    expect(find(part)).toBeDefined();
  });

  it("finds nothing in other text", () => {
    expect(find("nothing of the sort")).toBeUndefined();
    // Lists of bytes of two keys may agree in three by chance.
    expect(find(newSolanaKey().privateKey)).toBeUndefined();
    expect(find(randomBytes(100_000).toString("hex"))).toBeUndefined();
  });
});

describe("traceFinder", () => {
  it("does not mistake repeated digits for a part of a key", () => {
    const find = traceFinder([`0x${"f".repeat(30)}${key.privateKey.slice(32)}`]);
    expect(find(`00${"f".repeat(40)}00`)).toBeUndefined();
    expect(find(key.privateKey)).toBeDefined();
  });
});

describe("stackTrace", () => {
  it("matches a stack trace and no other lines", () => {
    expect("Error: no\n    at main (file.js:1:1)").toMatch(stackTrace);
    expect('{"error":"Internal server error at 10:00"}').not.toMatch(stackTrace);
  });
});
