import { expect, it } from "vitest";
import { earnedText } from "../../../lib/tools/runner/demo-earnings.ts";

const before = { xp: 40, level: 1, missing: 60, points: 5 };

it.each<[string, Partial<typeof before> | undefined, string]>([
  [
    "a new level",
    { xp: 630, level: 3, missing: 270, points: 601 },
    "alice: 590 XP and 596 points earned, level 1 → 3, 270 XP to the next",
  ],
  ["an old level", { xp: 50, missing: 50 }, "alice: 10 XP and 0 points earned, level 1, 50 XP to the next"],
  ["no credit", {}, "alice: nothing credited; today's caps may be used up; level 1"],
  ["no answer", undefined, "The service did not say what the trades have earned"],
])("describes %s", (_, after, text) => {
  expect(earnedText(before, after && { ...before, ...after })).toBe(text);
});
