import { expect, it } from "vitest";
import { finalAfterBlocks } from "../../evm/chain-times.ts";

it.each([
  ["a block a second and two seconds of finality", 1000, 2, 2],
  ["five blocks a second", 200, 2, 10],
  ["an odd number of blocks, which anvil cannot count", 400, 1, 4],
  ["less than a block", 1000, 0.5, 2],
])("computes how many further blocks make a block final, with %s", (_, blockMs, finalitySeconds, blocks) => {
  expect(finalAfterBlocks({ blockMs, finalitySeconds })).toBe(blocks);
});
