import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson, RepeatedField } from "../../lib/runtime/json.ts";
import { cpuMs } from "../support/cpu-time.ts";

describe("parseJson", () => {
  it("parses the same texts as JSON.parse", () => {
    fc.assert(
      fc.property(fc.json({ depthSize: "medium" }), (json) => {
        expect(parseJson(json)).toEqual(JSON.parse(json));
      }),
    );
  });

  it.each([
    '{"a":1,"a":1}',
    '{"a":{"b":1,"b":2}}',
    '[{"a":[]},{"c":0,"a":[{}],"a":null}]',
    '{"a":1,"\\u0061":1}',
    '{"":1,"":2}',
    '{"__proto__":1,"__proto__":2}',
    '{"a\\"":1,"b":"{","a\\"":2}',
    '{ "a" : 1 , "a" : 2 }',
  ])("rejects %s", (json) => {
    expect(() => parseJson(json)).toThrow(RepeatedField);
  });

  it.each([
    '{"a":"a","b":"a"}',
    '{"a":{"a":{"a":1}},"b":{"a":1}}',
    '[{"a":1},{"a":1}]',
    '{"a":"\\"a\\":1,{","b":"}\\\\"}',
    '["a","a"]',
  ])("accepts %s", (json) => {
    expect(parseJson(json)).toEqual(JSON.parse(json));
  });

  it("needs linear time even for 6 MB", () => {
    const body = `{${Array.from({ length: 50_000 }, (_, index) => `"name${index}":{}`).join()}}`;
    const text = JSON.stringify("{".repeat(6_000_000));
    expect(cpuMs(() => [parseJson(body), parseJson(text)])).toBeLessThan(5000);
  });

  it("throws a SyntaxError for invalid JSON", () => {
    expect(() => parseJson('{"a":1,"a":')).toThrow(SyntaxError);
  });
});
