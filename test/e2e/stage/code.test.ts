import { describe, expect } from "vitest";
import { it } from "./support/check.ts";

describe("each function", () => {
  it("runs the code of this checkout, to the byte", async ({ deployed }) => {
    expect(await deployed.codeFaults()).toEqual([]);
  });
});
