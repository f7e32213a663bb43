import fc from "fast-check";
import type { Order, ServerMessage, Wallet } from "trading-terminal-client";
import { describe, expect, it } from "vitest";
import { askingForWallets, newlyHeld, stateOf, withMessage, withWalletList } from "../../lib/client/merge.ts";

const wallet = (id: string, version: number) => ({ _id: id, version }) as Wallet;

const announced = (
  held: ReturnType<typeof newlyHeld>,
  id: string,
  version: number,
  state: "active" | "retired",
) =>
  withMessage(held, {
    type: "WalletsUpdated",
    time: "now",
    data: { wallets: [{ ...wallet(id, version), state }] },
  });

const listOf = (...wallets: Wallet[]) => withWalletList(newlyHeld(["wallets"]), wallets);
const shown = (held: ReturnType<typeof newlyHeld>) =>
  stateOf(held)?.wallets.map(({ _id, version }) => `${_id} v${version}`);

describe("wallets", () => {
  it("keeps the wallet list's order and shows each wallet's newer version, from the list or a message", () => {
    const changed = announced(listOf(wallet("a", 1), wallet("b", 4)), "a", 3, "active");
    expect(shown(changed)).toEqual(["a v3", "b v4"]);
    expect(shown(announced(changed, "b", 3, "active"))).toEqual(["a v3", "b v4"]);
    expect(shown(withWalletList(changed, [wallet("b", 5), wallet("a", 2)]))).toEqual(["b v5", "a v3"]);
  });

  it("removes retired wallets even if an older list still has them", () => {
    const retired = announced(listOf(wallet("a", 1)), "a", 2, "retired");
    expect(shown(retired)).toEqual([]);
    expect(shown(withWalletList(retired, [wallet("a", 1)]))).toEqual([]);
    expect(shown(withWalletList(retired, [wallet("a", 2)]))).toEqual([]);
    expect(shown(withWalletList(retired, [wallet("a", 3)]))).toEqual(["a v3"]);
  });

  it("loads the wallet list again when a message names a missing wallet", () => {
    const behind = announced(listOf(), "a", 7, "active");
    expect([shown(behind), behind.walletsBehind]).toEqual([[], true]);
    const known = announced(listOf(), "a", 7, "retired");
    expect(announced(known, "a", 6, "active").walletsBehind).toBe(false);
  });

  it("keeps a wallet that was restored after the list was read", () => {
    const asked = askingForWallets(listOf(wallet("a", 1), wallet("b", 1)));
    const answered = withWalletList(announced(asked, "a", 3, "active"), []);
    expect([shown(answered), answered.walletsBehind]).toEqual([["a v3"], true]);
  });
});

describe("orders", () => {
  const order = (orderId: string, version: number, createdAt: string) =>
    ({ orderId, version, createdAt }) as Order;
  const snapshot = (...data: Order[]): ServerMessage => ({
    type: "snapshot",
    channel: "orders",
    time: "now",
    data,
  });
  const update = (...data: Order[]): ServerMessage => ({
    type: "update",
    channel: "orders",
    time: "now",
    data,
  });
  const ordersOf = (...messages: ServerMessage[]) =>
    stateOf(messages.reduce(withMessage, newlyHeld(["orders"])))?.orders.map(
      ({ orderId, version }) => `${orderId} v${version}`,
    );

  it("sorts orders newest first by time and then id, with or without milliseconds", () => {
    const early = "2026-11-21T09:30:00Z";
    const late = "2026-11-21T09:30:00.500Z";
    expect(ordersOf(snapshot(order("a", 1, early), order("b", 1, late), order("c", 1, early)))).toEqual([
      ...["b v1", "c v1", "a v1"],
    ]);
  });

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
        expect(ordersOf(snapshot(), ...items.map((item) => update(item)))).toEqual(expected);
      }),
    );
  });
});
