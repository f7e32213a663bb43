import { describe, expect, it } from "vitest";
import { operations } from "../../../lib/operations/operations.ts";
import { rightsOf } from "../../../lib/tools/documents/takeover-table.ts";
import { takeovers } from "../../../lib/tools/documents/takeovers.ts";

describe("the table of compromised functions", () => {
  it("lists each function once", () => {
    const named = takeovers.flatMap(({ functions }) => functions);
    expect(named.toSorted()).toEqual(Object.keys(operations).sort());
  });

  // After changing a right, first reread the function's sentence in takeovers.ts, then update the rights next to it.
  it.each(takeovers.flatMap(({ functions, rights }) => functions.map((name) => ({ name, rights }))))(
    "lists the current rights of $name, which its sentence describes",
    ({ name, rights }) => {
      expect(rightsOf(name)).toEqual({ reads: "", writes: "", deletes: "", uses: "", ...rights });
    },
  );
});
