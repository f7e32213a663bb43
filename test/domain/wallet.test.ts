import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkWalletLimit, colorTags, importedWallet, listed, type Wallet } from "../../lib/domain/wallet.ts";

const limits = { Base: 10, Pro: 50, Enterprise: 500 };
const wallets = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    importedWallet("alice", "eth", `0x${index}`, new Date(Date.UTC(2026, 0, 1, 0, 0, index))),
  );

describe("listed wallets", () => {
  it("are named by the order in which they came, whatever the order in which they are read", () => {
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

  it("keep their name and colour when another joins", () => {
    const before = listed(wallets(5)).map(({ slotName, colortag }) => [slotName, colortag]);
    const after = listed(wallets(6)).map(({ slotName, colortag }) => [slotName, colortag]);
    expect(after.slice(0, 5)).toEqual(before);
  });

  it("have colours of the palette, the first eight all different", () => {
    expect(new Set(listed(wallets(8)).map(({ colortag }) => colortag))).toEqual(new Set(colorTags));
  });

  it("keep what the user chose", () => {
    const [wallet] = wallets(1);
    const chosen = { ...wallet, slotName: "Sniper", colortag: "pink" } as Wallet;
    expect(listed([chosen])).toEqual([chosen]);
  });
});

describe("the wallet limit", () => {
  it("names limit and tier when it is reached", () => {
    expect(() => checkWalletLimit("Base", 10, limits)).toThrow("Wallet limit of 10 reached for tier Base");
  });

  it("lets every wallet below it in, and none from it on", () => {
    fc.assert(
      fc.property(fc.constantFrom("Base", "Pro", "Enterprise"), fc.nat(1000), (tier, count) => {
        const check = () => checkWalletLimit(tier, count, limits);
        if (count < limits[tier]) expect(check).not.toThrow();
        else expect(check).toThrow(expect.objectContaining({ code: "WALLET_LIMIT_REACHED" }));
      }),
    );
  });
});
