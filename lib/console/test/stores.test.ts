import { expect, it } from "vitest";
import { openStore } from "../app/stores.ts";

const blocked = () => {
  throw new DOMException("Access is denied", "SecurityError");
};

it.each([
  ["refuses access", blocked],
  ["has no store", () => null],
])("keeps values until the page ends if the browser %s", (_, open) => {
  const store = openStore(open);
  expect([store.isBlocked, store.get("a")]).toEqual([true, undefined]);
  store.set("a", "1");
  store.set("b", "2");
  store.remove("b");
  expect([store.names(), store.get("a"), store.get("b")]).toEqual([["a"], "1", undefined]);
});

it("says that the browser's store is full", () => {
  const full = { setItem: () => blocked() } as unknown as Storage;
  const store = openStore(() => full);
  expect(store.isBlocked).toBe(false);
  expect(() => store.set("a", "1")).toThrow("Access is denied");
});
