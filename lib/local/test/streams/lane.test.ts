import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Change } from "../../src/streams/change.ts";
import { createLane } from "../../src/streams/lane.ts";

const MEGABYTE = 1024 * 1024;

const change = (sequenceNumber: string, size = 10): Change => {
  return { sequenceNumber, size, createdAt: 0, event: {}, partition: 0 };
};

/** Opens a lane whose batches stay unfinished until `finish` is called. */
function openLane({ batchSize = 100 } = {}) {
  const ending = new AbortController();
  const batches: string[] = [];
  const handled: (() => void)[] = [];
  const lane = createLane(
    batchSize,
    (batch) => {
      batches.push(batch.map(({ sequenceNumber }) => sequenceNumber).join(""));
      return new Promise((resolve) => handled.push(resolve));
    },
    ending.signal,
  );
  const push = (names: string) => {
    for (const name of names) lane.push(change(name));
  };
  const finish = async () => {
    handled.shift()?.();
    await turn();
  };
  return { lane, push, batches, finish, ending };
}

describe("a lane", () => {
  it("puts records that arrive together into one batch", async () => {
    const { push, batches } = openLane();
    push("abc");
    await turn();
    expect(batches).toEqual(["abc"]);
  });

  it("limits the number of records in a batch, and starts a batch once the previous one is finished", async () => {
    const { push, batches, finish } = openLane({ batchSize: 2 });
    push("abcde");
    await turn();
    expect(batches).toEqual(["ab"]);
    push("f");
    await finish();
    await finish();
    expect(batches).toEqual(["ab", "cd", "ef"]);
  });

  it("makes records wait while a batch is handled", async () => {
    const { push, batches, finish } = openLane();
    push("a");
    await turn();
    push("bc");
    await turn();
    expect(batches).toEqual(["a"]);
    await finish();
    expect(batches).toEqual(["a", "bc"]);
    await finish();
    push("d");
    await turn();
    expect(batches).toEqual(["a", "bc", "d"]);
  });

  it("limits the size of a batch to that of an event", async () => {
    const { lane, batches, finish } = openLane();
    for (const name of "abcd") lane.push(change(name, 2.5 * MEGABYTE));
    await turn();
    await finish();
    expect(batches).toEqual(["ab", "cd"]);
  });

  it("passes on no batch once the signal is aborted", async () => {
    const { push, batches, finish, ending } = openLane();
    push("a");
    await turn();
    push("b");
    ending.abort();
    await finish();
    expect(batches).toEqual(["a"]);
  });
});
