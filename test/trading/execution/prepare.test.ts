import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ChainReader } from "../../../lib/chains/families/open-chains.ts";
import type { Network } from "../../../lib/core/network.ts";
import {
  connectHosts,
  isPrepareEvent,
  prepareRun,
  startedSigner,
} from "../../../lib/trading/execution/prepare.ts";

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

  it("starts the signer before it asks hosts, and ends while the signer starts", async () => {
    const steps: string[] = [];
    const request = vi.fn(() => {
      steps.push("host");
      return new Promise<never>(() => {});
    });
    const start = () => {
      steps.push("signer");
      return new Promise<never>(() => {});
    };
    await prepareRun(chainsWith(request), start, { prepare: "eth" });
    expect(steps).toEqual(["signer", "host"]);
  });

  it("starts only the signer for an order on any chain", async () => {
    const request = pending();
    const start = vi.fn(async () => undefined);
    await prepareRun(chainsWith(request), start, { prepare: "any" });
    expect(start).toHaveBeenCalledOnce();
    expect(request).not.toHaveBeenCalled();
  });

  it("does nothing for a chain on which nobody trades", async () => {
    const start = vi.fn(async () => undefined);
    await prepareRun(chainsWith(), start, { prepare: "bsc" });
    expect(start).not.toHaveBeenCalled();
  });

  it("ignores faults of hosts and of the signer's start", async () => {
    const refusing = vi.fn(() => Promise.reject(new Error("no")));
    const { start } = startedSigner(() => Promise.reject(new Error("throttled")), pending());
    await expect(prepareRun(chainsWith(refusing), start, { prepare: "eth" })).resolves.toBeUndefined();
  });
});

describe("connectHosts", () => {
  it("asks the hosts of one chain for it, if anybody trades there, and ignores their faults", async () => {
    const [refusing, other] = [vi.fn(() => Promise.reject(new Error("no"))), pending()];
    connectHosts(chainsWith(refusing, other), "eth");
    connectHosts(chainsWith(other), "bsc");
    for (const request of [refusing, other]) expect(request.mock.calls).toEqual([[[]]]);
  });
});

describe("startedSigner", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  function signer() {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const called = vi.fn(async (payload: unknown) => payload);
    return { ...startedSigner(() => promise, called), called, resolve, reject };
  }

  it("calls a signer at once that nobody starts", async () => {
    const { call, called } = signer();
    const answer = call("request");
    await vi.advanceTimersByTimeAsync(0);
    expect(called).toHaveBeenCalledOnce();
    expect(await answer).toBe("request");
  });

  it.each(["resolve", "reject"] as const)("lets a call wait for the start, until it %ss", async (ends) => {
    const { start, call, called, ...others } = signer();
    const started = start();
    const answer = call("request");
    await vi.advanceTimersByTimeAsync(1900);
    expect(called).not.toHaveBeenCalled();
    others[ends](new Error("throttled"));
    await expect(started).resolves.toBeUndefined();
    expect(await answer).toBe("request");
  });

  it("calls a signer that has not started within two seconds", async () => {
    const { start, call, called } = signer();
    void start();
    void call("request");
    await vi.advanceTimersByTimeAsync(1999);
    expect(called).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(called).toHaveBeenCalledOnce();
  });

  it("does not wait for a start from before a freeze", async () => {
    const { start, call, called } = signer();
    void start();
    vi.setSystemTime(Date.now() + 60_000);
    void call("request");
    await vi.advanceTimersByTimeAsync(0);
    expect(called).toHaveBeenCalledOnce();
  });
});

describe("isPrepareEvent", () => {
  it("differs between an announcement and a lane", () => {
    expect(isPrepareEvent({ prepare: "eth" })).toBe(true);
    expect(isPrepareEvent({ chain: "eth", wallet: "0x1" })).toBe(false);
  });
});
