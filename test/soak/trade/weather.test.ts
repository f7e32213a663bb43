import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { describe, expect, it } from "vitest";
import { createChance } from "../chance.ts";
import type { Item } from "../table-audit.ts";
import { signForeign } from "./chain-access.ts";
import { signedPartsIn } from "./read-trade.ts";
import { leftoversIn } from "./settle.ts";
import { planWeather, spells } from "./weather.ts";

describe("planWeather", () => {
  const short = planWeather(50, createChance("1"));

  it("covers every kind of bad weather within 50 orders", () => {
    const begun = short.filter(({ isEnd }) => !isEnd).map(({ spell }) => spell);
    expect(begun).toEqual(expect.arrayContaining(Object.keys(spells)));
  });

  it("ends each spell that lasts", () => {
    const ends = new Set(short.filter(({ isEnd }) => isEnd).map(({ spell }) => spell));
    expect([...ends].toSorted()).toEqual(
      Object.entries(spells)
        .filter(([, spell]) => "end" in spell)
        .map(([name]) => name)
        .toSorted(),
    );
  });

  it("plans the same weather for the same seed and different weather for a different seed", () => {
    expect(planWeather(50, createChance("1"))).toEqual(short);
    expect(planWeather(50, createChance("2"))).not.toEqual(short);
  });

  it("sorts changes by order number and skips relays on chains without one", () => {
    const long = planWeather(1000, createChance("1"));
    const times = long.map(({ after }) => after);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    const relayed = long.filter(({ spell }) => spell.startsWith("relay")).map(({ chain }) => chain);
    expect([...new Set(relayed)].toSorted()).toEqual(["bsc", "eth"]);
  });
});

describe("leftoversIn", () => {
  const items: Item[] = [
    { PK: "LANES#eth#0", SK: "LANE#0xA" },
    { PK: "LANE#eth#0xA", SK: "JOB#o1" },
    { PK: "LANE#eth#0xA", SK: "SLOT#0000000000000003" },
    { PK: "LANE#eth#0xB", SK: "JOB#o2" },
    { PK: "TRADES#a", SK: "TRADE#o1" },
  ];

  it("lists lanes, jobs and slots of the run's wallets", () => {
    expect(leftoversIn(items, new Set(["0xA"]))).toEqual([
      "LANES#eth#0 LANE#0xA",
      "LANE#eth#0xA JOB#o1",
      "LANE#eth#0xA SLOT#0000000000000003",
    ]);
  });
});

describe("signedPartsIn", () => {
  it("finds both halves of each attempt's signature in the table", () => {
    const { raw } = signForeign("eth", {
      privateKey: `0x${"1".repeat(64)}`,
      nonce: 0,
      fee: 1n,
      to: localAddresses.moon,
      data: "0x",
      gasLimit: 21_000n,
    });
    const parts = signedPartsIn([
      { PK: "BYTES#eth#0xA", SK: "BYTES#0x1", raw },
      { PK: "LANE#eth#0xA", SK: "JOB#o1" },
    ]);
    expect(parts).toHaveLength(2);
    for (const part of parts) expect(raw).toContain(part);
  });

  it("finds all bytes of a Solana attempt, because its signature is public", () => {
    expect(signedPartsIn([{ PK: "BYTES#sol#W", SK: "BYTES#5", raw: "AbCd" }])).toEqual(["AbCd"]);
  });
});
