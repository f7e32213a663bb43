import * as v from "valibot";
import { solAddresses } from "../chains/sol/address.ts";
import { wsolMint } from "../chains/sol/calls/addresses.ts";
import { clusterNameLength } from "../chains/sol/calls/rpc-call.ts";
import type { JupiterAccess, SolConfiguration } from "../chains/sol/rules/configuration.ts";
import { chainFacts } from "../core/chain-facts.ts";
import { matching, wholeWithin } from "./context-values.ts";
import { defaultSol } from "./default-chains.ts";
import {
  coinAmountOf,
  HostsContext,
  HostUrl,
  repeatedHosts,
  repeatedTokens,
  tokenOf,
} from "./host-context.ts";

const Address = v.pipe(
  v.string("must be an address: base58 of 32 bytes"),
  v.rawCheck(({ dataset, addIssue }) => {
    const message = dataset.typed ? solAddresses.problem(dataset.value) : undefined;
    if (message !== undefined) addIssue({ message });
  }),
);

const Token = tokenOf(Address, 36);
const Coins = coinAmountOf("sol");

const Relay = v.strictObject(
  {
    url: HostUrl,
    tipAccounts: v.pipe(
      v.array(Address, "must be a list of addresses"),
      v.minLength(1, "must have an account"),
    ),
    leastTip: Coins,
  },
  "must be an object of url, tipAccounts and leastTip",
);

const Jupiter = v.strictObject(
  {
    url: HostUrl,
    // Rejects unknown keys, with a message that does not repeat the key.
    key: v.optional(matching(/^[\x21-\x7e]{1,200}$/, "1 to 200 printable characters")),
    // Labels have no comma, because a request lists them with commas in between.
    exchanges: v.optional(
      v.pipe(
        v.array(
          matching(/^[\x20-\x2b\x2d-\x7e]{1,100}$/, "1 to 100 printable characters without a comma"),
          "must be a list of labels",
        ),
        v.minLength(1, "must have a label"),
        v.maxLength(50, "must have at most 50 labels"),
      ),
    ),
  },
  "must be an object of url, key and exchanges",
);

/** Maximum number of pools whose accounts fit into one call, besides those of the token and the wallet. */
const mostConfigs = 16;

export const SolContext = v.strictObject(
  {
    hosts: v.optional(HostsContext),
    cluster: v.optional(
      matching(
        new RegExp(`^[1-9A-HJ-NP-Za-km-z]{${clusterNameLength}}$`),
        `the first ${clusterNameLength} characters of a genesis hash`,
      ),
    ),
    relay: v.optional(v.nullable(Relay)),
    jupiter: v.optional(v.nullable(Jupiter)),
    wrapped: v.optional(Token),
    cpmmConfigs: v.optional(
      v.pipe(
        v.array(wholeWithin(0, 65_535), "must be a list of numbers"),
        v.minLength(1, "must have a number"),
        v.maxLength(mostConfigs, `must have at most ${mostConfigs} numbers`),
      ),
    ),
    pumpTable: v.optional(v.nullable(Address)),
    tokens: v.optional(v.array(Token, "must be a list of tokens")),
    maxOrder: v.optional(Coins),
    maxNetworkFee: v.optional(Coins),
    maxNetworkFeesPerDay: v.optional(Coins),
    baseFee: v.optional(Coins),
    payer: v.optional(Address),
  },
  "must be an object of hosts, cluster, relay, jupiter, wrapped, cpmmConfigs, pumpTable, tokens, maxOrder, maxNetworkFee, maxNetworkFeesPerDay, baseFee and payer",
);

/** Completes the setup of sol with the defaults. */
export function solConfigurationOf(given: v.InferOutput<typeof SolContext> = {}): SolConfiguration {
  const { relay, jupiter, maxOrder, payer, pumpTable, ...rest } = given;
  const chosen = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return {
    ...defaultSol,
    ...(chosen as Partial<SolConfiguration>),
    ...(relay && { relay }),
    ...(jupiter && { jupiter: jupiterOf(jupiter) }),
    ...(pumpTable && { pumpTable }),
    ...(maxOrder !== undefined && { maxOrder }),
    ...(payer !== undefined && { payer }),
  };
}

const jupiterOf = ({ url, key, exchanges }: v.InferOutput<typeof Jupiter>): JupiterAccess => ({
  url,
  ...(key !== undefined && { key }),
  ...(exchanges !== undefined && { exchanges }),
});

/** Finds contradictions between several values. Returns lines that begin with the key at fault. */
export function solProblems({ hosts, wrapped, cpmmConfigs, tokens, relay }: SolConfiguration): string[] {
  return [
    ...repeatedHosts(hosts),
    ...(wrapped.token !== wsolMint ? [`wrapped.token must be ${wsolMint}, which the chain fixes`] : []),
    ...(wrapped.decimals !== chainFacts.sol.coin.decimals
      ? [`wrapped.decimals must be ${chainFacts.sol.coin.decimals}, as the coin's are`]
      : []),
    ...(cpmmConfigs !== undefined && new Set(cpmmConfigs).size < cpmmConfigs.length
      ? ["cpmmConfigs has a number twice"]
      : []),
    ...(relay !== undefined && new Set(relay.tipAccounts).size < relay.tipAccounts.length
      ? ["relay.tipAccounts has an account twice"]
      : []),
    ...(relay !== undefined && isLeakyJito(relay.url)
      ? ["relay.url must have ?bundleOnly=true, or Jito also passes transactions on unprotected"]
      : []),
    ...repeatedTokens("sol", [wrapped, ...tokens]),
  ];
}

/** True for a URL at which Jito also sends transactions to leaders as ordinary ones, which others can see. */
function isLeakyJito(url: string): boolean {
  const { hostname, searchParams } = new URL(url);
  return hostname.endsWith(".jito.wtf") && searchParams.get("bundleOnly") !== "true";
}
