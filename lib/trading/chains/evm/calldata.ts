import type { Interface, Result } from "ethers/abi";
import { getAddress } from "ethers/address";
import {
  type Bridge,
  type Call,
  coinPoolOf,
  isSameRoute,
  isV2Venue,
  type PoolKey,
  type Route,
  type SwapCall,
  v2Venues,
} from "../../core/intent.ts";
import type { ChainConfiguration, ChainVenue, V2Contracts, V3Contracts } from "../chain-configuration.ts";
import { tokenABI, v2RouterABI, v3RouterABI } from "./contract-abi.ts";

/** A transaction without its nonce and fees. The value is in wei, the data in hex. */
export type CallTransaction = { to: string; value: bigint; data: string };

/** The part of a chain's configuration that decides which swaps can be made. */
export type Contracts = Pick<ChainConfiguration, "venues" | "quoteTokens" | "wrapped">;

/** SwapRouter02 reads this recipient as its own address; it keeps the coin there until it unwraps it. */
const routerItself = "0x0000000000000000000000000000000000000002";

const [buyV2, sellV2] = [
  "swapExactETHForTokensSupportingFeeOnTransferTokens",
  "swapExactTokensForETHSupportingFeeOnTransferTokens",
] as const;

export const isV2 = (contracts: ChainVenue): contracts is V2Contracts =>
  v2Venues.some((venue) => venue === contracts.venue);

/** Converts to the unit of v3 contracts: a hundredth of a basis point. */
export const feeOf = (feeBps: number): number => feeBps * 100;

const tiersOf = (contracts: ChainVenue): readonly number[] =>
  isV2(contracts) ? [contracts.feeBps] : contracts.tiers;

const poolsOf = (contracts: ChainVenue): PoolKey[] =>
  tiersOf(contracts).map((feeBps) => ({ venue: contracts.venue, feeBps }));

/** Lists the routes by pools that trade the coin itself. */
export const directRoutesOf = ({ venues }: Pick<Contracts, "venues">): Route[] =>
  venues.flatMap((contracts) => poolsOf(contracts).map((pool) => ({ ...pool, router: contracts.router })));

/**
 * Lists the routes to a token over a quote token. One router makes both swaps: that of the bridge, with pools of its own
 * venue or, if the bridge is v3, with those of the v2 venue that its router knows.
 */
export const bridgedRoutesOf = ({ venues, quoteTokens, wrapped }: Contracts, token: string): Route[] =>
  quoteTokens
    .filter((quote) => ![quote.token, wrapped.token].includes(token))
    .flatMap(({ token: over, bridges }) => bridges.map((pool): Bridge => ({ ...pool, token: over })))
    .flatMap((bridge) => {
      const contracts = venues.find(({ venue }) => venue === bridge.venue);
      if (contracts === undefined) return [];
      const others = isV2(contracts) ? [] : venues.filter(({ venue }) => venue === contracts.mixesWith);
      return [contracts, ...others].flatMap((each) =>
        poolsOf(each).map((pool): Route => ({ ...pool, router: contracts.router, bridge })),
      );
    });

/** Lists every possible route to a token. */
export const routesOf = (contracts: Contracts, token: string): Route[] => [
  ...directRoutesOf(contracts),
  ...bridgedRoutesOf(contracts, token),
];

/**
 * Encodes a call as a transaction. Buys spend native coin and sales pay native coin, so no wrapped coin is left over.
 *
 * @throws {Error} if the chain has no such route or router
 */
export function encodeCall(contracts: Contracts, call: Call, wallet: string): CallTransaction {
  switch (call.purpose) {
    case "clear":
      return { to: wallet, value: 0n, data: "0x" };
    case "approve": {
      const { token, router, amount } = call;
      if (!contracts.venues.some((each) => each.router === router))
        throw new Error(`The chain has no router ${router}`);
      return { to: token, value: 0n, data: tokenABI.encodeFunctionData("approve", [router, amount]) };
    }
    case "swap": {
      if (!routesOf(contracts, call.token).some((route) => isSameRoute(route, call)))
        throw new Error(`The chain has no route by ${call.venue} at ${call.feeBps} bps`);
      const wrapped = contracts.wrapped.token;
      const data = isV2Venue(coinPoolOf(call)) ? v2Swap(call, wrapped) : v3Swap(call, wrapped);
      return { to: call.router, value: call.value, data };
    }
  }
}

/** Lists the tokens of a swap in the order of the trade. */
function tokensOf({ side, token, bridge }: SwapCall, wrapped: string): string[] {
  const fromCoin = [wrapped, ...(bridge ? [bridge.token] : []), token];
  return side === "buy" ? fromCoin : fromCoin.reverse();
}

function v2Swap(call: SwapCall, wrapped: string): string {
  const { side, recipient, amountIn, minAmountOut, deadline } = call;
  const path = tokensOf(call, wrapped);
  return side === "buy"
    ? v2RouterABI.encodeFunctionData(buyV2, [minAmountOut, path, recipient, deadline])
    : v2RouterABI.encodeFunctionData(sellV2, [amountIn, minAmountOut, path, recipient, deadline]);
}

function v3Swap(call: SwapCall, wrapped: string): string {
  const { side, recipient, minAmountOut, hasRefund } = call;
  const rest = [
    ...(side === "buy" ? [] : [v3RouterABI.encodeFunctionData("unwrapWETH9", [minAmountOut, recipient])]),
    ...(hasRefund ? [v3RouterABI.encodeFunctionData("refundETH")] : []),
  ];
  return v3RouterABI.encodeFunctionData("multicall", [call.deadline, [...v3Steps(call, wrapped), ...rest]]);
}

/** The router reads this amount as its own balance. */
const allOfRouter = 0n;

function v3Steps(call: SwapCall, wrapped: string): string[] {
  const { side, bridge, amountIn, minAmountOut } = call;
  const recipient = side === "buy" ? call.recipient : routerItself;
  const [first = "", second = "", third = ""] = tokensOf(call, wrapped);
  if (bridge === undefined)
    return [oneHop([first, second], call.feeBps, { recipient, amountIn, minAmountOut })];
  if (!isV2Venue(call)) {
    const [fee, next] = side === "buy" ? [bridge.feeBps, call.feeBps] : [call.feeBps, bridge.feeBps];
    const path = `${first}${feeHex(fee)}${second.slice(2)}${feeHex(next)}${third.slice(2)}`.toLowerCase();
    return [v3RouterABI.encodeFunctionData("exactInput", [[path, recipient, amountIn, minAmountOut]])];
  }
  const onV2 = (path: readonly string[], amount: bigint, least: bigint) =>
    v3RouterABI.encodeFunctionData("swapExactTokensForTokens", [amount, least, path, recipient]);
  // The second step checks the minimum, or what unwraps the coin.
  return side === "buy"
    ? [
        oneHop([first, second], bridge.feeBps, { recipient: routerItself, amountIn, minAmountOut: 0n }),
        onV2([second, third], allOfRouter, minAmountOut),
      ]
    : [
        onV2([first, second], amountIn, 0n),
        oneHop([second, third], bridge.feeBps, { recipient, amountIn: allOfRouter, minAmountOut }),
      ];
}

const feeHex = (feeBps: number) => feeOf(feeBps).toString(16).padStart(6, "0");

const oneHop = (
  [tokenIn, tokenOut]: readonly [string, string],
  feeBps: number,
  { recipient, amountIn, minAmountOut }: Pick<SwapCall, "recipient" | "amountIn" | "minAmountOut">,
): string =>
  v3RouterABI.encodeFunctionData("exactInputSingle", [
    [tokenIn, tokenOut, feeOf(feeBps), recipient, amountIn, minAmountOut, 0n],
  ]);

/**
 * Decodes a transaction into its call: the inverse of {@link encodeCall}. Undefined unless encoding the call again
 * gives exactly these bytes. Addresses are in EIP-55 form, and data is in lower case.
 */
export function decodeCall(
  contracts: Contracts,
  transaction: CallTransaction,
  wallet: string,
): Call | undefined {
  try {
    const { to, value, data } = transaction;
    const call = readCall(contracts, transaction, wallet);
    if (call === undefined) return undefined;
    const again = encodeCall(contracts, call, wallet);
    return again.to === to && again.value === value && again.data === data ? call : undefined;
  } catch {
    // Arguments are missing or invalid.
    return undefined;
  }
}

function readCall(
  { venues, wrapped }: Contracts,
  { to, value, data }: CallTransaction,
  wallet: string,
): Call | undefined {
  if (data === "0x") return to === wallet ? { purpose: "clear" } : undefined;
  const approval = argumentsOf(tokenABI, "approve", data);
  if (approval !== undefined) {
    const [router, amount] = approval;
    return venues.some((each) => each.router === router)
      ? { purpose: "approve", token: to, router, amount }
      : undefined;
  }
  const contracts = venues.find(({ router }) => router === to);
  if (contracts === undefined) return undefined;
  const swap = isV2(contracts)
    ? readV2Swap(contracts, value, data)
    : readV3Swap(contracts, venues, wrapped.token, data);
  return swap && { purpose: "swap", router: to, value, ...swap };
}

type SwapTerms = Omit<SwapCall, "purpose" | "router" | "value">;

function readV2Swap(contracts: V2Contracts, value: bigint, data: string): SwapTerms | undefined {
  const buy = argumentsOf(v2RouterABI, buyV2, data);
  const [amountIn, minAmountOut, path, recipient, deadline] =
    buy === undefined ? (argumentsOf(v2RouterABI, sellV2, data) ?? []) : [value, ...buy];
  if (path === undefined) return undefined;
  const pools = path.slice(1).map(() => poolsOf(contracts)[0]);
  const isBuy = buy !== undefined;
  return {
    ...pathFrom(isBuy, [...path], pools),
    ...{ recipient, amountIn, minAmountOut, deadline: Number(deadline), hasRefund: false },
  };
}

/** Sorts the tokens and pools of a trade into the side, the token and the pools of its route. */
function pathFrom(isBuy: boolean, tokens: string[], pools: PoolKey[]) {
  const [[, second = "", third], [coinPool, own = coinPool]] = isBuy
    ? [tokens, pools]
    : [tokens.reverse(), pools.reverse()];
  return {
    side: isBuy ? ("buy" as const) : ("sell" as const),
    ...(own as PoolKey),
    ...(third === undefined
      ? { token: second }
      : { token: third, bridge: { ...(coinPool as PoolKey), token: second } }),
  };
}

/** A part of a swap by a v3 router. */
type Step = {
  tokens: string[];
  pools: PoolKey[];
  recipient: string;
  amountIn: bigint;
  minAmountOut: bigint;
};

function readV3Swap(
  contracts: V3Contracts,
  venues: readonly ChainVenue[],
  wrapped: string,
  data: string,
): SwapTerms | undefined {
  const [deadline, parts = []] = argumentsOf(v3RouterABI, "multicall", data) ?? [];
  const mixed = venues.find(({ venue }) => venue === contracts.mixesWith);
  const steps = [...parts].flatMap((part: string) => stepIn(contracts, mixed, part) ?? []);
  const [first, last] = [steps[0], steps.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const tokens = [...first.tokens, ...steps.slice(1).flatMap((step) => step.tokens.slice(1))];
  const isBuy = tokens[0] === wrapped;
  const [rest = ""]: string[] = parts.slice(steps.length);
  const unwrapped = argumentsOf(v3RouterABI, "unwrapWETH9", rest);
  return {
    ...pathFrom(
      isBuy,
      tokens,
      steps.flatMap(({ pools }) => pools),
    ),
    recipient: isBuy ? last.recipient : unwrapped?.[1],
    amountIn: first.amountIn,
    minAmountOut: last.minAmountOut,
    deadline: Number(deadline),
    hasRefund: argumentsOf(v3RouterABI, "refundETH", rest) !== undefined,
  };
}

function stepIn({ venue }: V3Contracts, mixed: ChainVenue | undefined, data: string): Step | undefined {
  const single = argumentsOf(v3RouterABI, "exactInputSingle", data)?.[0];
  if (single !== undefined) {
    const [tokenIn, tokenOut, fee, recipient, amountIn, minAmountOut] = single;
    const pools = [{ venue, feeBps: Number(fee) / 100 }];
    return { tokens: [tokenIn, tokenOut], pools, recipient, amountIn, minAmountOut };
  }
  const several = argumentsOf(v3RouterABI, "exactInput", data)?.[0];
  if (several !== undefined) {
    const [path, recipient, amountIn, minAmountOut] = several;
    const [, first, fee, second, next, third] = pathOfTwo.exec(path) ?? [];
    const pools = [fee, next].map((hex) => ({ venue, feeBps: Number.parseInt(hex ?? "", 16) / 100 }));
    const tokens = [first, second, third].map((hex) => getAddress(`0x${hex}`));
    return { tokens, pools, recipient, amountIn, minAmountOut };
  }
  const onV2 = argumentsOf(v3RouterABI, "swapExactTokensForTokens", data);
  if (onV2 === undefined || mixed === undefined) return undefined;
  const [amountIn, minAmountOut, path, recipient] = onV2;
  return { tokens: [...path], pools: poolsOf(mixed), recipient, amountIn, minAmountOut };
}

/** Two pools of v3 between three tokens: addresses with fees in between. */
const pathOfTwo = /^0x([\da-f]{40})([\da-f]{6})([\da-f]{40})([\da-f]{6})([\da-f]{40})$/;

/** Decodes the arguments of a function's calldata. Undefined if it calls another function or is malformed. */
function argumentsOf(abi: Interface, name: string, data: string): Result | undefined {
  try {
    return abi.decodeFunctionData(name, data);
  } catch {
    return undefined;
  }
}
