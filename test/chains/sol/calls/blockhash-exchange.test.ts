import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  confirming,
  exchangeBetween,
  knownBlockhash,
  knownCalls,
} from "../../../../lib/chains/sol/calls/blockhash-exchange.ts";

const older = { hash: "older", lastValidBlockHeight: 250 };
const newer = { hash: "newer", lastValidBlockHeight: 253 };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Waits for microtasks only, and returns the value or "pending". */
const soon = (promise: Promise<unknown>) =>
  Promise.race([promise, Promise.resolve().then(() => Promise.resolve("pending"))]);

describe("an exchange of blockhashes", () => {
  it("returns the oldest blockhash to all hosts, as soon as the last one has given its own", async () => {
    const { give } = exchangeBetween(2);
    const first = give(newer);
    expect(await soon(first)).toBe("pending");
    const second = give(older);
    expect(await Promise.all([first, second])).toEqual([older, older]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("returns a single host's own blockhash", async () => {
    expect(await exchangeBetween(1).give(newer)).toBe(newer);
  });

  it("lets no host wait for one that has failed", async () => {
    const { give, leave } = exchangeBetween(2);
    const first = give(older);
    leave();
    expect(await Promise.all([first, give(newer)])).toEqual([undefined, undefined]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("keeps what it has returned, even if a host fails afterwards", async () => {
    const { give, leave } = exchangeBetween(2);
    const both = [give(older), give(newer)];
    leave();
    expect(await Promise.all(both)).toEqual([older, older]);
  });

  it("lets no host wait more than 300 ms for a slower one", async () => {
    const { give } = exchangeBetween(2);
    const first = give(older);
    await vi.advanceTimersByTimeAsync(299);
    expect(await soon(first)).toBe("pending");
    await vi.advanceTimersByTimeAsync(1);
    expect(await Promise.all([first, give(newer)])).toEqual([undefined, undefined]);
  });
});

describe("a host that confirms an exchanged blockhash", () => {
  const time = { epoch: 1, slot: 1000, blockHeight: 900 };
  const valid = { isValid: true, slot: 1007 };

  it("counts the blockhash's life from its own height, and from the slot of its answer", () => {
    const { calls, agreed } = confirming(older, newer);
    expect(JSON.stringify(calls)).toBe(JSON.stringify([knownCalls("older")]));
    expect(agreed([{ valid, time }])).toEqual({ hash: "older", lastValidBlockHeight: 900 + 7 + 150 });
    expect(knownBlockhash("older", { valid: { ...valid, slot: 990 }, time })).toMatchObject({
      lastValidBlockHeight: 900 + 150,
    });
  });

  it("is not asked about its own newest blockhash", () => {
    const { calls, agreed } = confirming(older, older);
    expect([calls, agreed([])]).toEqual([[], older]);
  });

  it("agrees to no blockhash that it does not know, or that nobody has named", () => {
    expect(confirming(older, newer).agreed([{ valid: { ...valid, isValid: false }, time }])).toBeUndefined();
    expect(confirming(older, newer).agreed([])).toBeUndefined();
    const { calls, agreed } = confirming(undefined, newer);
    expect([calls, agreed([])]).toEqual([[], undefined]);
    expect(confirming(undefined, undefined).agreed([])).toBeUndefined();
  });
});
