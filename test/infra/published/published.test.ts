import { describe, expect, it } from "vitest";
import { chainFacts, type EvmChain, evmChains } from "../../../lib/core/chain-facts.ts";
import { defaultChains } from "../../../lib/infra/default-chains.ts";
import type { ListedToken } from "../../../lib/orders/token-identity.ts";
import record from "./published.json" with { type: "json" };

type Chains = typeof defaultChains;

/** Contracts that no package names. */
const elsewhere: Readonly<Record<string, string>> = {
  // Repository Uniswap/docs.
  "eth uniswap-v3 quoter": "0x61fFE014bA17989E743c5F6cB21bF9697530B21e",
  // Repository aerodrome-finance/slipstream. For the second set, third parties in September and October 2026.
  "base slipstream factory": "0x5e7BB104d84c7CB9B682AaC2F3d509f5F406809A",
  "base slipstream router": "0xBE6D8f0d05cC4be24d5167a3eF062215bE6D18a5",
  "base slipstream quoter": "0x254cF9E1E6e233aa1AC962CB9B05b2cfeAaE15b0",
  "base slipstream-caps factory": "0xaDe65c38CD4849aDBA595a4323a8C7DdfE89716a",
  "base slipstream-caps router": "0xcbBb8035cAc7D4B3Ca7aBb74cF7BdF900215Ce0D",
  "base slipstream-caps quoter": "0x3d4C22254F86f64B7eC90ab8F7aeC1FBFD271c6C",
  "base slipstream-v3 factory": "0xf8f2eB4940CFE7d13603DDDD87f123820Fc061Ef",
  "base slipstream-v3 router": "0x698Cb2b6dd822994581fEa6eA4Fc755d1363A92F",
  "base slipstream-v3 quoter": "0x514c8B5f54112481E28028F1166Bd78501089259",
};

const publishedVenues: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>> =
  record.venues;

const isSame = (a: string, b: string | undefined) => a.toLowerCase() === b?.toLowerCase();

/** Names each contract that differs from what its exchange publishes. */
const contractsThatDiffer = (chain: EvmChain, { venues }: Chains[EvmChain]): string[] =>
  venues.flatMap((row) =>
    Object.entries({
      factory: row.factory,
      router: row.router,
      ...("quoter" in row && { quoter: row.quoter }),
    })
      .filter(([role, address]) => {
        const published = publishedVenues[chain]?.[row.venue]?.[role];
        return !isSame(address, published ?? elsewhere[`${chain} ${row.venue} ${role}`]);
      })
      .map(([role, address]) => `${role} of ${row.venue} on ${chain} is ${address}`),
  );

/** Names each token that differs from its entry in a published list. */
function tokensThatDiffer(chain: EvmChain, { wrapped, tokens, quoteTokens }: Chains[EvmChain]): string[] {
  const { chainId } = chainFacts[chain];
  const find = (address: string) =>
    record.tokens.filter((each) => each.chainId === chainId && isSame(each.address, address));
  const isListed = ({ token, symbol, decimals }: ListedToken) =>
    find(token).some((each) => each.symbol === symbol && each.decimals === decimals);
  return [
    ...[wrapped, ...tokens].filter((each) => !isListed(each)).map(({ symbol }) => `${symbol} on ${chain}`),
    ...quoteTokens.filter(({ token }) => find(token).length === 0).map(({ token }) => `quote token ${token}`),
  ];
}

const differences = (chains: Chains): string[] =>
  evmChains.flatMap((chain) => [
    ...contractsThatDiffer(chain, chains[chain]),
    ...tokensThatDiffer(chain, chains[chain]),
  ]);

type Path = readonly (string | number)[];

/** Lists the places of the addresses, symbols and decimals in a value. */
function placesIn(value: unknown, path: Path = []): Path[] {
  const isConstant = ["symbol", "decimals"].includes(String(path.at(-1))) || /^0x/.test(String(value));
  if (typeof value !== "object" || value === null) return isConstant ? [path] : [];
  return Object.entries(value).flatMap(([key, each]) => placesIn(each, [...path, key]));
}

/** Copies a value, with one constant in it replaced by a similar one. */
function spoiled<Value>(value: Value, [key, ...rest]: Path): Value {
  if (typeof value === "string")
    return (
      value.startsWith("0x") ? value.replace(/.$/, (last) => (last === "0" ? "1" : "0")) : `${value}X`
    ) as Value;
  if (typeof value === "number") return (value + 1) as Value;
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[String(key)] = spoiled(copy[String(key)], rest);
  return copy as Value;
}

describe("the default chains", () => {
  it("has the contracts and tokens that exchanges publish", () => {
    expect(differences(defaultChains)).toEqual([]);
  });

  it("notices a change of any address, symbol or number of decimals", () => {
    const places = placesIn(defaultChains);
    expect(places.length).toBeGreaterThan(100);
    const unseen = places.filter((path) => differences(spoiled(defaultChains, path)).length === 0);
    expect(unseen.map((path) => path.join("."))).toEqual([]);
  });
});
