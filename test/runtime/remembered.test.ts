import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { remembered } from "../../lib/runtime/remembered.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

const waitMs = (ms: number) => vi.setSystemTime(Date.now() + ms);

describe("remembered", () => {
  it("reads again when the result reaches its maximum age", async () => {
    const read = vi.fn().mockResolvedValueOnce(1).mockResolvedValueOnce(2);
    const prices = remembered(read, 1000);
    expect(await prices()).toBe(1);
    waitMs(999);
    expect(await prices()).toBe(1);
    waitMs(1);
    expect(await prices()).toBe(2);
  });

  it("shares a read between concurrent callers", async () => {
    const read = vi.fn(async () => ({}));
    const prices = remembered(read, 1000);
    const [first, second] = await Promise.all([prices(), prices()]);
    expect(first).toBe(second);
    expect(read).toHaveBeenCalledTimes(1);
  });

  it("does not cache a failed read", async () => {
    const read = vi.fn().mockRejectedValueOnce(new Error("no")).mockResolvedValueOnce(1);
    const prices = remembered(read, 1000);
    await expect(prices()).rejects.toThrow("no");
    expect(await prices()).toBe(1);
  });

  it("reads again when the clock is set back", async () => {
    const read = vi.fn().mockResolvedValueOnce(1).mockResolvedValueOnce(2);
    const prices = remembered(read, 1000);
    await prices();
    waitMs(-60_000);
    expect(await prices()).toBe(2);
  });
});
