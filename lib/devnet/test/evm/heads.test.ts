import { describe, expect, it } from "vitest";
import { createHeads } from "../../evm/heads.ts";

describe("createHeads", () => {
  function blocksEvery(blockMs: number, count: number) {
    let nowMs = 0;
    const heads = createHeads(() => nowMs);
    for (let height = 1; height <= count; height++) {
      nowMs = height * blockMs;
      heads.note(height);
      heads.note(height);
    }
    return heads;
  }

  it.each([
    [0, 20],
    [300, 18],
    [600, 17],
    [1000, 15],
    [3000, 5],
    [9000, 1],
  ])("knows the height %i ms ago of a chain with five blocks a second", (ms, height) => {
    expect(blocksEvery(200, 20).before(ms)).toBe(height);
  });

  it("returns no height before the first block", () => {
    expect(createHeads().before(0)).toBeUndefined();
  });

  it("forgets heights above the current one after the chain went back", () => {
    const heads = blocksEvery(200, 20);
    heads.note(10);
    expect(heads.before(0)).toBe(10);
    heads.note(11);
    expect(heads.before(0)).toBe(11);
  });
});
