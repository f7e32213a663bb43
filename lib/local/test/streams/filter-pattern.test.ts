import { describe, expect, test } from "vitest";
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

describe("what an event matches", () => {
  test.each<[string, object, boolean]>([
    ["an exact value", { eventName: ["INSERT"] }, true],
    ["another value", { eventName: ["REMOVE"] }, false],
    ["one of several values", { eventName: ["REMOVE", "INSERT"] }, true],
    ["all of several fields", { eventName: ["INSERT"], ...key(["ORDER#7"]) }, true],
    ["all but one of several fields", { eventName: ["REMOVE"], ...key(["ORDER#7"]) }, false],
    ["a number", { dynamodb: { SizeBytes: [40] } }, true],
    ["the same number as text", { dynamodb: { SizeBytes: ["40"] } }, false],
    ["a boolean", image({ open: { BOOL: [true] } }), true],
    ["null, which is not an absent field", image({ gone: { S: [null] } }), false],
    ["a prefix", key([{ prefix: "ORDER#" }]), true],
    ["another prefix", key([{ prefix: "POSITION#" }]), false],
    ["one of several prefixes", key([{ prefix: "POSITION#" }, { prefix: "ORDER#" }]), true],
    ["a prefix of what is no text", { dynamodb: { SizeBytes: [{ prefix: "4" }] } }, false],
    ["a suffix", key([{ suffix: "#7" }]), true],
    ["another suffix", key([{ suffix: "#8" }]), false],
    ["the same but for its case", key([{ "equals-ignore-case": "order#7" }]), true],
    ["something else whatever its case", key([{ "equals-ignore-case": "order#8" }]), false],
    ["a field that is there", image({ open: { BOOL: [{ exists: true }] } }), true],
    ["a field that is not there", image({ gone: { S: [{ exists: true }] } }), false],
    ["no field", image({ gone: { S: [{ exists: false }] } }), true],
    ["no field, which is there", image({ open: { BOOL: [{ exists: false }] } }), false],
    [
      "no field of something that is not there at all",
      { dynamodb: { OldImage: { x: { S: [{ exists: false }] } } } },
      true,
    ],
    ["anything but one value", key([{ "anything-but": "ORDER#7" }]), false],
    ["anything but another value", key([{ "anything-but": "ORDER#8" }]), true],
    ["anything but several values", key([{ "anything-but": ["ORDER#8", "ORDER#7"] }]), false],
    ["anything but a value, with nothing there", image({ gone: { S: [{ "anything-but": "x" }] } }), false],
    ["an element of a list", image({ tags: { SS: ["b"] } }), true],
    ["a field of an element of a list", image({ legs: { L: { S: ["x"] } } }), true],
    ["no element of a list", image({ tags: { SS: ["c"] } }), false],
  ])("%s", (_, pattern, expected) => {
    expect(readPattern(JSON.stringify(pattern))(event)).toBe(expected);
  });
});

test("fields that every object has are none of an event", () => {
  expect(readPattern('{"constructor":[{"exists":true}]}')(event)).toBe(false);
});

describe("what is not emulated is refused by name", () => {
  test.each<[unknown, RegExp]>([
    [{ dynamodb: { SizeBytes: [{ numeric: [">", 1] }] } }, /the operator \{"numeric":\[">",1\]\}/],
    [{ $or: [{ eventName: ["INSERT"] }] }, /"\$or"/],
    [key([{ "anything-but": { prefix: "ORDER#" } }]), /the operator \{"anything-but":\{"prefix"/],
    [key([{ prefix: { "equals-ignore-case": "o" } }]), /the operator \{"prefix"/],
    [key([{ constructor: "x" }]), /the operator/],
    [key([{ prefix: "a", suffix: "b" }]), /prefix/],
    [key([]), /"S", which is no list of values/],
    [key("ORDER#7"), /"S", which is no list of values/],
    [{}, /a pattern without fields/],
    [["INSERT"], /a pattern without fields/],
  ])("%j", (pattern, message) => {
    expect(() => readPattern(JSON.stringify(pattern))).toThrow(message);
  });

  test("what is no JSON", () => {
    expect(() => readPattern("{")).toThrow(SyntaxError);
  });
});
