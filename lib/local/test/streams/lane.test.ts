import { describe, expect, test } from "vitest";
import type { Change } from "../../src/streams/change.ts";
import { createLane } from "../../src/streams/lane.ts";
import { testClock } from "../events/test-clock.ts";

const MEGABYTE = 1024 * 1024;

const change = (sequenceNumber: string, size = 10): Change => {
  return { sequenceNumber, size, createdAt: 0, event: {}, partition: 0 };
};

/** A lane whose batches are handled when they are told to be. */
function openLane({ batchSize = 100, window = 0 }) {
  const { clock, advance } = testClock();
  const ending = new AbortController();
  const batches: string[] = [];
  const handled: (() => void)[] = [];
  const lane = createLane(
    { batchSize, window },
    (batch) => {
      batches.push(batch.map(({ sequenceNumber }) => sequenceNumber).join(""));
      return new Promise((resolve) => handled.push(resolve));
    },
    clock,
    ending.signal,
  );
  const push = (names: string) => {
    for (const name of names) lane.push(change(name));
  };
  const finish = async () => {
    handled.shift()?.();
    await advance();
  };
  return { lane, push, batches, finish, advance, ending };
}

test("what comes together is one batch, at once", async () => {
  const { push, batches, advance } = openLane({});
  push("abc");
  await advance();
  expect(batches).toEqual(["abc"]);
});

test("a batch has no more records than it may, and the next one follows when it is handled", async () => {
  const { push, batches, finish, advance } = openLane({ batchSize: 2 });
  push("abcde");
  await advance();
  expect(batches).toEqual(["ab"]);
  push("f");
  await finish();
  await finish();
  expect(batches).toEqual(["ab", "cd", "ef"]);
});

test("what comes while a batch is handled waits for it", async () => {
  const { push, batches, finish, advance } = openLane({});
  push("a");
  await advance();
  push("bc");
  await advance();
  expect(batches).toEqual(["a"]);
  await finish();
  expect(batches).toEqual(["a", "bc"]);
  await finish();
  push("d");
  await advance();
  expect(batches).toEqual(["a", "bc", "d"]);
});

test("a batch has no more bytes than an event may have", async () => {
  const { lane, batches, finish, advance } = openLane({});
  for (const name of "abcd") lane.push(change(name, 2.5 * MEGABYTE));
  await advance();
  await finish();
  expect(batches).toEqual(["ab", "cd"]);
});

describe("with a window", () => {
  test("a batch waits for more, and no longer than that", async () => {
    const { push, batches, advance } = openLane({ window: 1000 });
    push("a");
    await advance(999);
    push("b");
    expect(batches).toEqual([]);
    await advance(1);
    expect(batches).toEqual(["ab"]);
  });

  test("a full batch does not wait", async () => {
    const { push, batches, advance } = openLane({ window: 1000, batchSize: 2 });
    push("a");
    await advance(10);
    push("b");
    await advance();
    expect(batches).toEqual(["ab"]);
  });

  test("a batch that is full at once does not wait either", async () => {
    const { push, batches, finish, advance } = openLane({ window: 1000, batchSize: 2 });
    push("abc");
    await advance();
    expect(batches).toEqual(["ab"]);
    await finish();
    expect(batches).toEqual(["ab"]);
    await advance(1000);
    expect(batches).toEqual(["ab", "c"]);
  });

  test("nothing is handed on once everything ends", async () => {
    const { push, batches, ending, advance } = openLane({ window: 1000 });
    push("a");
    await advance();
    ending.abort();
    await advance(2000);
    expect(batches).toEqual([]);
  });
});
