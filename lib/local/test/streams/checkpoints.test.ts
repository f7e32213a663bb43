import { describe, expect, it } from "vitest";
import type { Store } from "../../src/storage/store.ts";
import { createProgress, openCheckpoints } from "../../src/streams/checkpoints.ts";
import { testClock } from "../fixtures/clock.ts";

/** Creates a store that counts how often it is written to. */
function countingStore() {
  const files = new Map<string, string>();
  let saves = 0;
  const store: Store = {
    load: (name) => JSON.parse(files.get(name) ?? "null") ?? undefined,
    save(name, content) {
      saves++;
      files.set(name, JSON.stringify(content));
    },
  };
  return { store, saves: () => saves };
}

function open(store: Store) {
  const faults: unknown[] = [];
  const { clock, advance } = testClock();
  const checkpoints = openCheckpoints(store, clock, (error) => faults.push(error));
  return { checkpoints, advance, faults };
}

describe("checkpoints", () => {
  it("restores checkpoints in the next run, by mapping and shard", async () => {
    const { store } = countingStore();
    const { checkpoints, advance } = open(store);
    const first = checkpoints.of("one", "stream");
    first.set("shard-1", { after: "7" });
    first.set("shard-2", "END");
    checkpoints.of("other", "stream").set("shard-1", "START");
    await advance(1000);

    const next = open(store).checkpoints;
    const positions = next.of("one", "stream");
    expect([positions.get("shard-1"), positions.get("shard-2"), positions.get("shard-3")]).toEqual([
      { after: "7" },
      "END",
      undefined,
    ]);
    expect(next.of("other", "stream").get("shard-1")).toBe("START");
  });

  it("forgets checkpoints if the mapping reads another stream", () => {
    const { store } = countingStore();
    const { checkpoints } = open(store);
    checkpoints.of("one", "stream").set("shard-1", { after: "7" });
    checkpoints.close();
    const positions = open(store).checkpoints.of("one", "other stream");
    expect(positions.get("shard-1")).toBeUndefined();
  });

  it("saves checkpoints together after a short time", async () => {
    const { store, saves } = countingStore();
    const { checkpoints, advance } = open(store);
    const positions = checkpoints.of("one", "stream");
    for (let n = 0; n < 100; n++) positions.set("shard", { after: String(n) });
    expect(saves()).toBe(0);
    await advance(200);
    expect(saves()).toBe(1);
    await advance(1000);
    expect(saves()).toBe(1);
    positions.set("shard", { after: "100" });
    await advance(200);
    expect(saves()).toBe(2);
  });

  it("saves checkpoints on close and never after it", async () => {
    const { store, saves } = countingStore();
    const { checkpoints, advance } = open(store);
    const positions = checkpoints.of("one", "stream");
    positions.set("shard", { after: "1" });
    checkpoints.close();
    expect(saves()).toBe(1);
    positions.set("shard", { after: "2" });
    await advance(1000);
    checkpoints.close();
    expect(saves()).toBe(1);
    expect(open(store).checkpoints.of("one", "stream").get("shard")).toEqual({ after: "1" });
  });

  it("forgets checkpoints of shards that no longer exist", () => {
    const { checkpoints } = open(countingStore().store);
    const positions = checkpoints.of("one", "stream");
    positions.set("old", "END");
    positions.set("new", { after: "1" });
    positions.keepOnly(["new"]);
    expect(positions.get("old")).toBeUndefined();
    expect(positions.get("new")).toEqual({ after: "1" });
  });

  it("reports a full disk and continues", async () => {
    const full: Store = {
      load: () => undefined,
      save() {
        throw new Error("no space left on device");
      },
    };
    const { checkpoints, advance, faults } = open(full);
    checkpoints.of("one", "stream").set("shard", "END");
    await advance(200);
    expect(faults).toEqual([new Error("no space left on device")]);
  });
});

describe("the progress of a shard", () => {
  function begin(names: string) {
    const reached: string[] = [];
    const progress = createProgress((sequenceNumber) => reached.push(sequenceNumber));
    for (const name of names) progress.begin(name);
    return { progress, reached };
  }

  it("advances with records that finish in order", () => {
    const { progress, reached } = begin("abc");
    progress.done("a");
    progress.done("b");
    expect(reached).toEqual(["a", "b"]);
  });

  it("stops before an unfinished record even if later ones are finished", () => {
    const { progress, reached } = begin("abcd");
    progress.done("d");
    progress.done("b");
    expect(reached).toEqual([]);
    progress.done("a");
    expect(reached).toEqual(["b"]);
    progress.done("c");
    expect(reached).toEqual(["b", "d"]);
  });

  it("resolves once at most the given number of records is unfinished", async () => {
    const { progress } = begin("abc");
    const resolved: string[] = [];
    await progress.untilAtMost(3);
    const two = progress.untilAtMost(2).then(() => resolved.push("two"));
    const none = progress.untilAtMost(0).then(() => resolved.push("none"));
    progress.done("a");
    await two;
    expect(resolved).toEqual(["two"]);
    progress.done("c");
    progress.done("b");
    await none;
    expect(resolved).toEqual(["two", "none"]);
  });
});
