import { inPartsOf } from "../../../core/in-parts.ts";
import { mostCallGas } from "../../../core/network-facts.ts";
import type { Order } from "../../../orders/execution.ts";
import { HostFault, type RpcRefusal } from "../../hosts/host-fault.ts";
import { type RpcCall, thenRead } from "../../hosts/rpc-call.ts";
import { addressWord } from "../calls/contract-questions.ts";
import { addressFrom, contractCall, type StateTag } from "../calls/rpc-call.ts";
import { type EvmRoute, type PoolKey, poolsOf } from "../rules/intent.ts";
import { kindOf, type VenueKind } from "../rules/swap-venues.ts";
import { type Contracts, feeOf } from "./configured-routes.ts";
import bytecode from "./contracts/bytecode.json" with { type: "json" };

/** A trade without its token. */
export type PoolTrade = { side: Order["side"]; amountIn: bigint };

/** A route with the addresses of the token's pool and the bridge's pool. */
export type RoutePools = EvmRoute & { pool: string; bridgePool?: string };

/** A pool's address, with its position among pools of the same tokens. */
export type NamedPool = PoolKey & { pool: string };

/** Lists the pools of a route: the token's own pool, and the bridge. */
export const namedPoolsOf = ({ bridge, bridgePool, ...own }: RoutePools): NamedPool[] => [
  own,
  ...(bridge !== undefined && bridgePool !== undefined ? [{ ...bridge, pool: bridgePool }] : []),
];

/** The amounts that routes pay, before any tax of the token. The block's time is in seconds. */
export type PoolQuotes = {
  block: { number: number; time: number };
  /**
   * The routes whose pools exist, with the amount for each trade. An amount is undefined if a pool fails or would run
   * dry.
   */
  routes: readonly { route: RoutePools; amountsOut: readonly (bigint | undefined)[] }[];
};

/** Numbers by which PoolQuoter.sol refers to the kinds of venues. */
const kindNumbers = { v3: 0, v2: 1, slipstream: 2, bins: 3 } as const satisfies Record<VenueKind, number>;

const word = (value: bigint | number): string => value.toString(16).padStart(64, "0");
const digits = (value: number, length: number): string => value.toString(16).padStart(length, "0");

const isPurchase = ([first]: readonly PoolTrade[]) => first?.side === "buy";

/**
 * Asks how much routes pay for some amounts. The call carries the contract's code, because no contract on chain passes
 * one pool's answer to the next. Its arguments are encoded by hand, because a general encoder takes longer than
 * everything else together.
 *
 * @param trades Only buys or only sales.
 */
export const poolQuotesCall = (
  contracts: Contracts,
  token: string,
  trades: readonly PoolTrade[],
  routes: readonly EvmRoute[],
  tag: StateTag,
): RpcCall<PoolQuotes> =>
  thenRead(answerCall(contracts, { token, trades, routes }, tag), (answer) =>
    quotesIn(answer, routes, trades),
  );

type Question = { token: string; trades: readonly PoolTrade[]; routes: readonly EvmRoute[] };

function answerCall(
  contracts: Contracts,
  question: Question,
  tag: StateTag,
  isPart = false,
): RpcCall<string> {
  const { token, trades, routes } = question;
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
  // Puts the lists after all parameters. The parameters hold the offsets of the lists.
  let place = 5 * 32;
  const [amountsAt, rowsAt, pathsAt] = lists.map((list) => {
    const at = word(place);
    place += list.length / 2;
    return at;
  });
  const parameters = [amountsAt, addressWord(from), addressWord(to), rowsAt, pathsAt];
  const data = [bytecode.PoolQuoter.creation, ...parameters, ...lists].join("");
  return {
    ...contractCall({ data, gas: mostCallGas }, tag),
    split(refusal) {
      if (!isShortage(refusal, isPart)) return undefined;
      const at = typeof tag === "object" ? tag : (blockOfShortage(refusal) ?? tag);
      const [questions, sameWords] = partsOf(question);
      return {
        calls: questions.map((part) => answerCall(contracts, part, at, true)),
        join: (answers) => joined(answers as readonly string[], sameWords),
      };
    },
  };
}

/**
 * True if a smaller question may succeed. The contract fails only for lack of gas, because it returns failures of pools
 * as answers. A host that lacked gas once may refuse part of the question with a different error, for example because
 * it took too long.
 */
const isShortage = ({ kind, isBusy, isOutOfStep, isMissing }: RpcRefusal, isPart: boolean): boolean =>
  kind === "call" || (isPart && !isBusy && !isOutOfStep && !isMissing);

/** Number of parts to split a question into. It is large enough that few rounds suffice to reach single routes. */
const partsAtOnce = 4;

/**
 * Splits a question by its routes, or by its trades if it has only one route.
 * @returns The parts, and the number of words with which each part's answer begins.
 * @throws {HostFault} if the host has too little gas for the smallest question.
 */
function partsOf(question: Question): [parts: Question[], sameWords: number] {
  const { routes, trades } = question;
  const split = <Item>(items: readonly Item[]) => inPartsOf(Math.ceil(items.length / partsAtOnce), items);
  if (routes.length > 1) return [split(routes).map((some) => ({ ...question, routes: some })), blockWords];
  if (trades.length > 1)
    return [split(trades).map((some) => ({ ...question, trades: some })), blockWords + poolWords];
  throw new HostFault("SHORT_OF_GAS", "eth_call");
}

/** @throws {HostFault} if the answers refer to different blocks. */
function joined(answers: readonly string[], sameWords: number): string {
  const size = 2 + 64 * sameWords;
  const [same = "", ...others] = answers.map((answer) => answer.slice(0, size));
  if (others.some((each) => each !== same)) throw new HostFault("BAD_RESULT", "eth_call");
  return same + answers.map((answer) => answer.slice(size)).join("");
}

/** Selector of the error `ShortOfGas(uint256)` in PoolQuoter.sol. */
const shortage = "0xf67bd395";

/** Reads the block at which the gas was too low, if the host names it. */
function blockOfShortage({ revertData = "" }: RpcRefusal): number | undefined {
  const block = revertData.startsWith(shortage)
    ? Number(`0x${revertData.slice(shortage.length)}`)
    : Number.NaN;
  return Number.isSafeInteger(block) ? block : undefined;
}

const nothing = "f".repeat(64);

/** The words of an answer that describe its block, and those that describe the pools of a route. */
const blockWords = 2;
const poolWords = 2;

function quotesIn(answer: string, routes: readonly EvmRoute[], trades: readonly PoolTrade[]): PoolQuotes {
  const [number, time, ...words] = answer.slice(2).match(/.{64}/g) ?? [];
  const size = poolWords + trades.length;
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

/** @param words The pools' addresses, starting with the pool that trades the coin. */
function poolsIn(route: EvmRoute, words: readonly [string, string]): RoutePools | undefined {
  const addresses = words
    .filter((text) => text !== word(0))
    .map((text) => addressFrom(`0x${text.slice(24)}`));
  const [first, second] = addresses;
  if (first === undefined || addresses.length < poolsOf(route).length) return undefined;
  return second === undefined ? { ...route, pool: first } : { ...route, pool: second, bridgePool: first };
}
