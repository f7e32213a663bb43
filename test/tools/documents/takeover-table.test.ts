import { describe, expect, it } from "vitest";
import { operations } from "../../../lib/operations/operations.ts";
import { rightsOf } from "../../../lib/tools/documents/takeover-table.ts";
import { takeovers } from "../../../lib/tools/documents/takeovers.ts";

describe("the table of compromised functions", () => {
  it("has each function once", () => {
    const named = takeovers.flatMap(({ functions }) => functions);
    expect(named.toSorted()).toEqual(Object.keys(operations).sort());
  });

  // After a right has changed, read the function's sentence in takeovers.ts again, and then adapt the rights next to it.
  it.each(takeovers.flatMap(({ functions, rights }) => functions.map((name) => ({ name, rights }))))(
    "has the rights of $name for which its sentence was written",
    ({ name, rights }) => {
      expect(rightsOf(name)).toEqual({ reads: "", writes: "", deletes: "", uses: "", ...rights });
    },
  );
});
