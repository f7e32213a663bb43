import { binRouterABI as abi } from "../calls/contract-abi.ts";
import type { BinContracts } from "../rules/configuration.ts";
import type { PoolKey, SwapCall } from "../rules/intent.ts";
import type { VenueOf } from "../rules/swap-venues.ts";
import { poolsOfVenue } from "./configured-routes.ts";
import { argumentsOf, pathFrom, poolsInOrder, type SwapTerms, tokensOf } from "./swap-terms.ts";

const [buy, sell] = [
  "swapExactNATIVEForTokensSupportingFeeOnTransferTokens",
  "swapExactTokensForNATIVESupportingFeeOnTransferTokens",
] as const;

/** The numbers by which the router refers to the exchanges whose pools it trades. */
const versions: Readonly<Record<VenueOf<"bins">, number>> = { "lfj-v2.1": 2, "lfj-v2.2": 3 };

const versionOf = ({ venue }: PoolKey): number => versions[venue as keyof typeof versions];

/** Encodes a swap through LFJ's router. */
export function encodeBins(call: SwapCall, wrapped: string): string {
  const { side, recipient, amountIn, minAmountOut, deadline } = call;
  const pools = poolsInOrder(call);
  const path = [pools.map(({ spacing }) => spacing), pools.map(versionOf), tokensOf(call, wrapped)];
  return side === "buy"
    ? abi.encodeFunctionData(buy, [minAmountOut, path, recipient, deadline])
    : abi.encodeFunctionData(sell, [amountIn, minAmountOut, path, recipient, deadline]);
}

/** Decodes calldata that {@link encodeBins} has made. */
export function readBins(rows: readonly BinContracts[], value: bigint, data: string): SwapTerms | undefined {
  const bought = argumentsOf(abi, buy, data);
  const [amountIn, minAmountOut, path, recipient, deadline] =
    bought === undefined ? (argumentsOf(abi, sell, data) ?? []) : [value, ...bought];
  if (path === undefined) return undefined;
  const [spacings, numbers, tokens] = [...path] as [bigint[], bigint[], string[]];
  const known = rows.flatMap(poolsOfVenue);
  const pools = [...spacings].flatMap((spacing, index) =>
    known.filter((pool) => pool.spacing === Number(spacing) && versionOf(pool) === Number(numbers[index])),
  );
  return {
    ...pathFrom(bought !== undefined, [...tokens], pools),
    recipient,
    amountIn,
    minAmountOut,
    deadline: Number(deadline),
    hasRefund: false,
  };
}
