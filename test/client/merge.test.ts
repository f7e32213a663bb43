import { readFileSync } from "node:fs";
import fc from "fast-check";
import type { Followed, FollowedToken, Order, ServerMessage, TerminalState } from "trading-terminal-client";
import { describe, expect, it } from "vitest";
import { withoutTokens, withTokens } from "../../lib/client/market-merge.ts";
import {
  askingForWallets,
  complete,
  type Held,
  newlyHeld,
  stateOf,
  withMessage,
  withSettings,
  withWalletList,
} from "../../lib/client/merge.ts";

type Shown = Partial<TerminalState>;
type Message = { type: string; operation?: string; tokens?: []; data?: { wallets: []; chain: string } };
type Case = {
  kind: Followed | "markets";
  name: string;
  before: Shown & { tokens?: FollowedToken[] };
  messages: Message[];
  after: Shown | null;
  asks?: string[];
};

const { cases }: { cases: Case[] } = JSON.parse(readFileSync("lib/client/merge-cases.json", "utf8"));
const followedBy = (kind: Case["kind"]): Followed[] => [kind === "markets" ? "prices" : kind];

/** Makes the complete state before a case. */
function heldBefore({ kind, before: { tokens = [], ...shown } }: Case): Held {
  const {
    orders = [],
    positions = [],
    prices = {},
    settings = {},
    markets = [],
    heads = {},
    wallets = [],
  } = shown;
  const held = newlyHeld(followedBy(kind));
  const changes = Object.entries(settings).map(([chain, { version, ...settings }]) => ({
    ...{ type: "TradingSettingsUpdated", data: { chain, version, settings } },
  }));
  const messages = [
    { type: "snapshot", channel: "orders", data: orders },
    { type: "snapshot", channel: "positions", data: positions },
    { type: "snapshot", channel: "prices", data: Object.values(prices) },
    { type: "update", channel: "prices", data: markets, heads },
    ...changes,
  ] as ServerMessage[];
  const filled = messages.reduce(withMessage, { ...held, markets: withTokens(held.markets, tokens) });
  return complete(withWalletList(filled, wallets), "settings");
}

/** Plays a message: the service's, or what the client itself does or reads. */
function played(held: Held, message: Message, followed: Followed[], unread: Set<string>): Held {
  const { type, operation, tokens = [], data = { wallets: [], chain: "" } } = message;
  if (type === "connected") return newlyHeld(followed, held);
  if (type === "unsubscribe") return { ...held, markets: withoutTokens(held.markets, tokens) };
  if (type === "request") return askingForWallets(held);
  if (operation === "listWalletsV2") return withWalletList(held, data.wallets);
  if (operation === undefined) return withMessage(held, message as ServerMessage);
  unread.delete(data.chain);
  const read = withSettings(held, data as never);
  return unread.size === 0 ? complete(read, "settings") : read;
}

/** Plays all messages of a case. */
function heldAfter(one: Case): Held {
  const unread = new Set(["eth", "base", "sol"]);
  const next = (held: Held, message: Message) => played(held, message, followedBy(one.kind), unread);
  return one.messages.reduce(next, heldBefore(one));
}

describe("the merging of messages", () => {
  it.each(cases.map((one) => [one.kind, one.name, one] as const))("of %s %s", (_kind, _name, one) => {
    const held = heldAfter(one);
    const state = stateOf(held);
    expect(state === undefined ? null : state).toEqual(one.after && { ...state, ...one.after });
    expect(held.walletsBehind ? ["listWalletsV2"] : undefined).toEqual(one.asks);
  });

  it("has cases of each kind of record", () => {
    const { markets: _, heads: __, ...kinds } = stateOf(newlyHeld([])) as TerminalState;
    expect(new Set(cases.map(({ kind }) => kind))).toEqual(new Set([...Object.keys(kinds), "markets"]));
  });
});

describe("orders", () => {
  const order = (orderId: string, version: number, createdAt: string) =>
    ({ orderId, version, createdAt }) as Order;
  const ordersOf = (items: readonly Order[]) => {
    const update = (item: Order): ServerMessage => {
      return { type: "update", channel: "orders", time: "now", data: [item] };
    };
    const first = complete(newlyHeld(["orders"]), "orders");
    const held = items.reduce((before, item) => withMessage(before, update(item)), first);
    return stateOf(held)?.orders.map(({ orderId, version }) => `${orderId} v${version}`);
  };

  it("keeps each order's place when it changes, without duplicates", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(9), fc.nat(5))), (changes) => {
        const items = changes.map(([id, version]) => order(`${id}`, version, `2026-11-21T09:30:0${id % 5}Z`));
        const greatest = new Map<string, number>();
        for (const { orderId, version } of items)
          greatest.set(orderId, Math.max(version, greatest.get(orderId) ?? 0));
        const expected = [...greatest]
          .toSorted(([a], [b]) => (Number(b) % 5) - (Number(a) % 5) || Number(b) - Number(a))
          .map(([id, version]) => `${id} v${version}`);
        expect(ordersOf(items)).toEqual(expected);
      }),
    );
  });
});
