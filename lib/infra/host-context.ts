import * as v from "valibot";
import { fillKeys, keysNamedIn } from "../chains/hosts/keyed-text.ts";
import { chainFacts, type TradingChain } from "../core/chain-facts.ts";
import { parseAmount } from "../orders/decimal-text.ts";
import type { ListedToken } from "../orders/token-identity.ts";
import { matching, urlOf, wholeWithin } from "./context-values.ts";

const mostHosts = 5;

/**
 * Rejects URLs with a password, as `fetch` does. Messages do not repeat the URL, because providers put keys into it.
 */
export const HostUrl = v.pipe(
  urlOf("http", "must be an https URL"),
  v.check((text) => {
    const url = URL.parse(text);
    return url === null || (url.username === "" && url.password === "");
  }, "must be a URL without user name and password"),
  v.check((text) => {
    const filled = fillKeys(text, Object.fromEntries(keysNamedIn(text).map((name) => [name, ""])));
    return !/[{}]/.test(filled) && !URL.parse(text)?.host.includes("{");
  }, "must name keys in its path or query, in lower case, such as {alchemy}"),
);

/** Hosts of a chain, which may be of any family. */
export const HostsContext = v.pipe(
  v.array(HostUrl, "must be a list of URLs"),
  v.minLength(1, "must have a host"),
  v.maxLength(mostHosts, `must have at most ${mostHosts} hosts`),
);

/** A listed token, whose address has the form of its family. */
export const tokenOf = <Address extends v.GenericSchema<string, string>>(
  token: Address,
  mostDecimals: number,
) =>
  v.strictObject(
    {
      token,
      symbol: matching(/^[\x21-\x7e]{1,32}$/, "1 to 32 printable characters"),
      name: matching(/^[\x20-\x7e]{1,64}$/, "1 to 64 printable characters"),
      decimals: wholeWithin(0, mostDecimals),
    },
    "must be an object of token, symbol, name and decimals",
  );

/** An amount in a chain's coin. */
export const coinAmountOf = (chain: TradingChain) =>
  v.pipe(
    v.string("must be a decimal number as text"),
    v.rawCheck(({ dataset, addIssue }) => {
      const units = dataset.typed ? parseAmount(dataset.value, chainFacts[chain].coin.decimals) : 0n;
      if (typeof units === "object") addIssue({ message: units.problem });
    }),
  );

/** Reports hosts that are listed twice. */
export const repeatedHosts = (hosts: readonly string[]): string[] =>
  repeated(hosts.map((url) => new URL(url).host)).map(
    (host) => `hosts names ${host} twice: hosts that check each other must be different ones`,
  );

/** Reports tokens and symbols that occur twice in the list, which includes the wrapped coin. */
export function repeatedTokens(chain: TradingChain, listed: readonly ListedToken[]): string[] {
  const symbols = [chainFacts[chain].coin, ...listed].map(({ symbol }) => symbol.toUpperCase());
  return [
    ...repeated(listed.map(({ token }) => token)).map(
      (token) => `tokens has ${token} twice, the wrapped coin included`,
    ),
    ...repeated(symbols).map((symbol) => `tokens has the symbol ${symbol} twice, the coins' included`),
  ];
}

/** Returns the values that occur more than once. */
export const repeated = <Value>(values: readonly Value[]): Value[] => [
  ...new Set(values.filter((value, index) => values.indexOf(value) !== index)),
];
