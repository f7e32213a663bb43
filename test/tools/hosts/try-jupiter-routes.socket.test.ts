import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { solHost } from "../../../lib/chains/sol/calls/hosts.ts";
import type { SolConfiguration } from "../../../lib/chains/sol/rules/configuration.ts";
import { findingsOf, tableOf } from "../../../lib/tools/hosts/report.ts";
import { tryJupiterRoutes } from "../../../lib/tools/hosts/try-jupiter-routes.ts";
import { startTestJupiter, type TestJupiter } from "../../support/jupiter.ts";
import { solDeskForTests, solReaderOf } from "../../support/sol-reader.ts";
import { holdTokens } from "../../support/sol-tokens.ts";

const { chain, hosts } = solDeskForTests();
let jupiter: TestJupiter;
beforeAll(async () => {
  jupiter = await startTestJupiter(chain);
  const { address } = await chain.newWallet();
  await holdTokens(chain, address, chain.deployment.tokens.MOON, 10n ** 10n);
});
afterAll(() => jupiter.close());
beforeEach(() => {
  jupiter.faults = {};
  jupiter.asked.length = 0;
});

async function look(changes: Partial<SolConfiguration> = {}, mints: readonly string[] = []) {
  const { configuration } = await solReaderOf(chain, [hosts[0]], {
    payer: chain.deployment.payer,
    jupiter: { url: jupiter.url, key: "c0ffee" },
    ...changes,
  });
  return tryJupiterRoutes(solHost(hosts[0].url, configuration.cluster), configuration, { pauseMs: 0, mints });
}

const routes = ["Pump.fun", "Pump.fun Amm", "Raydium CP", "Meteora DLMM"];

describe("tryJupiterRoutes", () => {
  it("tries buying and selling on each exchange, and describes each message and its cost", async () => {
    const sizes: number[] = [];
    hosts[0].lie = (method, result, [transaction]) => {
      if (method === "simulateTransaction") sizes.push(Buffer.from(String(transaction), "base64").length);
      return result;
    };
    const looks = await look();
    expect(looks.map(({ name }) => name)).toEqual(
      routes.flatMap((route) => [`${route}, buy MOON`, `${route}, sell MOON`]),
    );
    for (const { words, isTried } of looks) {
      expect(isTried).toBe(true);
      expect(words).toMatch(
        /^accepts the helper as a delegate; \d{3,4} bytes, \d{4,6} compute units, 10000 lamports$/,
      );
    }
    expect(looks.map(({ words }) => Number(/(\d+) bytes/.exec(words)?.[1]))).toEqual(sizes);
    expect(jupiter.asked.map(({ dexes }) => dexes)).toEqual(routes.flatMap((route) => [route, route]));
    const shown = tableOf({ chain: "sol", spent: "1 SOL", hosts: [], quotes: [], routes: looks }).join("\n");
    expect(shown).toContain("Pump.fun, buy MOON: accepts the helper as a delegate");
    expect(shown).not.toContain("c0ffee");
  });

  it("reports where a route fails and which programs Jupiter would call first", async () => {
    hosts[0].lie = (method, result) =>
      method === "simulateTransaction"
        ? {
            ...(result as object),
            value: { err: { InstructionError: [8, { Custom: 3012 }] }, unitsConsumed: 7 },
          }
        : result;
    const [first] = await look();
    expect(first).toMatchObject({
      isTried: false,
      words: expect.stringMatching(/^fails at Jupiter's swap; /),
    });
  });

  it.each([
    ["platformFee", /^the signer refuses it: the venue's instruction takes a fee for a platform/],
    ["otherProgram", /OTHER_PROGRAM/],
    ["rateLimited", /TOO_MANY_REQUESTS|RESTING/],
  ] as const)("explains why a response with the fault %s is unusable", async (fault, words) => {
    jupiter.faults = { [fault]: 1 };
    for (const route of await look())
      expect(route).toMatchObject({ isTried: false, words: expect.stringMatching(words) });
  });

  it("reports exchanges without a route for a listed token, and tokens without a known holder", async () => {
    const { mint } = chain.deployment.tokens.TRAP;
    const trap = { token: mint, symbol: "TRAP", name: "Trap", decimals: 6 };
    const words = "has no route for a listed token, so name one that trades there by --token";
    expect(await look({ tokens: [trap] })).toEqual(
      routes.map((name) => ({ name, words, isTried: false, exchange: name, isAllowed: true })),
    );
    hosts[0].lie = (method, result) =>
      method === "getTokenLargestAccounts" ? { context: { slot: 1 }, value: [] } : result;
    const [, sale] = await look();
    expect(sale).toMatchObject({ name: "Pump.fun, sell MOON", isTried: false });
  });

  it("judges only the exchanges that the configuration allows, and lists those that passed", async () => {
    hosts[0].lie = (method, result) =>
      method === "getTokenLargestAccounts" ? { context: { slot: 1 }, value: [] } : result;
    const refused = await look({ jupiter: { url: jupiter.url, exchanges: ["Raydium CP", "Orca"] } });
    expect([...new Set(refused.map(({ exchange }) => exchange))]).toEqual([...routes, "Orca"]);
    const look0 = { chain: "sol", spent: "1 SOL", hosts: [], quotes: [], routes: refused } as const;
    expect(findingsOf(look0).flatMap(({ subject, problem }) => (problem?.isFatal ? subject : []))).toEqual([
      "sol by Jupiter, Raydium CP, sell MOON",
      "sol by Jupiter, Orca, sell MOON",
    ]);
    expect(tableOf(look0).at(-1)).toBe('    "exchanges": []');
    hosts[0].lie = (_, result) => result;
    jupiter.faultsOf = ({ dexes }) => ({ platformFee: dexes === "Pump.fun" ? 1 : 0 });
    const passed = await look();
    jupiter.faultsOf = undefined;
    expect(tableOf({ ...look0, routes: passed }).at(-1)).toBe(
      `    "exchanges": ${JSON.stringify(routes.slice(1))}`,
    );
  });

  it("tries unlisted tokens before listed ones", async () => {
    const { mint } = chain.deployment.jupiter.pools.FEEZ;
    const looks = await look({}, [chain.deployment.tokens.TRAP.mint, mint]);
    const symbol = `${mint.slice(0, 6)}…${mint.slice(-4)}`;
    expect(looks.map(({ name }) => name).filter((name) => name.includes(", buy "))).toEqual(
      routes.map((route) => `${route}, buy ${symbol}`),
    );
    expect(
      jupiter.asked.filter(({ dexes }) => dexes === routes[0]).map(({ outputMint }) => outputMint),
    ).toEqual([chain.deployment.tokens.TRAP.mint, mint]);
  });

  it("tries no routes without Jupiter and requires a payer", async () => {
    expect(await look({ jupiter: undefined } as never)).toEqual([]);
    expect(await look({ payer: undefined } as never)).toMatchObject([
      { words: "cannot be tried: configure a payer" },
    ]);
  });
});
