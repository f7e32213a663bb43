import type { Interface, Result } from "ethers/abi";
import { type Call, isSameRoute, type Route, type SwapCall, v2Venues } from "../../core/intent.ts";
import type { ChainConfiguration, ChainVenue, V2Contracts, V3Contracts } from "../chain-configuration.ts";
import { tokenABI, v2RouterABI, v3RouterABI } from "./contract-abi.ts";

/** A transaction without its nonce and fees. The value is in wei, the data in hex. */
export type CallTransaction = { to: string; value: bigint; data: string };

type Venues = Pick<ChainConfiguration, "venues" | "wrapped">;

/** SwapRouter02 reads this recipient as its own address; it keeps the coin there until it unwraps it. */
const routerItself = "0x0000000000000000000000000000000000000002";

const [buyV2, sellV2] = [
  "swapExactETHForTokensSupportingFeeOnTransferTokens",
  "swapExactTokensForETHSupportingFeeOnTransferTokens",
];

export const isV2 = (contracts: ChainVenue): contracts is V2Contracts =>
  v2Venues.some((venue) => venue === contracts.venue);

/** Converts to the unit of v3 contracts: a hundredth of a basis point. */
export const feeOf = (feeBps: number): number => feeBps * 100;

/** The fees of v3 pools, in basis points. */
const v3Fees = [1, 5, 30, 100] as const;

/** Lists every possible route of the chain's venues. */
export const routesOf = ({ venues }: Pick<Venues, "venues">): Route[] =>
  venues.flatMap((contracts): Route[] => {
    const { venue, router } = contracts;
    const fees = isV2(contracts) ? [contracts.feeBps] : v3Fees;
    return fees.map((feeBps) => ({ venue, feeBps, router }));
  });

/** @throws {Error} if the chain has no such route */
export function contractsOf({ venues }: Pick<Venues, "venues">, route: Route): ChainVenue {
  const found = venues.find((each) => routesOf({ venues: [each] }).some((own) => isSameRoute(own, route)));
  if (found === undefined) throw new Error(`The chain has no route by ${route.venue} at ${route.feeBps} bps`);
  return found;
}

/**
 * Encodes a call as a transaction. Buys spend native coin and sales pay native coin, so no wrapped coin is left over.
 *
 * @throws {Error} if the chain has no such route or router
 */
export function encodeCall(configuration: Venues, call: Call, wallet: string): CallTransaction {
  switch (call.purpose) {
    case "clear":
      return { to: wallet, value: 0n, data: "0x" };
    case "approve": {
      const { token, router, amount } = call;
      if (!configuration.venues.some((each) => each.router === router))
        throw new Error(`The chain has no router ${router}`);
      return { to: token, value: 0n, data: tokenABI.encodeFunctionData("approve", [router, amount]) };
    }
    case "swap": {
      const contracts = contractsOf(configuration, call);
      const wrapped = configuration.wrapped.token;
      const data = isV2(contracts) ? v2Swap(call, wrapped) : v3Swap(call, wrapped);
      return { to: contracts.router, value: call.value, data };
    }
  }
}

function v2Swap(call: SwapCall, wrapped: string): string {
  const { side, token, recipient, amountIn, minAmountOut, deadline } = call;
  return side === "buy"
    ? v2RouterABI.encodeFunctionData(buyV2, [minAmountOut, [wrapped, token], recipient, deadline])
    : v2RouterABI.encodeFunctionData(sellV2, [amountIn, minAmountOut, [token, wrapped], recipient, deadline]);
}

function v3Swap(call: SwapCall, wrapped: string): string {
  const { side, token, recipient, minAmountOut, hasRefund } = call;
  const isBuy = side === "buy";
  const swap = v3RouterABI.encodeFunctionData("exactInputSingle", [
    {
      tokenIn: isBuy ? wrapped : token,
      tokenOut: isBuy ? token : wrapped,
      fee: feeOf(call.feeBps),
      recipient: isBuy ? recipient : routerItself,
      amountIn: call.amountIn,
      amountOutMinimum: minAmountOut,
      sqrtPriceLimitX96: 0n,
    },
  ]);
  const rest = [
    ...(isBuy ? [] : [v3RouterABI.encodeFunctionData("unwrapWETH9", [minAmountOut, recipient])]),
    ...(hasRefund ? [v3RouterABI.encodeFunctionData("refundETH")] : []),
  ];
  return v3RouterABI.encodeFunctionData("multicall", [call.deadline, [swap, ...rest]]);
}

/**
 * Decodes a transaction into its call: the inverse of {@link encodeCall}. Undefined unless encoding the call again
 * gives exactly these bytes. Addresses are in EIP-55 form, and data is in lower case.
 */
export function decodeCall(
  configuration: Venues,
  transaction: CallTransaction,
  wallet: string,
): Call | undefined {
  try {
    const call = readCall(configuration, transaction, wallet);
    if (call === undefined) return undefined;
    const again = encodeCall(configuration, call, wallet);
    const { to, value, data } = transaction;
    return again.to === to && again.value === value && again.data === data ? call : undefined;
  } catch {
    // Arguments are missing or invalid.
    return undefined;
  }
}

function readCall(
  { venues, wrapped }: Venues,
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
  return isV2(contracts)
    ? readV2Swap(contracts, value, data)
    : readV3Swap(contracts, wrapped.token, value, data);
}

function readV2Swap(
  { venue, feeBps, router }: V2Contracts,
  value: bigint,
  data: string,
): SwapCall | undefined {
  const common = { purpose: "swap", venue, feeBps, router, value, hasRefund: false } as const;
  const buy = argumentsOf(v2RouterABI, buyV2, data);
  if (buy !== undefined) {
    const [minAmountOut, path, recipient, deadline] = buy;
    return {
      ...common,
      side: "buy",
      token: path[1],
      recipient,
      amountIn: value,
      minAmountOut,
      deadline: Number(deadline),
    };
  }
  const sale = argumentsOf(v2RouterABI, sellV2, data);
  if (sale === undefined) return undefined;
  const [amountIn, minAmountOut, path, recipient, deadline] = sale;
  return {
    ...common,
    side: "sell",
    token: path[0],
    recipient,
    amountIn,
    minAmountOut,
    deadline: Number(deadline),
  };
}

function readV3Swap(
  { venue, router }: V3Contracts,
  wrapped: string,
  value: bigint,
  data: string,
): SwapCall | undefined {
  const [deadline, parts] = argumentsOf(v3RouterABI, "multicall", data) ?? [];
  const [first = "", second = ""]: string[] = parts ?? [];
  const swap = argumentsOf(v3RouterABI, "exactInputSingle", first)?.[0];
  if (swap === undefined) return undefined;
  const { tokenIn, tokenOut, fee, amountIn, amountOutMinimum } = swap;
  const isBuy = tokenIn === wrapped;
  const unwrapped = argumentsOf(v3RouterABI, "unwrapWETH9", second);
  return {
    purpose: "swap",
    venue,
    feeBps: Number(fee) / 100,
    router,
    side: isBuy ? "buy" : "sell",
    token: isBuy ? tokenOut : tokenIn,
    recipient: isBuy ? swap.recipient : unwrapped?.[1],
    value,
    amountIn,
    minAmountOut: amountOutMinimum,
    deadline: Number(deadline),
    hasRefund: argumentsOf(v3RouterABI, "refundETH", second) !== undefined,
  };
}

/** Decodes the arguments of a function's calldata. Undefined if it calls another function or is malformed. */
function argumentsOf(abi: Interface, name: string | undefined, data: string): Result | undefined {
  try {
    return abi.decodeFunctionData(name as string, data);
  } catch {
    return undefined;
  }
}
