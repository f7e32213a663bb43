import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkWalletLimit, colorTags, listed, newWallet, type Wallet } from "../../lib/wallets/wallet.ts";

const limits = { Base: 10, Pro: 50, Enterprise: 500 };
const wallets = (count: number) =>
  Array.from({ length: count }, (_, index): Wallet => {
    const now = new Date(Date.UTC(2026, 0, 1, 0, 0, index));
    const named = { userID: "alice", network: "eth", address: `0x${index}`, now } as const;
    return { ...newWallet("imported", named), slot: index + 1, version: 1 };
  });

describe("listed", () => {
  it("names wallets by slot, in whatever order they are read", () => {
    const order = fc.shuffledSubarray(wallets(12), { minLength: 12 });
    fc.assert(
      fc.property(order, (shuffled) => {
        const list = listed(shuffled);
        expect(list.map(({ generatedWalletAddress }) => generatedWalletAddress)).toEqual(
          wallets(12).map(({ generatedWalletAddress }) => generatedWalletAddress),
        );
        expect(list.map(({ slotName }) => slotName)).toEqual(list.map((_, index) => `Wallet ${index + 1}`));
      }),
    );
  });

  it("keeps names and colours when another wallet is added", () => {
    const before = listed(wallets(5)).map(({ slotName, colortag }) => [slotName, colortag]);
    const after = listed(wallets(6)).map(({ slotName, colortag }) => [slotName, colortag]);
    expect(after.slice(0, 5)).toEqual(before);
  });

  it("keeps names and colours when a wallet with a slow clock is added", () => {
    const numbered = wallets(3).map((wallet, index) => ({ ...wallet, slot: 3 - index }));
    const before = listed(numbered.slice(1));
    expect(before.map(({ slotName }) => slotName)).toEqual(["Wallet 1", "Wallet 2"]);
    expect(listed(numbered).slice(0, 2)).toEqual(before);
  });

  it("gives the first eight wallets different colours of the palette", () => {
    expect(new Set(listed(wallets(8)).map(({ colortag }) => colortag))).toEqual(new Set(colorTags));
  });

  it("keeps the name and colour that the user chose", () => {
    const [wallet] = wallets(1);
    const chosen = { ...wallet, slotName: "Sniper", colortag: "pink" } as Wallet;
    expect(listed([chosen])).toMatchObject([{ slotName: "Sniper", colortag: "pink" }]);
  });
});

describe("checkWalletLimit", () => {
  it("names the limit and the tier", () => {
    expect(() => checkWalletLimit("Base", 10, limits)).toThrow("Wallet limit of 10 reached for tier Base");
  });

  it("allows every count below the limit, and no count at or above it", () => {
    fc.assert(
      fc.property(fc.constantFrom("Base", "Pro", "Enterprise"), fc.nat(1000), (tier, count) => {
        const check = () => checkWalletLimit(tier, count, limits);
        if (count < limits[tier]) expect(check).not.toThrow();
        else expect(check).toThrow(expect.objectContaining({ code: "WALLET_LIMIT_REACHED" }));
      }),
    );
  });
});
