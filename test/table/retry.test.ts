import { beforeEach, describe, expect, it, vi } from "vitest";
import { retry } from "../../lib/table/retry.ts";

beforeEach(() => {
  vi.spyOn(Math, "random").mockReturnValue(0);
});

describe("retry", () => {
  it("returns the first result", async () => {
    const attempt = vi.fn().mockResolvedValueOnce(undefined).mockResolvedValue(false);
    expect(await retry(attempt, { attempts: 3 })).toBe(false);
    expect(attempt).toHaveBeenCalledTimes(2);
  });

  it("returns undefined after the last attempt, and passes true to that attempt", async () => {
    const attempt = vi.fn().mockResolvedValue(undefined);
    expect(await retry(attempt, { attempts: 3 })).toBeUndefined();
    expect(attempt.mock.calls).toEqual([[false], [false], [true]]);
  });

  it("starts no attempt after its deadline", async () => {
    const attempt = vi.fn().mockResolvedValue(undefined);
    expect(await retry(attempt, { attempts: 3, forMs: 0 })).toBeUndefined();
    expect(attempt).toHaveBeenCalledTimes(1);
  });

  it("throws the error of an attempt", async () => {
    const attempt = vi.fn().mockRejectedValue(new Error("no"));
    await expect(retry(attempt, { attempts: 3 })).rejects.toThrow("no");
    expect(attempt).toHaveBeenCalledTimes(1);
  });
});
