import { describe, expect, it } from "vitest";
import { selectRoute } from "../../src/websocket-api/route-selection.ts";

const routes = new Map([
  ["go", 1],
  ["$default", 2],
]);

describe("selectRoute", () => {
  it.each([
    ['{"a":{"b":"go"}}', "go"],
    ['{"a":{"b":"stay"}}', "$default"],
    ['{"a":"go"}', "$default"],
    ['{"b":"go"}', "$default"],
    ['{"a":null}', "$default"],
    ['{"a":["go"]}', "$default"],
  ])("follows a path of several keys in %s", (body, expected) => {
    expect(selectRoute({ selection: ["a", "b"], routes }, body)).toBe(expected);
  });

  it("finds no route for unknown messages if there is no $default", () => {
    expect(selectRoute({ selection: ["a"], routes: new Map([["go", 1]]) }, "{}")).toBeUndefined();
  });
});
