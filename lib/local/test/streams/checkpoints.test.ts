import { expect, test } from "vitest";
import type { Store } from "../../src/storage/store.ts";
import { openCheckpoints } from "../../src/streams/checkpoints.ts";
import { testClock } from "../events/test-clock.ts";

/** A store that counts how often it is written to. */
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

test("what was set is there in the next run, by mapping and shard", async () => {
  const { store } = countingStore();
  const { checkpoints, advance } = open(store);
  const first = checkpoints.of("one", "stream");
  expect(first.isNew).toBe(true);
  first.set("shard-1", { after: "7" });
  first.set("shard-2", "END");
  checkpoints.of("other", "stream").set("shard-1", "START");
  await advance(1000);

  const next = open(store).checkpoints;
  const positions = next.of("one", "stream");
  expect(positions.isNew).toBe(false);
  expect([positions.get("shard-1"), positions.get("shard-2"), positions.get("shard-3")]).toEqual([
    { after: "7" },
    "END",
    undefined,
  ]);
  expect(next.of("other", "stream").get("shard-1")).toBe("START");
});

test("another stream of the same mapping begins anew", () => {
  const { store } = countingStore();
  const { checkpoints } = open(store);
  checkpoints.of("one", "stream").set("shard-1", { after: "7" });
  checkpoints.close();
  const positions = open(store).checkpoints.of("one", "other stream");
  expect(positions.isNew).toBe(true);
  expect(positions.get("shard-1")).toBeUndefined();
});

test("many changes are written down together, before long", async () => {
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

test("closing writes down what is left, and nothing that comes after", async () => {
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

test("shards that are gone are forgotten", () => {
  const { checkpoints } = open(countingStore().store);
  const positions = checkpoints.of("one", "stream");
  positions.set("old", "END");
  positions.set("new", { after: "1" });
  positions.keepOnly(["new"]);
  expect(positions.get("old")).toBeUndefined();
  expect(positions.get("new")).toEqual({ after: "1" });
});

test("a disk that is full is told, and ends nothing", async () => {
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
