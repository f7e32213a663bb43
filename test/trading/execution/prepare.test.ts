import { describe, expect, it, vi } from "vitest";
import type { ChainReader } from "../../../lib/chains/families/open-chains.ts";
import type { Network } from "../../../lib/core/network.ts";
import { isPrepareEvent, prepareRun } from "../../../lib/trading/execution/prepare.ts";

const pending = () => vi.fn(() => new Promise<never>(() => {}));

function chainsWith(...requests: ReturnType<typeof pending>[]) {
  const hosts = requests.map((request) => ({ request }));
  const client = { hosts } as unknown as ChainReader["client"];
  return new Map<Network, Pick<ChainReader, "client">>([["eth", { client }]]);
}

describe("prepareRun", () => {
  it("asks each host only for its chain, and waits for none", async () => {
    const [first, second] = [pending(), pending()];
    const start = vi.fn(async () => undefined);
    await prepareRun(chainsWith(first, second), start, { prepare: "eth" });
    for (const request of [first, second]) expect(request.mock.calls).toEqual([[[]]]);
    expect(start).toHaveBeenCalledOnce();
  });

  it("does nothing for a chain on which nobody trades", async () => {
    const start = vi.fn(async () => undefined);
    await prepareRun(chainsWith(), start, { prepare: "bsc" });
    expect(start).not.toHaveBeenCalled();
  });

  it("ignores faults of hosts and of the signer's start", async () => {
    const refusing = vi.fn(() => Promise.reject(new Error("no")));
    const start = vi.fn(() => Promise.reject(new Error("throttled")));
    await expect(prepareRun(chainsWith(refusing), start, { prepare: "eth" })).resolves.toBeUndefined();
  });
});

describe("isPrepareEvent", () => {
  it("differs between an announcement and a lane", () => {
    expect(isPrepareEvent({ prepare: "eth" })).toBe(true);
    expect(isPrepareEvent({ chain: "eth", wallet: "0x1" })).toBe(false);
  });
});
