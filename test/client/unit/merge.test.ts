import { describe, expect, it } from "vitest";
import type { Wallet } from "../../../lib/client/index.ts";
import {
  askingForWallets,
  newlyHeld,
  stateOf,
  withMessage,
  withWalletList,
} from "../../../lib/client/merge.ts";

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
  it("are those of the list, in its order, each at the greater version of list and messages", () => {
    const changed = announced(listOf(wallet("a", 1), wallet("b", 4)), "a", 3, "active");
    expect(shown(changed)).toEqual(["a v3", "b v4"]);
    expect(shown(announced(changed, "b", 3, "active"))).toEqual(["a v3", "b v4"]);
    expect(shown(withWalletList(changed, [wallet("b", 5), wallet("a", 2)]))).toEqual(["b v5", "a v3"]);
  });

  it("go when they are retired, and stay away though an older list has them", () => {
    const retired = announced(listOf(wallet("a", 1)), "a", 2, "retired");
    expect(shown(retired)).toEqual([]);
    expect(shown(withWalletList(retired, [wallet("a", 1)]))).toEqual([]);
    expect(shown(withWalletList(retired, [wallet("a", 3)]))).toEqual(["a v3"]);
  });

  it("are asked for again when a message names one that the list does not have", () => {
    const behind = announced(listOf(), "a", 7, "active");
    expect([shown(behind), behind.walletsBehind]).toEqual([[], true]);
    const known = announced(listOf(), "a", 7, "retired");
    expect(announced(known, "a", 6, "active").walletsBehind).toBe(false);
  });

  it("stay when they were restored after the list was read", () => {
    const asked = askingForWallets(listOf(wallet("a", 1), wallet("b", 1)));
    const answered = withWalletList(announced(asked, "a", 3, "active"), []);
    expect([shown(answered), answered.walletsBehind]).toEqual([["a v3"], true]);
  });
});
