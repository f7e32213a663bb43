import { describe, expect, it } from "vitest";
import { Streaks } from "../../../lib/trading/signing/streaks.ts";

const lane = (wallet: string) => ({ chain: "eth", wallet }) as const;
const minute = 60_000;

/** Records postponed requests one minute apart, and returns the alarms. */
const alarmsOf = (streaks: Streaks, wallets: readonly string[], apartMs = minute) =>
  wallets.map((wallet, index) => streaks.postponed(lane(wallet), index * apartMs));

describe("Streaks", () => {
  it("reports every fifth postponed request of a wallet", () => {
    const alarms = alarmsOf(new Streaks(), Array<string>(10).fill("0xA0"));
    expect(alarms.map((alarm, index) => alarm && [index + 1, alarm])).toEqual([
      ...Array(4).fill(undefined),
      [5, "wallet"],
      ...Array(4).fill(undefined),
      [10, "wallet"],
    ]);
  });

  it("reports every twentieth postponed request of a caller, across all wallets", () => {
    const wallets = Array.from({ length: 20 }, (_, number) => `0x${number}`);
    expect(alarmsOf(new Streaks(), wallets)).toEqual([...Array(19).fill(undefined), "caller"]);
  });

  it("ends a wallet's streak after a signature, and forgets it after ten minutes", () => {
    const streaks = new Streaks();
    alarmsOf(streaks, Array<string>(4).fill("0xA0"));
    streaks.signed(lane("0xA0"));
    expect(alarmsOf(streaks, Array<string>(4).fill("0xA0"))).toEqual(Array(4).fill(undefined));
    expect(alarmsOf(streaks, Array<string>(20).fill("0xB0"), 10 * minute + 1)).toEqual(
      Array(20).fill(undefined),
    );
  });

  it("keeps a wallet's streak while other wallets get signatures", () => {
    const streaks = new Streaks();
    alarmsOf(streaks, Array<string>(4).fill("0xA0"));
    streaks.signed(lane("0xB0"));
    expect(streaks.postponed(lane("0xA0"), 4 * minute)).toBe("wallet");
  });

  it("uses bounded memory for any number of wallets", () => {
    const streaks = new Streaks();
    alarmsOf(streaks, Array<string>(4).fill("0xA0"), 0);
    for (let number = 0; number < 1000; number++) streaks.postponed(lane(`0x${number}`), 0);
    expect(streaks.postponed(lane("0xA0"), 0)).not.toBe("wallet");
  });
});
