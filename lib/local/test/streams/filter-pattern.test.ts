import { describe, expect, it } from "vitest";
import { readPattern } from "../../src/streams/filter-pattern.ts";

const event = {
  eventName: "INSERT",
  dynamodb: {
    Keys: { PK: { S: "USER#1" }, SK: { S: "ORDER#7" } },
    NewImage: {
      open: { BOOL: true },
      note: { NULL: true },
      tags: { SS: ["a", "b"] },
      legs: { L: [{ S: "x" }] },
    },
    SizeBytes: 40,
  },
};

const key = (sk: unknown) => ({ dynamodb: { Keys: { SK: { S: sk } } } });
const image = (fields: object) => ({ dynamodb: { NewImage: fields } });

describe("readPattern", () => {
  const matches = (pattern: object) => readPattern(JSON.stringify(pattern))(event);

  it.each<[string, object]>([
    ["an exact value", { eventName: ["INSERT"] }],
    ["one of several values", { eventName: ["REMOVE", "INSERT"] }],
    ["all of several fields", { eventName: ["INSERT"], ...key(["ORDER#7"]) }],
    ["a number", { dynamodb: { SizeBytes: [40] } }],
    ["a boolean", image({ open: { BOOL: [true] } })],
    ["a prefix", key([{ prefix: "ORDER#" }])],
    ["one of several prefixes", key([{ prefix: "POSITION#" }, { prefix: "ORDER#" }])],
    ["an element of a list", image({ tags: { SS: ["b"] } })],
    ["a field of an element of a list", image({ legs: { L: { S: ["x"] } } })],
  ])("matches %s in an event", (_, pattern) => {
    expect(matches(pattern)).toBe(true);
  });

  it.each<[string, object]>([
    ["another value", { eventName: ["REMOVE"] }],
    ["all but one of several fields", { eventName: ["REMOVE"], ...key(["ORDER#7"]) }],
    ["the same number as text", { dynamodb: { SizeBytes: ["40"] } }],
    ["null for an absent field", image({ gone: { S: [null] } })],
    ["another prefix", key([{ prefix: "POSITION#" }])],
    ["a prefix of a number", { dynamodb: { SizeBytes: [{ prefix: "4" }] } }],
    ["no element of a list", image({ tags: { SS: ["c"] } })],
  ])("finds no match for %s", (_, pattern) => {
    expect(matches(pattern)).toBe(false);
  });

  it.each<[unknown, RegExp]>([
    [{ dynamodb: { SizeBytes: [{ numeric: [">", 1] }] } }, /the operator \{"numeric":\[">",1\]\}/],
    [{ $or: [{ eventName: ["INSERT"] }] }, /"\$or"/],
    [key([{ "anything-but": "ORDER#7" }]), /the operator \{"anything-but"/],
    [key([{ exists: true }]), /the operator \{"exists"/],
    [key([{ prefix: { "equals-ignore-case": "o" } }]), /the operator \{"prefix"/],
    [key([{ constructor: "x" }]), /the operator/],
    [key([{ prefix: "a", suffix: "b" }]), /prefix/],
    [key([]), /"S" without a list of values/],
    [key("ORDER#7"), /"S" without a list of values/],
    [{}, /a pattern without fields/],
    [["INSERT"], /a pattern without fields/],
  ])("rejects the pattern %j", (pattern, message) => {
    expect(() => readPattern(JSON.stringify(pattern))).toThrow(message);
  });

  it("rejects malformed JSON", () => {
    expect(() => readPattern("{")).toThrow(SyntaxError);
  });
});
