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

it("keeps a value until the page ends for which a full store has no room", () => {
  const items: Record<string, string> = { a: "0" };
  let isFull = true;
  const store = openStore(() =>
    // Lists its names like a browser's store, whose methods are not its own properties.
    Object.setPrototypeOf(items, {
      getItem: (name: string) => items[name] ?? null,
      setItem: (name: string, value: string) =>
        isFull ? blocked() : Object.assign(items, { [name]: value }),
      removeItem: (name: string) => delete items[name],
    }),
  );
  store.set("a", "1");
  store.set("b", "2");
  expect([store.isBlocked, store.get("a"), store.get("b"), store.names()]).toEqual([
    false,
    "1",
    "2",
    ["a", "b"],
  ]);
  store.remove("b");
  isFull = false;
  store.set("a", "3");
  expect([items, store.get("a"), store.get("b"), store.names()]).toEqual([{ a: "3" }, "3", undefined, ["a"]]);
});
