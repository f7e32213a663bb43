import { describe, expect, it } from "vitest";
import { cursorAt, positionIn } from "../../lib/core/cursor.ts";

const list = ["order", "alice"];

describe("positionIn", () => {
  it("reads the position only from a cursor of the same list", () => {
    const position = "8234567890123#o_1.2:3-4";
    expect(positionIn(cursorAt(position, list), list)).toBe(position);
    expect(positionIn(cursorAt(position, list), ["order", "bob"])).toBeUndefined();
  });

  it.each(["\u{10FFFF}z", "\uFFFD", "a b", "a\n", ""])(
    "rejects an impossible position even with a correct digest, which anybody can compute: %j",
    (position) => {
      expect(positionIn(cursorAt(position, list), list)).toBeUndefined();
    },
  );
});
