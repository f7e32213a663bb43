import { InvalidArgumentError } from "commander";
import { expect, test } from "vitest";
import { patience } from "../../lib/dev/arguments.ts";

test.each([
  ["1", 1],
  ["600", 600],
  ["86400", 86_400],
])("%s seconds", (text, seconds) => {
  expect(patience(text)).toBe(seconds);
});

test.each(["0", "86401", "-1", "1.5", "1e3", "0x10", " 5", "", "soon"])("%j is no time to wait", (text) => {
  expect(() => patience(text)).toThrow(InvalidArgumentError);
});
