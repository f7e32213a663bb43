import type { EvmConfiguration, EvmVenue } from "../rules/configuration.ts";
import { type Bridge, type EvmRoute, isSamePool, type PoolKey } from "../rules/intent.ts";
import { kindOf, type VenueKind, type VenueOf } from "../rules/swap-venues.ts";

/** The part of a chain's configuration that decides which swaps can be made. */
export type Contracts = Pick<EvmConfiguration, "venues" | "quoteTokens" | "wrapped">;

/** Converts to the unit of v3 contracts: a hundredth of a basis point. */
export const feeOf = (feeBps: number): number => feeBps * 100;

/** Lists the pools that an exchange may have for the same two tokens. */
export function poolsOfVenue(row: EvmVenue): PoolKey[] {
  const { venue } = row;
  const tiers = "feeBps" in row ? [row.feeBps] : row.tiers;
  return tiers.map((tier) => (typeof tier === "number" ? { venue, feeBps: tier } : { venue, ...tier }));
}

/** True if one of the exchanges may have this pool. */
export const hasPool = (venues: readonly EvmVenue[], pool: PoolKey): boolean =>
  venues.flatMap(poolsOfVenue).some((each) => isSamePool(each, pool));

/** Lists the routes through pools that trade the coin itself. */
export const directRoutesOf = ({ venues }: Pick<Contracts, "venues">): EvmRoute[] =>
  venues.flatMap((row) => poolsOfVenue(row).map((pool) => ({ ...pool, router: row.router })));

/**
 * Lists the routes to a token through a quote token. One router makes both swaps: the bridge's router. It can use pools
 * of the exchanges that it serves or, if the bridge is a v3 pool, pools of the v2 exchange that it also serves.
 */
export const bridgedRoutesOf = ({ venues, quoteTokens, wrapped }: Contracts, token: string): EvmRoute[] =>
  quoteTokens
    .filter((quote) => ![quote.token, wrapped.token].includes(token))
    .flatMap(({ token: over, bridges }) => bridges.map((pool): Bridge => ({ ...pool, token: over })))
    .flatMap((bridge) => {
      const row = venues.find(({ venue }) => venue === bridge.venue);
      if (row === undefined) return [];
      const other = "mixesWith" in row ? row.mixesWith : undefined;
      return venues
        .filter(({ venue, router }) => router === row.router || venue === other)
        .flatMap((each) =>
          poolsOfVenue(each).map((pool): EvmRoute => ({ ...pool, router: row.router, bridge })),
        );
    });

/** Lists every route to a token that can be quoted, including routes that are only displayed. */
export const knownRoutesOf = (contracts: Contracts, token: string): EvmRoute[] => [
  ...directRoutesOf(contracts),
  ...bridgedRoutesOf(contracts, token),
];

/** Lists every route that an order to trade a token may take. */
export const routesOf = ({ venues, ...contracts }: Contracts, token: string): EvmRoute[] =>
  knownRoutesOf({ ...contracts, venues: venues.filter(({ displayOnly }) => displayOnly !== true) }, token);

type RowOf<Kind extends VenueKind> = Extract<EvmVenue, { venue: VenueOf<Kind> }>;

/** Finds the configured exchanges of one kind, for example all that one router serves. */
export const rowsOf = <Kind extends VenueKind>(kind: Kind, rows: readonly EvmVenue[]): RowOf<Kind>[] =>
  rows.filter((row): row is RowOf<Kind> => kindOf(row) === kind);
