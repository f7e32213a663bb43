import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Price } from "../../../lib/domain/price.ts";
import { feedPrices } from "../../../lib/prices/feed-prices.ts";
import { defaultPriceFeeds } from "../../../lib/prices/feeds.ts";
import { type ScriptedSocket, scriptedSockets } from "../support/scripted-sockets.ts";

const [coinbaseUrl, krakenUrl] = defaultPriceFeeds.map(({ url }) => url) as [string, string];
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

const run = (duration = 100_000) =>
  feedPrices({ feeds: defaultPriceFeeds, save, duration, onLine, onFault, open: sockets.open });

const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000);
const latest = (url: string) => sockets.of(url).at(-1) as ScriptedSocket;
const sourcesSaved = () =>
  save.mock.calls.map(([prices]) => [...new Set(prices.map(({ source }) => source))].join());
const tellAll = (socket: ScriptedSocket, price: string) => {
  for (const asset of assets) socket.ticker(asset, price);
};

/** Has the preferred feed tell a new price of everything, every tenth of a second. */
async function speak(socket: ScriptedSocket, tenths: number) {
  for (let count = 1; count <= tenths; count++) {
    tellAll(socket, `${count}.5`);
    await seconds(0.1);
  }
}

async function connected(): Promise<ScriptedSocket> {
  await seconds(0);
  latest(coinbaseUrl).accept();
  return latest(coinbaseUrl);
}

describe("a run", () => {
  it("saves once a second at most, the latest prices of all chains, and ends in its time", async () => {
    const ended = run(10_000);
    const socket = await connected();
    await speak(socket, 99);
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

  it("saves nothing as long as nothing changes, and a new time as a change", async () => {
    const ended = run(10_000);
    const socket = await connected();
    tellAll(socket, "1");
    await seconds(3);
    expect(save).toHaveBeenCalledTimes(1);
    socket.ticker("ETH", "1");
    await seconds(3);
    expect(save).toHaveBeenCalledTimes(2);
    expect(save.mock.calls[1]?.[0][0]).toMatchObject({ price: "1", asOf: "2026-11-21T09:00:03.000Z" });
    await seconds(10);
    await ended;
  });

  it("waits a little for the rest of the prices before it takes over", async () => {
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

  it("ends without a word when a newer run has taken over, and closes its connection", async () => {
    save.mockResolvedValueOnce(true).mockResolvedValue(false);
    const ended = run();
    const socket = await connected();
    await speak(socket, 30);
    expect(socket.state).toBe("closing");
    socket.drop();
    expect(await ended).toBe(true);
    expect(save).toHaveBeenCalledTimes(2);
    expect(sockets.sockets).toHaveLength(1);
  });

  it("does not wait for a venue that never answers the closing of the connection", async () => {
    const ended = run(3000);
    tellAll(await connected(), "1");
    await seconds(4);
    expect(await ended).toBe(true);
  });

  it("goes on when a save fails, with what is latest then, and one save at a time", async () => {
    const fault = new Error("no");
    save.mockImplementationOnce(() => new Promise((_, reject) => setTimeout(reject, 2500, fault)));
    const ended = run(8000);
    await speak(await connected(), 60);
    expect(onFault.mock.calls).toEqual([[fault]]);
    expect(save.mock.calls.map(([prices]) => prices[0]?.price)).toEqual(["10.5", "45.5", "55.5"]);
    await seconds(10);
    expect(await ended).toBe(true);
  });

  it("was of no use when no save succeeded", async () => {
    save.mockRejectedValue(new Error("no"));
    const ended = run(5000);
    await speak(await connected(), 60);
    expect(await ended).toBe(false);
    expect(onFault).toHaveBeenCalledTimes(4);
  });

  it("was of no use when no feed spoke", async () => {
    const ended = run();
    await seconds(102);
    expect(await ended).toBe(false);
    expect(save).not.toHaveBeenCalled();
    expect(sockets.sockets.every(({ state }) => state === "closing")).toBe(true);
  });
});

describe("a feed that is silent", () => {
  it("gives way to the next after five seconds, as a whole, until it has spoken for five seconds", async () => {
    const ended = run();
    tellAll(await connected(), "1");
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
      await speak(latest(coinbaseUrl), tenths);
      latest(krakenUrl).snapshot(3);
    }
    expect(new Set(sourcesSaved().slice(1))).toEqual(new Set(["kraken"]));
    await speak(latest(coinbaseUrl), 20);
    expect(sourcesSaved().at(-1)).toBe("coinbase");
    expect(onLine.mock.calls[1]).toEqual([{ source: "coinbase", insteadOf: "kraken" }]);
    expect(latest(krakenUrl).state).toBe("closing");
    await seconds(100);
    await ended;
  });

  it("is connected to again, ever less often, and at least every half minute", async () => {
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
    // Five seconds of silence each, then the pause.
    expect(times).toEqual([0, 6, 13, 22, 35, 56, 91, 126, 161]);
    expect(onLine.mock.calls).toContainEqual([{ source: "coinbase", fault: "silent", count: 9 }]);
  });
});
