import { expect, it } from "vitest";
import { StaleHeads } from "../../../lib/markets/core/stale-markets.ts";

const at = (seconds: number) => seconds * 1000;
const read = (time: number | undefined, isWanted = true) => [
  { chain: "base", isWanted, head: time === undefined ? undefined : { time } },
];

it("reports a wanted chain once a minute while its newest block is older than a minute", () => {
  const heads = new StaleHeads();
  expect(heads.note(read(1000), at(1001))).toEqual([]);
  expect(heads.note(read(1001), at(1061))).toEqual([]);
  expect(heads.note(read(1001), at(1062))).toEqual([{ chain: "base", ageSeconds: 61 }]);
  expect(heads.note(read(1001), at(1121))).toEqual([]);
  expect(heads.note(read(1001), at(1122))).toEqual([{ chain: "base", ageSeconds: 121 }]);
  expect(heads.note(read(1180), at(1182))).toEqual([]);
});

it("gives a chain that has just become wanted a minute for its first block", () => {
  const heads = new StaleHeads();
  expect(heads.note(read(undefined), at(1000))).toEqual([]);
  expect(heads.note(read(undefined), at(1059))).toEqual([]);
  expect(heads.note(read(undefined), at(1060))).toEqual([{ chain: "base" }]);
  expect(heads.note(read(undefined, false), at(2000))).toEqual([]);
  expect(heads.note(read(undefined), at(2001))).toEqual([]);
});
