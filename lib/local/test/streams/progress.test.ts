import { expect, test } from "vitest";
import { createProgress } from "../../src/streams/progress.ts";

function begun(names: string) {
  const reached: string[] = [];
  const progress = createProgress((sequenceNumber) => reached.push(sequenceNumber));
  for (const name of names) progress.begin(name);
  return { progress, reached };
}

test("goes on with what is through in order", () => {
  const { progress, reached } = begun("abc");
  progress.done("a");
  progress.done("b");
  expect(reached).toEqual(["a", "b"]);
});

test("stays before what is not through, whatever is through behind it", () => {
  const { progress, reached } = begun("abcd");
  progress.done("d");
  progress.done("b");
  expect(reached).toEqual([]);
  progress.done("a");
  expect(reached).toEqual(["b"]);
  progress.done("c");
  expect(reached).toEqual(["b", "d"]);
});

test("tells when few enough are under way", async () => {
  const { progress } = begun("abc");
  const told: string[] = [];
  await progress.untilAtMost(3);
  const two = progress.untilAtMost(2).then(() => told.push("two"));
  const none = progress.untilAtMost(0).then(() => told.push("none"));
  progress.done("a");
  await two;
  expect(told).toEqual(["two"]);
  progress.done("c");
  progress.done("b");
  await none;
  expect(told).toEqual(["two", "none"]);
});
