import { readFileSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { animationMs, checkSize, delaysIn, fitted, joinEqual, mostBytes } from "./frames.ts";

const frame = (text: string, ms: number, isWait = false) => ({ png: Buffer.from(text), ms, isWait });
const sumOf = (frames: readonly { ms: number }[]) => frames.reduce((sum, { ms }) => sum + ms, 0);

describe("joinEqual", () => {
  it("adds up the times of equal frames that follow each other, and changes none that it was given", () => {
    const given = [frame("a", 100), frame("a", 50), frame("a", 9, true), frame("b", 10), frame("a", 5)];
    expect(joinEqual(given)).toEqual([frame("a", 150), frame("a", 9, true), frame("b", 10), frame("a", 5)]);
    expect(given[0]?.ms).toBe(100);
  });
});

describe("fitted", () => {
  it("shortens only waits, and drops their frames that would flash by", () => {
    const waits = ["b", "c", "d"].map((text) => frame(text, 250, true));
    expect(fitted([frame("a", 300), ...waits, frame("e", 200)], 600)).toEqual([
      frame("a", 300),
      frame("c", 67, true),
      frame("e", 233),
    ]);
  });

  it("fills the time exactly", () => {
    const waits = Array.from({ length: 70 }, (_, index) => frame(`${index}`, 273, true));
    expect(sumOf(fitted([frame("a", 10_001), ...waits], animationMs))).toBe(animationMs);
    expect(sumOf(fitted([frame("a", 19_990), ...waits], animationMs))).toBe(animationMs);
  });

  it.each([[[]], [[frame("a", 100), frame("b", 10, true)]], [[frame("a", 10), frame("b", 44, true)]]])(
    "refuses a recording that does not fit: %j",
    (frames) => {
      expect(() => fitted(frames, 100)).toThrow("do not fit");
    },
  );
});

describe("the pictures of the console in README.md", () => {
  const shown = [
    ...readFileSync("README.md", "utf8").matchAll(/!\[([^\]]*)\]\((docs\/pictures\/[^)]+\.webp)\)/g),
  ];
  const paths = shown.map(([, , path = ""]) => path);

  it("shows the console, and then 20 seconds of a trade, both described for those who cannot see them", () => {
    const shownMs = paths.map((path) => delaysIn(readFileSync(path)).reduce((sum, ms) => sum + ms, 0));
    expect(shownMs).toEqual([0, animationMs]);
    expect(shown.map(([, text = ""]) => text.length > 40)).toEqual([true, true]);
  });

  it("takes at most 1.5 MB", () => {
    checkSize(Object.fromEntries(paths.map((path) => [path, statSync(path).size])));
    expect(() => checkSize({ still: mostBytes - 1, moving: 2 })).toThrow("still 1499999, moving 2");
  });
});
