import type { Page, WebSocketRoute } from "playwright-core";

export type StreamOfPage = {
  /** Messages sent by the page. */
  sent: { type: string; tokens?: { token: string }[] }[];
  /** Sends the page a message as if from the service. */
  send(message: object): void;
  /** Holds back all messages while the connection stays open, as if the network were lost. */
  hold(isHeld: boolean): void;
  /** Closes the connection and refuses new ones. */
  cut(): Promise<void>;
  /** Accepts connections again. */
  mend(): void;
};

/** Intercepts the stream of a page. Messages pass in both directions. */
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

/** Builds a price update with one market that its chain's newest block has just changed. */
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
