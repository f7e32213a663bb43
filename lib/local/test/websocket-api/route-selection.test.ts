import { expect, test } from "vitest";
import { selectRoute } from "../../src/websocket-api/route-selection.ts";

const routes = new Map([
  ["go", 1],
  ["$default", 2],
]);

test.each([
  ['{"a":{"b":"go"}}', "go"],
  ['{"a":{"b":"stay"}}', "$default"],
  ['{"a":"go"}', "$default"],
  ['{"b":"go"}', "$default"],
  ['{"a":null}', "$default"],
  ['{"a":["go"]}', "$default"],
])("a path of several keys in %s", (body, expected) => {
  expect(selectRoute({ selection: ["a", "b"], routes }, body)).toBe(expected);
});

test("without $default there may be none", () => {
  expect(selectRoute({ selection: ["a"], routes: new Map([["go", 1]]) }, "{}")).toBeUndefined();
});
