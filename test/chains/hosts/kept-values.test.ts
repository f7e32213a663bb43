import { describe, expect, it } from "vitest";
import { keepingValues } from "../../../lib/chains/hosts/kept-values.ts";
import type { RpcCall } from "../../../lib/chains/hosts/rpc-call.ts";

const hourMs = 3_600_000;

const rent = (bytes: number): RpcCall<number> => ({
  method: "rent",
  params: [bytes],
  read: Number,
  keep: { forMs: hourMs, ifValue: (value) => Number(value) < 1000 },
});
const slot: RpcCall<number> = { method: "slot", params: [], read: Number };

/** Opens a host that answers with the number of the call, and records what it is asked. */
function open({ first = 1 } = {}) {
  const asked: string[][] = [];
  let nowMs = 0;
  let next = first;
  const request = keepingValues(
    async (calls) => {
      asked.push(calls.map(({ method, params }) => [method, ...params].join(" ")));
      return calls.map(() => next++) as never;
    },
    () => nowMs,
  );
  const wait = (ms: number) => {
    nowMs += ms;
  };
  return { request, asked, wait };
}

describe("keepingValues", () => {
  it("asks again only for values that may have changed, and keeps the order of the answers", async () => {
    const { request, asked } = open();
    expect(await request([rent(1), slot, rent(165)])).toEqual([1, 2, 3]);
    expect(await request([slot, rent(165), rent(1), rent(0)])).toEqual([4, 3, 1, 5]);
    expect(asked).toEqual([
      ["rent 1", "slot", "rent 165"],
      ["slot", "rent 0"],
    ]);
  });

  it("sends no request if it knows all values, until their time is over", async () => {
    const { request, asked, wait } = open();
    await request([rent(1)]);
    wait(hourMs - 1);
    expect(await request([rent(1)])).toEqual([1]);
    expect(asked).toHaveLength(1);
    wait(1);
    expect(await request([rent(1)])).toEqual([2]);
  });

  it("keeps no value that the call rejects", async () => {
    const { request } = open({ first: 999 });
    expect([await request([rent(1)]), await request([rent(1)])]).toEqual([[999], [999]]);
    expect([await request([rent(2)]), await request([rent(2)])]).toEqual([[1000], [1001]]);
  });

  it("keeps nothing if a request fails", async () => {
    const failing = keepingValues(
      async () => {
        throw new Error("The host is away");
      },
      () => 0,
    );
    await expect(failing([rent(1)])).rejects.toThrow("away");
    await expect(failing([rent(1)])).rejects.toThrow("away");
  });
});
