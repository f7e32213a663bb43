import type { EvmChain } from "trading-terminal-devnet/chain-facts";
import { localAddresses, localContracts } from "trading-terminal-devnet/evm/deployment";
import type { LocalVenue } from "trading-terminal-devnet/evm/local-contracts";

/**
 * Says how to find a pool, and how it trades. `key` is the fee in millionths, or the spacing or step by which it is
 * found.
 */
export type Place = {
  kind: "v2" | "v3" | "slipstream" | "bins";
  factory: string;
  token: string;
  other: string;
  key: number;
};

/** Pools that one transaction of a router can use, the bridge to the coin first. */
export type Way = readonly Place[];

const { wrapped, moon, star, taxd, comet } = localAddresses;

/** Tokens of the local chains whose prices the judge can compute, and the share of each transfer that a token keeps. */
export const judgedTokens: Readonly<Record<string, { tax: number }>> = {
  [moon]: { tax: 0 },
  [star]: { tax: 0 },
  [taxd]: { tax: 0.05 },
  [comet]: { tax: 0 },
};

const kindOf = ({ venue }: LocalVenue): Place["kind"] => {
  if (venue === "uniswap-v2") return "v2";
  if (venue.startsWith("lfj")) return "bins";
  return venue.startsWith("slipstream") ? "slipstream" : "v3";
};

/** A basis point in millionths. */
const basisPoint = 100;

/** Lists the pools that an exchange may have for two tokens. */
function placesOf(venue: LocalVenue, token: string, other: string): Place[] {
  const tiers = "feeBps" in venue ? [venue.feeBps] : venue.tiers;
  return tiers.map((tier) => ({
    kind: kindOf(venue),
    factory: venue.factory,
    token,
    other,
    key: typeof tier === "number" ? tier * basisPoint : tier.spacing,
  }));
}

/** Lists the ways to trade a token on a chain, through pools that may not all exist. */
export function waysTo(token: string, chain: EvmChain): Way[] {
  const { venues, quoteTokens } = localContracts(chain);
  const direct = venues.flatMap((venue) => placesOf(venue, token, wrapped).map((place) => [place]));
  const bridged = quoteTokens.flatMap(({ token: quote, bridges }) =>
    bridges.flatMap(({ venue: name, feeBps, spacing = feeBps * basisPoint }) => {
      const venue = venues.find((each) => each.venue === name);
      if (venue === undefined) return [];
      const bridge = placesOf(venue, quote, wrapped).filter(({ key }) => key === spacing);
      // A router uses the pools of its own exchanges, and of one that it mixes with.
      const isServed = (each: LocalVenue) =>
        each.router === venue.router || ("mixesWith" in venue && each.venue === venue.mixesWith);
      return venues
        .filter(isServed)
        .flatMap((each) => placesOf(each, token, quote))
        .map((place) => [...bridge, place]);
    }),
  );
  return [...direct, ...bridged];
}
