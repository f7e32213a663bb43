import type { Page, WebSocketRoute } from "playwright-core";

export type StreamOfPage = {
  /** The messages that the page has sent. */
  sent: { type: string; tokens?: { token: string }[] }[];
  /** Sends a message to the page, as if it came from the service. */
  send(message: object): void;
  /** Holds all messages of both sides while the connection stays open, as a lost network does. */
  hold(isHeld: boolean): void;
  /** Ends the connection, and refuses new ones. */
  cut(): Promise<void>;
  /** Accepts connections again. */
  mend(): void;
};

/** Puts the test between a page and the stream. Messages of both sides pass. */
export async function streamOf(page: Page): Promise<StreamOfPage> {
  let sockets: WebSocketRoute[] = [];
  const sent: StreamOfPage["sent"] = [];
  let isCut = false;
  let isHeld = false;
  await page.routeWebSocket("**/stream", (socket) => {
    if (isCut) return void socket.close({ code: 1011 });
    sockets.push(socket);
    const server = socket.connectToServer();
    server.onMessage((message) => isHeld || socket.send(message));
    socket.onMessage((message) => {
      if (isHeld) return;
      sent.push(JSON.parse(String(message)));
      server.send(message);
    });
  });
  return {
    sent,
    send(message) {
      for (const socket of sockets) socket.send(JSON.stringify(message));
    },
    hold(next) {
      isHeld = next;
    },
    async cut() {
      isCut = true;
      const open = sockets;
      sockets = [];
      for (const socket of open) await socket.close({ code: 1011 });
    },
    mend() {
      isCut = false;
    },
  };
}

type Market = { chain: string; token: string; price: string } & Record<string, unknown>;

let block = 1_000_000;

/** An update of prices with one market, which the newest block of its chain has just changed. */
export function marketUpdate(market: Market, coinUsd = "2600", headMs = Date.now()) {
  const time = new Date().toISOString();
  const { chain } = market;
  block += 1;
  return {
    type: "update",
    channel: "prices",
    time,
    heads: { [chain]: { block, time: new Date(headMs).toISOString() } },
    data: [
      { chain, symbol: "ETH", price: coinUsd, currency: "USD", source: "simulated", asOf: time },
      { symbol: "MOON", decimals: 18, flags: [], revision: 1_000_000_000, block, asOf: time, ...market },
    ],
  };
}
