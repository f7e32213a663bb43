import type { TestSurfnet } from "trading-terminal-devnet/sol/test-surfnet";
import { describe, expect, it } from "vitest";
import { programs, wsolMint } from "../../../lib/chains/sol/calls/addresses.ts";
import { formatDecimal } from "../../../lib/core/decimal.ts";
import { poolLooks } from "../../../lib/markets/sol/look-at-pools.ts";
import { SolPoolReader } from "../../../lib/markets/sol/pools.ts";
import { scaling, seeing, solDeskForTests, solReaderOf } from "../../support/sol-reader.ts";
import { addMint } from "../../support/sol-tokens.ts";

const { chain, hosts } = solDeskForTests();

const mintOf = (name: keyof TestSurfnet["deployment"]["tokens"]) => chain.deployment.tokens[name].mint;

/** Counts the accounts of each look. */
function countingLooks(): number[] {
  const looks: number[] = [];
  hosts[0].lie = (method, result, params) => {
    if (method === "getMultipleAccounts") looks.push((params[0] as string[]).length);
    return result;
  };
  return looks;
}

const only = async (changes = {}) => new SolPoolReader(await solReaderOf(chain, [hosts[0]], changes));

describe("SolPoolReader", () => {
  it("reads tokens with their pools, prices and depths in one call", async () => {
    const looks = countingLooks();
    const [moon, feez] = [mintOf("MOON"), mintOf("FEEZ")];
    const found = await (await only({ cpmmConfigs: [0] })).read([moon, feez, moon]);
    expect([...(found?.keys() ?? [])]).toEqual([moon, feez]);
    const { token, pools, block } = found?.get(moon) ?? {};
    expect(token).toEqual({
      chain: "sol",
      token: moon,
      symbol: "MOON",
      name: "Moon",
      decimals: 6,
      supply: { mantissa: 1n, exponent: 9 },
    });
    const { pool } = chain.deployment.tokens.MOON;
    expect(pools).toMatchObject([{ pool, quote: "native", venue: "raydium-cpmm", feeBps: 25 }]);
    // A pool of 500 coins and 5,000,000 tokens. A sale with an impact of 2 % pays a fiftieth of the coins.
    expect([pools?.[0]?.price, pools?.[0]?.depth].map((value) => value && formatDecimal(value))).toEqual([
      "0.0001",
      "10",
    ]);
    expect(block?.number).toBeGreaterThan(0);
    expect(Math.abs((block?.time ?? 0) - Date.now() / 1000)).toBeLessThan(60);
    expect(found?.get(feez)?.pools).toHaveLength(1);
    expect(looks).toHaveLength(1);
  });

  it("reads few accounts once it knows which pools exist, and reads all accounts again after ten minutes", async () => {
    const looks = countingLooks();
    const reader = await only();
    for (const nowMs of [0, 1000, 600_000]) await reader.read([mintOf("MOON")], nowMs);
    // Clock, mint and name, and sixteen pools, each with a configuration and two vaults. After two looks, it knows the
    // only configuration.
    expect(looks).toEqual([67, 7, 67]);
    await reader.read([mintOf("FEEZ")], 601_000);
    expect(looks.at(-1)).toBe(7);
  });

  it("learns from two of many new tokens which configurations exist", async () => {
    const looks = countingLooks();
    const others = await Promise.all(Array.from({ length: 5 }, () => addMint(chain, 6)));
    const found = await (await only()).read(others);
    expect([...(found?.keys() ?? [])]).toEqual(others);
    // Two looks at one token each, and one at all: clock, configuration, five mints with names, and three new pools.
    expect(looks).toEqual([67, 67, 1 + 5 * 2 + 1 + 3 * 3]);
  });

  it("reads Pump's curves and PumpSwap's pools, and samples the same amounts from their accounts", async () => {
    const { curves, pools, table } = chain.deployment.pump;
    const reader = await solReaderOf(chain, [hosts[0]], { pumpTable: table });
    const [bend, grad] = [curves.BEND.mint, pools.GRAD.mint];
    const found = await new SolPoolReader(reader).read([bend, grad]);
    const [curve, pool] = [bend, grad].map((mint) => found?.get(mint)?.pools[0] ?? expect.fail("no pool"));
    expect([curve, pool]).toMatchObject([
      { pool: curves.BEND.curve, venue: "pump", accounts: [curves.BEND.curve] },
      {
        pool: pools.GRAD.pool,
        venue: "pumpswap",
        accounts: [pools.GRAD.pool, pools.GRAD.vaults.coin, pools.GRAD.vaults.token],
      },
    ]);
    // The curve has 40 coins for its price, of which 30 do not exist. A sale with an impact of 2 % pays a fiftieth.
    expect(curve && formatDecimal(curve.depth)).toBe("0.8");
    const [shown] = await poolLooks(reader)([curve, pool].filter((each) => each !== undefined));
    for (const each of [curve, pool])
      expect(shown?.pools.get(each?.pool ?? "")).toMatchObject(each?.amounts ?? {});
  });

  it("splits many tokens into calls of at most 100 accounts", async () => {
    const looks = countingLooks();
    const reader = await only();
    const others = await Promise.all(Array.from({ length: 7 }, () => chain.newWallet()));
    const tokens = [...others.map(({ address }) => address), mintOf("MOON")];
    expect([...((await reader.read(tokens))?.keys() ?? [])]).toEqual([mintOf("MOON")]);
    expect(looks).toHaveLength(10);
    for (const count of looks) expect(count).toBeLessThanOrEqual(100);
  });

  it("leaves out addresses that are not tokens, and shows no pool for the wrapped coin", async () => {
    const found = await (await only()).read([programs.token, wsolMint]);
    expect([...(found?.keys() ?? [])]).toEqual([wsolMint]);
    expect(found?.get(wsolMint)?.pools).toEqual([]);
    expect(await (await only()).read([])).toEqual(new Map());
  });

  it("omits a pool with too few coins, and pools that are stopped or not open yet", async () => {
    const { mint, pool, vaults } = chain.deployment.tokens.MOON;
    const poolsSeen = async () => (await (await only()).read([mint]))?.get(mint)?.pools;
    hosts[0].lie = scaling(vaults.coin, 9n);
    expect(await poolsSeen()).toEqual([]);
    hosts[0].lie = scaling(vaults.coin, 11n);
    expect(await poolsSeen()).toHaveLength(1);
    const changing = (change: (data: Buffer) => void) =>
      seeing(({ value }, addresses) => {
        const shown = value[addresses.indexOf(pool)];
        if (!shown) return;
        const data = Buffer.from(shown.data[0], "base64");
        change(data);
        shown.data[0] = data.toString("base64");
      });
    hosts[0].lie = changing((data) => data.writeUInt8(0b100, 329));
    expect(await poolsSeen()).toEqual([]);
    hosts[0].lie = changing((data) => data.writeBigUInt64LE(2n ** 40n, 373));
    expect(await poolsSeen()).toEqual([]);
  });

  it("queries the next host if one fails, and switches hosts after ten seconds if one goes back to older slots", async () => {
    const failing = () => {
      throw new Error("no answer");
    };
    const reader = new SolPoolReader(await solReaderOf(chain, hosts));
    const slotAt = async (nowMs: number) => {
      const mint = mintOf("MOON");
      return (await reader.read([mint], nowMs))?.get(mint)?.block.number;
    };
    hosts[0].lie = failing;
    const first = (await slotAt(0)) as number;
    expect(first).toBeGreaterThan(0);
    const back = seeing((answer) => {
      answer.context.slot = first - 1;
    });
    for (const host of hosts) host.lie = back;
    for (const nowMs of [1000, 11_000]) expect(await slotAt(nowMs)).toBeUndefined();
    expect(await slotAt(12_000)).toBe(first - 1);
  });
});
