import type { ServerMessage, TerminalState } from "trading-terminal-client";
import type { Clock } from "../../../lib/client/clock.ts";
import type { SocketConstructor, SocketLike } from "../../../lib/client/socket.ts";
import type { Chance } from "../../soak/chance.ts";
import type { TerminalTable } from "./terminal-table.ts";

/** The client's end of a connection. */
export type Peer = { deliver(text: string): void; drop(): void };

export type Link = {
  peer: Peer;
  channels: Set<string>;
  isOpen: boolean;
  /** True if the connection was cut without notifying either end. */
  isDead: boolean;
  hasMissed: boolean;
  /** State of the table when the connection opened. */
  floor: TerminalState;
};

const time = "2026-11-21T09:30:00.000Z";

/**
 * Speaks the protocol of docs/streams.md as badly as it allows. Messages are late, repeated, out of order, or missing
 * until the state is sent again. Connections are refused, cut and closed. Requests fail.
 */
export class FaultyService {
  readonly table: TerminalTable;
  readonly links: Link[] = [];
  isHealthy = false;
  isDown = false;
  readonly #chance: Chance;
  readonly #clock: Clock;
  readonly #mostLateMs: number;

  constructor(deps: { table: TerminalTable; chance: Chance; clock: Clock; mostLateMs: number }) {
    this.table = deps.table;
    this.#chance = deps.chance;
    this.#clock = deps.clock;
    this.#mostLateMs = deps.mostLateMs;
  }

  handshake(): "accepted" | "refused" | "unanswered" {
    if (this.isDown || this.#fails(6)) return "refused";
    return this.#fails(12) ? "unanswered" : "accepted";
  }

  connect(peer: Peer): Link {
    const floor = this.table.state();
    const link = { peer, channels: new Set<string>(), isOpen: true, isDead: false, hasMissed: false, floor };
    this.links.push(link);
    return link;
  }

  disconnect(link: Link): void {
    if (!link.isOpen) return;
    link.isOpen = false;
    link.peer.drop();
  }

  receive(link: Link, text: string): void {
    const {
      type,
      id,
      channels = [],
      tokens = [],
    } = JSON.parse(text) as { type: string; id?: number; channels?: string[]; tokens?: object[] };
    if (type === "ping") this.#send(link, [{ type: "pong", time }]);
    if (type !== "subscribe" || this.#fails(12)) return;
    this.#later(() => {
      if (this.#fails(8))
        return this.#send(link, [{ type: "error", id, code: "INTERNAL_ERROR", message: "no" } as never]);
      for (const channel of channels) link.channels.add(channel);
      this.#send(link, [
        { type: "subscriptions", time, channels } as never,
        ...channels.flatMap((one) => this.#snapshot(one)),
        ...(tokens.length > 0 ? [this.#allPrices()] : []),
      ]);
    });
  }

  /** Changes the table and announces the change to every connection. */
  change(): void {
    const message = this.table.change();
    for (const link of this.links) {
      if ("channel" in message && !link.channels.has(message.channel)) continue;
      if (this.#fails(6)) {
        link.hasMissed = true;
        this.#later(() => this.catchUp(link));
        continue;
      }
      this.#send(link, [message]);
      if (this.#fails(4)) this.#send(link, [message]);
    }
  }

  /** Sends the whole state to a connection that missed a message. */
  catchUp(link: Link): void {
    if (!link.hasMissed) return;
    link.hasMissed = false;
    const channels = ["orders", "positions"].filter((channel) => link.channels.has(channel));
    this.#send(link, [
      ...[...this.table.settings.values()].map(
        (data) => ({ type: "TradingSettingsUpdated", time, data }) as const,
      ),
      { type: "WalletsUpdated", time, data: { wallets: [...this.table.wallets.values()] } },
      ...channels.flatMap((channel) => this.#snapshot(channel)),
    ]);
  }

  hurry(link: Link): void {
    this.#send(link, [{ type: "error", code: "RATE_LIMITED", message: "no" }]);
    this.#later(() => this.disconnect(link));
  }

  /** Ends all faults and sends missed messages, except prices: new ones arrive within a second. */
  heal(): void {
    this.isHealthy = true;
    this.isDown = false;
    for (const link of this.links) {
      this.catchUp(link);
      if (link.channels.has("prices")) this.#send(link, [this.#allPrices()]);
    }
  }

  /** Sends the update that each connection receives every half minute. */
  #allPrices(): ServerMessage {
    const data = [...this.table.prices.values(), ...this.table.allMarkets()];
    return { type: "update", channel: "prices", time, heads: {}, data };
  }

  /** Responds to a request some time after reading the table. */
  async answer(url: string): Promise<Response> {
    const { pathname, searchParams } = new URL(url);
    await this.#wait();
    if (this.isDown || this.#fails(25)) throw new TypeError("fetch failed");
    if (this.#fails(25)) return new Response("<html>", { status: 502 });
    if (this.#fails(12))
      return Response.json({ error: "no" }, { status: 429, headers: { "Retry-After": "1" } });
    if (this.#fails(12))
      return Response.json({ error: { code: "INTERNAL_ERROR", message: "no" } }, { status: 500 });
    const data = this.#read(pathname, searchParams.get("cursor"));
    await this.#wait();
    return Response.json({ success: true, data, timestamp: time });
  }

  #read(pathname: string, cursor: string | null): unknown {
    if (pathname === "/getUserData") return {};
    const chain = /^\/api\/v2\/settings\/(\w+)$/.exec(pathname)?.[1];
    if (chain !== undefined) return this.table.settings.get(chain);
    const left = this.table.activeWallets().filter(({ _id }) => Number(_id) > Number(cursor ?? 0));
    const wallets = left.slice(0, 2);
    return { wallets, ...(left.length > 2 && { cursor: wallets.at(-1)?._id }) };
  }

  #snapshot(channel: string): ServerMessage[] {
    // A snapshot of prices may be a second old.
    const data =
      channel === "prices" && !this.isHealthy
        ? this.table.olderPrices
        : Object.values(this.table.state()[channel as "orders"]);
    const size = 1 + this.#chance.below(4);
    const parts = Array.from<unknown, readonly object[]>(
      { length: Math.max(1, Math.ceil(data.length / size)) },
      (_, index) => data.slice(index * size, (index + 1) * size),
    );
    return parts.map(
      (part, index) =>
        ({
          type: "snapshot",
          channel,
          time,
          data: part,
          ...(index < parts.length - 1 && { more: true }),
        }) as never,
    );
  }

  /** Sends messages in this order. Other messages may come between them. */
  #send(link: Link, messages: readonly ServerMessage[]): void {
    const [first, ...rest] = messages;
    if (first === undefined) return;
    this.#later(() => {
      if (!link.isOpen || link.isDead) return;
      link.peer.deliver(JSON.stringify(first));
      this.#send(link, rest);
    });
  }

  #fails(outOf: number): boolean {
    return !this.isHealthy && this.#chance.below(outOf) === 0;
  }

  #later(act: () => void): void {
    this.#clock.after(this.isHealthy ? 0 : this.#chance.below(this.#mostLateMs), act);
  }

  #wait(): Promise<void> {
    return new Promise((resolve) => this.#later(resolve));
  }
}

/** Triggers a random event: usually a change, sometimes a fault. */
export function disturb(service: FaultyService, chance: Chance): void {
  const link = service.links.filter(({ isOpen }) => isOpen).at(-1);
  const what = chance.weighted({ change: 40, cut: 1, dead: 1, hurry: 1, down: 1, up: 4 });
  if (what === "change") service.change();
  if (what === "up") service.isDown = false;
  if (what === "down") {
    service.isDown = true;
    for (const each of service.links) service.disconnect(each);
  }
  if (link === undefined) return;
  if (what === "cut") service.disconnect(link);
  if (what === "dead") link.isDead = true;
  if (what === "hurry") service.hurry(link);
}

type Listener = (event: never) => void;

/** WebSockets to a service in the same process. */
export function virtualSockets(service: FaultyService, clock: Clock): SocketConstructor {
  return class implements SocketLike {
    onopen: Listener | null = null;
    onmessage: Listener | null = null;
    onclose: Listener | null = null;
    onerror: Listener | null = null;
    #link: Link | undefined;

    constructor() {
      clock.after(20, () => {
        const handshake = service.handshake();
        if (handshake === "refused") this.onclose?.({} as never);
        if (handshake !== "accepted") return;
        this.#link = service.connect({
          deliver: (data) => this.onmessage?.({ data } as never),
          drop: () => this.onclose?.({} as never),
        });
        this.onopen?.({} as never);
      });
    }

    send(text: string): void {
      if (this.#link !== undefined) service.receive(this.#link, text);
    }

    close(): void {
      if (this.#link !== undefined) this.#link.isOpen = false;
    }
  };
}
