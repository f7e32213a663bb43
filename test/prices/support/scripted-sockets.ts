/** A socket for which the test plays the server. */
export class ScriptedSocket extends EventTarget {
  readonly url: string;
  readonly sent: string[] = [];
  state: "connecting" | "open" | "closing" | "closed" = "connecting";

  constructor(url: string) {
    super();
    this.url = url;
  }

  send(text: string) {
    this.sent.push(text);
  }

  close() {
    if (this.state !== "closed") this.state = "closing";
  }

  accept() {
    this.state = "open";
    this.dispatchEvent(new Event("open"));
  }

  say(message: object | string) {
    const data = typeof message === "string" ? message : JSON.stringify(message);
    this.dispatchEvent(new MessageEvent("message", { data }));
  }

  /** Sends Coinbase's ticker of a product. */
  ticker(asset: string, price: string, time = new Date().toISOString()) {
    this.say({ type: "ticker", product_id: `${asset}-USD`, price, time });
  }

  /** Sends Kraken's snapshot of every product. */
  snapshot(price: number) {
    const data = ["ETH", "SOL", "BNB", "AVAX"].map((asset) => ({ symbol: `${asset}/USD`, last: price }));
    this.say({ channel: "ticker", type: "snapshot", data });
  }

  /** Ends the connection, or confirms its close. */
  drop() {
    this.state = "closed";
    this.dispatchEvent(new CloseEvent("close"));
  }
}

export function scriptedSockets() {
  const sockets: ScriptedSocket[] = [];
  return {
    sockets,
    of: (url: string) => sockets.filter((socket) => socket.url === url),
    open(url: string): WebSocket {
      const socket = new ScriptedSocket(url);
      sockets.push(socket);
      return socket as unknown as WebSocket;
    },
  };
}
