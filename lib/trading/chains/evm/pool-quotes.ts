import { getAddress } from "ethers/address";
import type { Order } from "../../core/execution.ts";
import { kindOf, type PoolKey, poolsOf, type Route, type VenueKind } from "../../core/intent.ts";
import { type RpcCall, thenRead } from "../rpc-call.ts";
import { type Contracts, feeOf } from "./configured-routes.ts";
import bytecode from "./contracts/bytecode.json" with { type: "json" };
import { type BlockTag, contractCall } from "./rpc-call.ts";

/** A trade without its token. */
export type PoolTrade = { side: Order["side"]; amountIn: bigint };

/** A route with the addresses of its pools: the token's own, and that of the bridge. */
export type RoutePools = Route & { pool: string; bridgePool?: string };

/** The amounts that routes pay, before any tax of the token. The block's time is in seconds. */
export type PoolQuotes = {
  block: { number: number; time: number };
  /** The routes whose pools exist, with the amount for each trade. Undefined if a pool fails, or would run dry. */
  routes: readonly { route: RoutePools; amountsOut: readonly (bigint | undefined)[] }[];
};

/** All quotes together, of which each may burn only a small part. Hosts allow at least 50 million. */
const mostGas = 30_000_000n;

/** The kinds of venues as PoolQuoter.sol numbers them. */
const kindNumbers = { v3: 0, v2: 1, slipstream: 2, bins: 3 } as const satisfies Record<VenueKind, number>;

const word = (value: bigint | number): string => value.toString(16).padStart(64, "0");
const addressWord = (address: string): string => address.slice(2).toLowerCase().padStart(64, "0");
const digits = (value: number, length: number): string => value.toString(16).padStart(length, "0");

const isPurchase = ([first]: readonly PoolTrade[]) => first?.side === "buy";

/**
 * Asks how much routes pay for some amounts. The code that asks the pools is sent along: a pool's answer may be the
 * question to the next one, and no contract on chain asks like that. Its arguments are encoded here, since an encoder
 * for any type takes longer than all else together.
 *
 * @param trades All of one side.
 */
export function poolQuotesCall(
  contracts: Contracts,
  token: string,
  trades: readonly PoolTrade[],
  routes: readonly Route[],
  tag: BlockTag,
): RpcCall<PoolQuotes> {
  const { venues, wrapped } = contracts;
  const isBuy = isPurchase(trades);
  const poolText = ({ venue, feeBps, spacing = feeOf(feeBps) }: PoolKey) =>
    digits(
      venues.findIndex((each) => each.venue === venue),
      2,
    ) + digits(spacing, 6);
  const paths = routes.map((route) => {
    const pools = isBuy ? poolsOf(route) : poolsOf(route).reverse();
    const over = route.bridge?.token.slice(2).toLowerCase() ?? "";
    return `${digits(0, 8)}${pools.map(poolText).join("").padEnd(16, "0")}${over.padStart(40, "0")}`;
  });
  const amounts = trades.map(({ amountIn }) => word(amountIn));
  const rows = venues.map((each) => {
    const quoter = "quoter" in each ? each.quoter : each.router;
    return word(kindNumbers[kindOf(each)]) + addressWord(each.factory) + addressWord(quoter);
  });
  const [from, to] = isBuy ? [wrapped.token, token] : [token, wrapped.token];
  const lists = [
    [word(amounts.length), ...amounts],
    [word(rows.length), ...rows],
    [word(paths.length), ...paths],
  ].map((list) => list.join(""));
  // Lists come after all parameters, which name their places.
  let place = 5 * 32;
  const [amountsAt, rowsAt, pathsAt] = lists.map((list) => {
    const at = word(place);
    place += list.length / 2;
    return at;
  });
  const parameters = [amountsAt, addressWord(from), addressWord(to), rowsAt, pathsAt];
  const data = [bytecode.PoolQuoter.creation, ...parameters, ...lists].join("");
  return thenRead(contractCall({ data, gas: mostGas }, tag), (answer) => quotesIn(answer, routes, trades));
}

const nothing = "f".repeat(64);

function quotesIn(answer: string, routes: readonly Route[], trades: readonly PoolTrade[]): PoolQuotes {
  const [number, time, ...words] = answer.slice(2).match(/.{64}/g) ?? [];
  const size = 2 + trades.length;
  if (words.length !== routes.length * size) throw new Error("The quotes have another length");
  return {
    block: { number: Number(`0x${number}`), time: Number(`0x${time}`) },
    routes: routes.flatMap((route, index) => {
      const [one, other, ...amounts] = words.slice(index * size, (index + 1) * size) as [string, string];
      const found = poolsIn(route, isPurchase(trades) ? [one, other] : [other, one]);
      const amountsOut = amounts.map((text) => (text === nothing ? undefined : BigInt(`0x${text}`)));
      return found === undefined ? [] : [{ route: found, amountsOut }];
    }),
  };
}

/** @param words The pools' addresses, that with the coin first. */
function poolsIn(route: Route, words: readonly [string, string]): RoutePools | undefined {
  const addresses = words.filter((text) => text !== word(0)).map((text) => getAddress(`0x${text.slice(24)}`));
  const [first, second] = addresses;
  if (first === undefined || addresses.length < poolsOf(route).length) return undefined;
  return second === undefined ? { ...route, pool: first } : { ...route, pool: second, bridgePool: first };
}
