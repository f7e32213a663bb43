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
const onLine = vi.fn();
const onFault = vi.fn();
let sockets: ReturnType<typeof scriptedSockets>;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse("2026-11-21T09:00:00.000Z") });
  vi.resetAllMocks();
  save.mockResolvedValue(true);
  sockets = scriptedSockets();
});

afterEach(() => {
  vi.useRealTimers();
});

const run = (durationMs = 100_000) =>
  feedPrices({ feeds, save, durationMs, onLine, onFault, open: sockets.open });

const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000);
const latest = (url: string) => sockets.of(url).at(-1) as ScriptedSocket;
const sourcesSaved = () =>
  save.mock.calls.map(([prices]) => [...new Set(prices.map(({ source }) => source))].join());
const quoteAll = (socket: ScriptedSocket, price: string) => {
  for (const asset of assets) socket.ticker(asset, price);
};

/** Sends a new price of every asset, each tenth of a second. */
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
    const ended = run(10_000);
    const socket = await connected();
    await keepQuoting(socket, 99);
    expect(save).toHaveBeenCalledTimes(9);
    expect(save.mock.calls[1]?.[0]).toHaveLength(5);
    expect(new Set(save.mock.calls[1]?.[0].map(({ price }) => price))).toEqual(new Set(["20.5"]));
    await seconds(0.1);
    expect(socket.state).toBe("closing");
    socket.drop();
    expect(await ended).toBe(true);
    expect(sockets.of(krakenUrl)).toHaveLength(0);
    expect(onLine).not.toHaveBeenCalled();
  });

  it("saves nothing while nothing changes, but counts a new time as a change", async () => {
    const ended = run(10_000);
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

  it("waits two seconds for the other prices before it takes over", async () => {
    const ended = run(10_000);
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

  it("ends quietly when a newer run has taken over, and closes its connection", async () => {
    save.mockResolvedValueOnce(true).mockResolvedValue(false);
    const ended = run();
    const socket = await connected();
    await keepQuoting(socket, 30);
    expect(socket.state).toBe("closing");
    socket.drop();
    expect(await ended).toBe(true);
    expect(save).toHaveBeenCalledTimes(2);
    expect(sockets.sockets).toHaveLength(1);
  });

  it("does not wait for a venue that never confirms the close", async () => {
    const ended = run(3000);
    quoteAll(await connected(), "1");
    await seconds(4);
    expect(await ended).toBe(true);
  });

  it("continues with the latest prices after a failed save, one save at a time", async () => {
    const fault = new Error("no");
    save.mockImplementationOnce(() => new Promise((_, reject) => setTimeout(reject, 2500, fault)));
    const ended = run(8000);
    await keepQuoting(await connected(), 60);
    expect(onFault.mock.calls).toEqual([[fault]]);
    expect(save.mock.calls.map(([prices]) => prices[0]?.price)).toEqual(["10.5", "45.5", "55.5"]);
    await seconds(10);
    expect(await ended).toBe(true);
  });

  it("returns false when every save failed", async () => {
    save.mockRejectedValue(new Error("no"));
    const ended = run(5000);
    await keepQuoting(await connected(), 60);
    expect(await ended).toBe(false);
    expect(onFault).toHaveBeenCalledTimes(4);
  });

  it("returns false when no feed sent a price", async () => {
    const ended = run();
    await seconds(102);
    expect(await ended).toBe(false);
    expect(save).not.toHaveBeenCalled();
    expect(sockets.sockets.every(({ state }) => state === "closing")).toBe(true);
  });
});

describe("a silent feed", () => {
  it("is replaced by the next after five seconds, until it has quoted for five seconds", async () => {
    const ended = run();
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

  it("is reconnected less and less often, but at least every 35 seconds", async () => {
    vi.spyOn(Math, "random").mockReturnValue(1);
    const times: number[] = [];
    const began = Date.now();
    const { open } = sockets;
    sockets.open = (url) => {
      if (url === coinbaseUrl) times.push((Date.now() - began) / 1000);
      return open(url);
    };
    const ended = run(180_000);
    await seconds(181);
    await ended;
    // Each attempt takes five seconds of silence, then the pause.
    expect(times).toEqual([0, 6, 13, 22, 35, 56, 91, 126, 161]);
    expect(onLine.mock.calls).toContainEqual([{ source: "coinbase", fault: "silent", count: 9 }]);
  });
});
