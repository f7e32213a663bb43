import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ChainUnavailable } from "../../../lib/chains/hosts/host-fault.ts";
import type { PriceQuestion } from "../../../lib/chains/hosts/token-looks.ts";
import type { TradingChain } from "../../../lib/core/chain-facts.ts";
import type { Effects } from "../../../lib/orders/effects.ts";
import type { FireRequest } from "../../../lib/orders/resting/hand-over.ts";
import type { Trigger } from "../../../lib/orders/resting/stored.ts";
import type { FireWord } from "../../../lib/orders/resting/watched-orders.ts";
import type { ReaderLease } from "../../../lib/orders/table-step.ts";
import { watchTriggers } from "../../../lib/trading/execution/watch-triggers.ts";
import { WatchedChain } from "../../../lib/trading/execution/watched-chain.ts";

let lease: ReaderLease | undefined;
let rows: Trigger[];
/** Price of a token in coins, by its name. */
let prices: Record<string, number>;
let isSilent: boolean;
/** Tokens that no host can quote. */
let broken: Set<string>;
const levels = vi.fn<(chain: string) => void>();
const outs = vi.fn<(chain: string, question: PriceQuestion) => void>();
const fire = vi.fn<(handOver: FireRequest) => Promise<Record<string, FireWord>>>();
const onFault = vi.fn();
const onSilence = vi.fn();

const leases = {
  readReaderLease: async () => lease,
  async changeReaderLease({ when, set }: Effects["changeReaderLease"]["ask"]) {
    const fields = Object.entries(when ?? {}) as [keyof ReaderLease, unknown][];
    const isHeld =
      when === undefined ? lease !== undefined : fields.some(([name, value]) => lease?.[name] !== value);
    if (isHeld) return false;
    lease = { ...lease, ...set } as ReaderLease;
    return true;
  },
};

const watched = (chain: TradingChain) =>
  new WatchedChain(chain, {
    async levels(tokens) {
      levels(chain);
      if (isSilent) throw new ChainUnavailable("No host answers");
      return new Map(tokens.map((token) => [token, [Math.log(prices[token] ?? 1)]]));
    },
    async outs(question) {
      outs(chain, question);
      if (broken.has(question.token)) throw new ChainUnavailable("No host answers");
      const price = prices[question.token] ?? 1;
      return question.amounts.map((amount) => BigInt(Math.floor(Number(amount) * price)));
    },
  });

/** A stop at a price of 0.5. */
const stop = { kind: "stop", trigger: { coins: 1n, tokens: 2n }, worst: { coins: 4n, tokens: 10n } } as const;

const row = (orderId: string, changes: Partial<Trigger> = {}): Trigger => ({
  ...({ chain: "base", wallet: "w", userID: orderId, orderId, side: "sell", token: "T" } as const),
  ...({ amount: 1000n, legs: [stop], state: "resting", restsUntil: 4_000_000_000 } as const),
  ...changes,
});

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse("2026-11-21T09:00:00.000Z") });
  vi.resetAllMocks();
  lease = undefined;
  rows = [];
  prices = {};
  isSilent = false;
  broken = new Set();
  fire.mockImplementation(async ({ orders }) =>
    Object.fromEntries(orders.map(({ orderId }) => [orderId, { state: "rest", askAgainMs: 3000 }])),
  );
});
afterEach(() => {
  vi.useRealTimers();
});

function start(chains: readonly TradingChain[] = ["base"], build = "b1") {
  const run = { isOver: false };
  const readTriggers = async (chain: TradingChain) => rows.filter((each) => each.chain === chain);
  const deps = { leases, chains: chains.map(watched), readTriggers, fire, onFault, onSilence };
  void watchTriggers(deps, { build, longestMs: 780_000 }).then(() => {
    run.isOver = true;
  });
  return run;
}

const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000);
const looksAt = (chain: string) => levels.mock.calls.filter(([name]) => name === chain).length;
const handedOver = () => fire.mock.calls.map(([{ orders }]) => orders.map(({ orderId }) => orderId).join());

describe("watchTriggers", () => {
  it("ends at once without rows, and takes no lease", async () => {
    const run = start();
    await seconds(1);
    expect(run.isOver).toBe(true);
    expect(lease).toBeUndefined();
  });

  it("looks at base every second and at eth every two, and not at chains without rows", async () => {
    rows = [row("a"), row("b", { chain: "eth" })];
    start(["eth", "base", "bsc"]);
    await seconds(59.9);
    expect([looksAt("eth"), looksAt("base"), looksAt("bsc")]).toEqual([30, 60, 0]);
    expect(Date.now() - (lease?.heartbeatMs ?? 0)).toBeLessThanOrEqual(2000);
  });

  it.each([
    [100, 60],
    [300, 20],
    [1000, 15],
  ])("looks at %i tokens of sol %i times a minute", async (tokens, looks) => {
    rows = Array.from({ length: tokens }, (_, index) => row(`${index}`, { chain: "sol", token: `${index}` }));
    start(["sol"]);
    await seconds(59.9);
    expect(looksAt("sol")).toBe(looks);
  });

  it("hands an order over within one look of its price, and one placed meanwhile within two seconds more", async () => {
    rows = [row("a")];
    start();
    await seconds(10);
    expect(handedOver()).toEqual([]);
    prices.T = 0.49;
    await seconds(1.1);
    expect(handedOver()).toEqual(["a"]);
    rows.push(row("b", { wallet: "other" }));
    await seconds(3.1);
    expect(handedOver()).toContain("b");
  });

  it("quotes a token only if its price may have come near, a minute after its pools have moved, or after ten", async () => {
    rows = [row("a")];
    start();
    await seconds(5);
    expect(outs).toHaveBeenCalledTimes(1);
    prices.T = 0.9;
    await seconds(20);
    expect(outs).toHaveBeenCalledTimes(1);
    await seconds(40);
    expect(outs).toHaveBeenCalledTimes(2);
    await seconds(580);
    expect(outs).toHaveBeenCalledTimes(2);
    await seconds(20);
    expect(outs).toHaveBeenCalledTimes(3);
    prices.T = 0.51;
    await seconds(1.1);
    expect(outs).toHaveBeenCalledTimes(4);
    expect(fire).not.toHaveBeenCalled();
  });

  it("quotes at most 128 tokens in a look, those first that were quoted longest ago", async () => {
    rows = Array.from({ length: 300 }, (_, index) => row(`${index}`, { token: `T${index}` }));
    start();
    for (const [looks, price] of [0.52, 0.55, 0.52].entries()) {
      prices = Object.fromEntries(rows.map(({ token }) => [token, price]));
      await seconds(looks === 0 ? 0.5 : 1);
    }
    expect(new Set(outs.mock.calls.map(([, { token }]) => token)).size).toBe(300);
    expect(outs.mock.calls.length).toBeLessThanOrEqual(3 * 128);
  });

  it("quotes a token whose price is reached although hosts fail at 200 others in each look", async () => {
    rows = Array.from({ length: 201 }, (_, index) => row(`${index}`, { token: `T${index}` }));
    broken = new Set(rows.slice(0, 200).map(({ token }) => token));
    prices.T200 = 0.3;
    start();
    await seconds(3.1);
    expect(handedOver()).toContain("200");
  });

  it("asks about 400 orders of a token with at most 16 amounts", async () => {
    rows = Array.from({ length: 400 }, (_, index) => row(`o${index}`, { amount: 1000n + BigInt(index) }));
    prices.T = 0.3;
    start();
    await seconds(1.1);
    expect(outs.mock.calls[0]?.[1].amounts).toHaveLength(16);
    expect(handedOver()[0]?.split(",")).toHaveLength(48);
  });

  it("hands a token over once at a time, and at most eight at once", async () => {
    let underWay = 0;
    let most = 0;
    fire.mockImplementation(async () => {
      most = Math.max(most, ++underWay);
      await new Promise((resolve) => setTimeout(resolve, 2000));
      underWay--;
      return {};
    });
    rows = Array.from({ length: 20 }, (_, index) => row(`o${index}`, { token: `T${index % 10}` }));
    prices = Object.fromEntries(rows.map(({ token }) => [token, 0.3]));
    start();
    await seconds(1.5);
    expect(most).toBe(8);
    const tokens = fire.mock.calls.map(([{ token }]) => token);
    expect(new Set(tokens).size).toBe(8);
    await seconds(2);
    expect(fire.mock.calls.length).toBeGreaterThan(9);
  });

  it("hands another order of a token over once the first one has its answer, so that waves do not meet", async () => {
    const first = Promise.withResolvers<Record<string, FireWord>>();
    fire.mockReturnValueOnce(first.promise);
    rows = [row("a")];
    prices = { T: 0.3 };
    start();
    await seconds(1.5);
    rows = [row("a"), row("b")];
    await seconds(5);
    expect(handedOver()).toEqual(["a"]);
    first.resolve({});
    await seconds(1);
    expect(handedOver()).toEqual(["a", "b"]);
  });

  it("gives stops of sol places of their own", async () => {
    fire.mockReturnValue(new Promise(() => {}));
    rows = Array.from({ length: 20 }, (_, index) => row(`o${index}`, { token: `T${index}` }));
    rows.push(row("sol", { chain: "sol", token: "S" }));
    prices = Object.fromEntries(rows.map(({ token }) => [token, 0.3]));
    start(["base", "sol"]);
    await seconds(3);
    expect(fire).toHaveBeenCalledTimes(9);
    expect(handedOver()).toContain("sol");
  });

  it("hands a firing order over every two seconds, as fireOrders asks", async () => {
    rows = [row("a", { state: "firing" })];
    fire.mockResolvedValue({ a: { state: "out", askAgainMs: 2000 } });
    start();
    await seconds(9.9);
    expect(fire).toHaveBeenCalledTimes(5);
  });

  it("continues after faults of the table, of fireOrders and of hosts, and reports silent hosts once", async () => {
    rows = [row("a")];
    prices.T = 0.3;
    fire.mockRejectedValueOnce(new Error("refused"));
    start();
    await seconds(1.1);
    expect(onFault).toHaveBeenCalledTimes(1);
    await seconds(3.1);
    expect(fire).toHaveBeenCalledTimes(2);
    isSilent = true;
    await seconds(5);
    expect(onSilence).toHaveBeenCalledTimes(1);
    isSilent = false;
    await seconds(2);
    isSilent = true;
    await seconds(2);
    expect(onSilence).toHaveBeenCalledTimes(2);
    expect(lease?.isEnded).toBeUndefined();
  });

  it("ends five minutes after the last row", async () => {
    rows = [row("a")];
    const run = start();
    await seconds(10);
    rows = [];
    await seconds(290);
    expect(run.isOver).toBe(false);
    await seconds(20);
    expect(run.isOver).toBe(true);
    expect(lease?.isEnded).toBe(true);
  });

  it("leaves the reading to a run of newer code", async () => {
    rows = [row("a")];
    const old = start();
    await seconds(5);
    start(["base"], "b2");
    await seconds(5);
    expect(old.isOver).toBe(true);
    expect(lease?.build).toBe("b2");
  });
});
