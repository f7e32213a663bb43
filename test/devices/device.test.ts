import { expect, it } from "vitest";
import { pauseAfter } from "../../lib/devices/device.ts";

it("pauseAfter grows from seconds to hours, so that a day has about ten attempts", () => {
  expect([1, 2, 3, 4, 5, 6, 7, 50].map(pauseAfter)).toEqual([10, 40, 160, 640, 2560, 10_240, 14_400, 14_400]);
  let [seconds, attempts] = [0, 1];
  for (; seconds < 86_400; attempts++) seconds += pauseAfter(attempts);
  expect(attempts).toBe(13);
});
