import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { feedPrices } from "../../lib/prices/feed-prices.ts";
import type { PriceFeed } from "../../lib/prices/feeds.ts";
import type { Price } from "../../lib/prices/price.ts";
import { type ScriptedSocket, scriptedSockets } from "./support/scripted-sockets.ts";

const coinbaseUrl = "wss://coinbase.example";
const krakenUrl = "wss://kraken.example";
const feeds: PriceFeed[] = [
  { source: "coinbase", venue: "coinbase", url: coinbaseUrl },
  { source: "kraken", venue: "kraken", url: krakenUrl },
];
const assets = ["ETH", "SOL", "BNB", "AVAX"];
const save = vi.fn<(prices: readonly Price[]) => Promise<boolean>>();
const [keep, take] = [vi.fn(async () => true), vi.fn(async () => true)];
const leave = vi.fn(async () => {});
const isWanted = vi.fn(async () => true);
const onLine = vi.fn();
const onFault = vi.fn();
let sockets: ReturnType<typeof scriptedSockets>;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse("2026-11-21T09:00:00.000Z") });
  vi.resetAllMocks();
  for (const mock of [save, keep, take, isWanted]) mock.mockResolvedValue(true);
  sockets = scriptedSockets();
});

afterEach(() => {
  vi.useRealTimers();
});

const run = (durationMs = 100_000, { isHeld = true, everyMs = 1000 } = {}) => {
  const hold = { isHeld, take, save, keep, leave };
  return feedPrices({ feeds, hold, isWanted, everyMs, durationMs, onLine, onFault, open: sockets.open });
};

/** A run that no successor takes over from releases the feed and throws, so that Lambda starts the next run. */
const notReplaced = expect.objectContaining({ name: "NotReplaced" });
const outcomeOf = (ended: Promise<void>) => ended.catch((error: unknown) => error);
const faults = () => onFault.mock.calls.map(([{ name }]) => name);

const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000);
const latest = (url: string) => sockets.of(url).at(-1) as ScriptedSocket;
const sourcesSaved = () =>
  save.mock.calls.map(([prices]) => [...new Set(prices.map(({ source }) => source))].join());
const quoteAll = (socket: ScriptedSocket, price: string) => {
  for (const asset of assets) socket.ticker(asset, price);
};

/** Sends a new price of every asset ten times a second. */
async function keepQuoting(socket: ScriptedSocket, tenths: number) {
  for (let count = 1; count <= tenths; count++) {
    quoteAll(socket, `${count}.5`);
    await seconds(0.1);
  }
}

async function connected(): Promise<ScriptedSocket> {
  await seconds(0);
  latest(coinbaseUrl).accept();
  return latest(coinbaseUrl);
}

describe("feedPrices", () => {
  it("saves the latest prices of all chains at most once a second, and ends on time", async () => {
    const ended = outcomeOf(run(10_000));
    const socket = await connected();
    await keepQuoting(socket, 99);
    expect(save).toHaveBeenCalledTimes(9);
    expect(save.mock.calls[1]?.[0]).toHaveLength(5);
    expect(new Set(save.mock.calls[1]?.[0].map(({ price }) => price))).toEqual(new Set(["20.5"]));
    await seconds(0.1);
    expect(socket.state).toBe("closing");
    socket.drop();
    expect(await ended).toEqual(notReplaced);
    expect(sockets.of(krakenUrl)).toHaveLength(0);
    expect(onLine).not.toHaveBeenCalled();
  });

  it("saves nothing while nothing changes, but treats a new time of a price as a change", async () => {
    const ended = outcomeOf(run(10_000));
    const socket = await connected();
    quoteAll(socket, "1");
    await seconds(3);
    expect(save).toHaveBeenCalledTimes(1);
    socket.ticker("ETH", "1");
    await seconds(3);
    expect(save).toHaveBeenCalledTimes(2);
    expect(save.mock.calls[1]?.[0][0]).toMatchObject({ price: "1", asOf: "2026-11-21T09:00:03.000Z" });
    await seconds(10);
    await ended;
  });

  it("waits up to two seconds for the remaining prices before it takes over the feed", async () => {
    const ended = outcomeOf(run(10_000));
    const socket = await connected();
    await seconds(0.5);
    socket.ticker("ETH", "1");
    await seconds(1.9);
    expect(save).not.toHaveBeenCalled();
    await seconds(1);
    expect(save.mock.calls[0]?.[0].map(({ chain }) => chain)).toEqual(["eth", "base"]);
    await seconds(10);
    await ended;
  });

  it("ends quietly after a newer run takes over, and closes its connection", async () => {
    save.mockResolvedValueOnce(true).mockResolvedValue(false);
    const ended = outcomeOf(run());
    const socket = await connected();
    await keepQuoting(socket, 30);
    expect(socket.state).toBe("closing");
    socket.drop();
    expect(await ended).toBeUndefined();
    expect(leave).not.toHaveBeenCalled();
    expect(save).toHaveBeenCalledTimes(2);
    expect(sockets.sockets).toHaveLength(1);
  });

  it("ends without waiting for a venue that never confirms that the connection is closed", async () => {
    const ended = outcomeOf(run(3000));
    quoteAll(await connected(), "1");
    await seconds(4);
    expect(await ended).toEqual(notReplaced);
  });

  it("continues with the latest prices after a failed save, and never runs two saves at once", async () => {
    const fault = new Error("no");
    save.mockImplementationOnce(() => new Promise((_, reject) => setTimeout(reject, 2500, fault)));
    const ended = outcomeOf(run(8000));
    await keepQuoting(await connected(), 60);
    expect(onFault.mock.calls).toEqual([[fault]]);
    expect(save.mock.calls.map(([prices]) => prices[0]?.price)).toEqual(["10.5", "45.5", "55.5"]);
    await seconds(10);
    expect(await ended).toEqual(notReplaced);
  });

  it("saves at most once per interval", async () => {
    const ended = outcomeOf(run(10_500, { everyMs: 3000 }));
    await keepQuoting(await connected(), 100);
    await seconds(2);
    expect(await ended).toEqual(notReplaced);
    expect(save.mock.calls.map(([prices]) => prices[0]?.price)).toEqual(["10.5", "40.5", "70.5", "100.5"]);
  });

  it("sends a heartbeat every two seconds if there is no new price, and ends if another run has the feed", async () => {
    const ended = outcomeOf(run());
    await seconds(10.5);
    expect(keep).toHaveBeenCalledTimes(5);
    keep.mockResolvedValue(false);
    await seconds(4);
    expect(await ended).toBeUndefined();
  });

  it("reports a fault for each minute in which no price was saved", async () => {
    const ended = outcomeOf(run(130_000));
    await seconds(59);
    expect(onFault).not.toHaveBeenCalled();
    await seconds(73);
    expect(faults()).toEqual(["NoPrices", "NoPrices"]);
    expect(await ended).toEqual(notReplaced);
    expect(save).not.toHaveBeenCalled();
    expect(leave).toHaveBeenCalledTimes(1);
    expect(sockets.sockets.every(({ state }) => state === "closing")).toBe(true);
  });
});

describe("a run that replaces another one", () => {
  it("owns the feed from its first save on, and sends no heartbeat before that save", async () => {
    vi.spyOn(Math, "random").mockReturnValue(1);
    const ended = outcomeOf(run(20_000, { isHeld: false }));
    await seconds(13.1);
    expect(keep).not.toHaveBeenCalled();
    quoteAll(await connected(), "1");
    await seconds(8);
    expect(save).toHaveBeenCalledTimes(1);
    expect(await ended).toEqual(notReplaced);
  });

  it("ends after half a minute without a price, and leaves the feed to the run that has it", async () => {
    const ended = outcomeOf(run(100_000, { isHeld: false }));
    await seconds(32);
    expect(await ended).toBeUndefined();
    expect([keep, save, leave].map(({ mock }) => mock.calls.length)).toEqual([0, 0, 0]);
  });
});

describe("a run without subscribers", () => {
  it("still has prices a little more than a minute after it started, when creditTrades comes back", async () => {
    isWanted.mockResolvedValue(false);
    const ended = outcomeOf(run(110_000));
    quoteAll(await connected(), "1");
    await seconds(80);
    expect([save, leave].map(({ mock }) => mock.calls.length)).toEqual([1, 0]);
    await seconds(15);
    expect(await ended).toBeUndefined();
  });

  it("ends a minute and a half after it last saw a subscriber, and closes its connection", async () => {
    const ended = outcomeOf(run(130_000));
    const socket = await connected();
    quoteAll(socket, "1");
    await seconds(20);
    isWanted.mockResolvedValue(false);
    await seconds(80);
    expect(leave).not.toHaveBeenCalled();
    await seconds(10);
    expect(await ended).toBeUndefined();
    expect(leave).toHaveBeenCalledTimes(1);
    expect(take).not.toHaveBeenCalled();
    expect(socket.state).toBe("closing");
  });

  it("looks for subscribers once more after it has left the feed, because some may have come in the meantime", async () => {
    isWanted.mockResolvedValue(false);
    leave.mockImplementationOnce(async () => void setTimeout(() => isWanted.mockResolvedValue(true), 1500));
    const ended = outcomeOf(run(110_000));
    quoteAll(await connected(), "1");
    await seconds(100);
    expect(leave).toHaveBeenCalledTimes(1);
    expect(take).toHaveBeenCalledTimes(1);
    // Expects a new save, because leaving the feed removed the prices.
    expect(save).toHaveBeenCalledTimes(2);
    await seconds(15);
    expect(await ended).toEqual(notReplaced);
  });

  it("ends if another run has taken the feed in the meantime", async () => {
    isWanted.mockResolvedValue(false);
    leave.mockImplementationOnce(async () => void isWanted.mockResolvedValue(true));
    take.mockResolvedValue(false);
    const ended = outcomeOf(run(130_000));
    await seconds(95);
    expect(await ended).toBeUndefined();
  });

  it("throws if it cannot look for subscribers again, so that Lambda restarts the run", async () => {
    const fault = new Error("no");
    isWanted.mockResolvedValue(false);
    leave.mockImplementationOnce(async () => void isWanted.mockRejectedValue(fault));
    const ended = outcomeOf(run(130_000));
    await seconds(95);
    expect(await ended).toBe(fault);
  });

  it("continues if it cannot look for subscribers", async () => {
    isWanted.mockRejectedValue(new Error("no"));
    const ended = outcomeOf(run(130_000));
    await seconds(80);
    expect(leave).not.toHaveBeenCalled();
    isWanted.mockResolvedValue(true);
    await seconds(51);
    expect(await ended).toEqual(notReplaced);
  });
});

describe("a silent feed", () => {
  it("replaces a silent feed after five seconds, until that feed has quoted for five seconds again", async () => {
    const ended = outcomeOf(run());
    quoteAll(await connected(), "1");
    await seconds(4.9);
    expect(sockets.of(krakenUrl)).toHaveLength(0);
    await seconds(1);
    latest(krakenUrl).accept();
    latest(krakenUrl).snapshot(2);
    await seconds(1);
    expect(sourcesSaved()).toEqual(["coinbase", "kraken"]);
    expect(onLine.mock.calls).toEqual([[{ source: "kraken", insteadOf: "coinbase" }]]);

    latest(coinbaseUrl).accept();
    for (const tenths of [25, 24]) {
      await keepQuoting(latest(coinbaseUrl), tenths);
      latest(krakenUrl).snapshot(3);
    }
    expect(new Set(sourcesSaved().slice(1))).toEqual(new Set(["kraken"]));
    await keepQuoting(latest(coinbaseUrl), 20);
    expect(sourcesSaved().at(-1)).toBe("coinbase");
    expect(onLine.mock.calls[1]).toEqual([{ source: "coinbase", insteadOf: "kraken" }]);
    expect(latest(krakenUrl).state).toBe("closing");
    await seconds(100);
    await ended;
  });

  it("reconnects to a silent feed at growing intervals of at most 35 seconds", async () => {
    vi.spyOn(Math, "random").mockReturnValue(1);
    const times: number[] = [];
    const began = Date.now();
    const { open } = sockets;
    sockets.open = (url) => {
      if (url === coinbaseUrl) times.push((Date.now() - began) / 1000);
      return open(url);
    };
    const ended = outcomeOf(run(180_000));
    await seconds(181);
    await ended;
    // Each attempt takes five seconds of silence, and then the pause.
    expect(times).toEqual([0, 6, 13, 22, 35, 56, 91, 126, 161]);
    expect(onLine.mock.calls).toContainEqual([{ source: "coinbase", fault: "silent", count: 9 }]);
  });
});
