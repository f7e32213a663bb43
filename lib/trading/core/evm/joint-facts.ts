import { greatest, least } from "../bigints.ts";
import { type Fees, isSameRoute } from "../intent.ts";
import type { TradeFacts } from "../trade-facts.ts";
import type { HostFees, PlannedGas } from "./fees.ts";
import type { RouteFacts } from "./host-snapshot.ts";

/**
 * Combines the fees of two hosts: the lower tip, which is paid in full, but at least the higher floor, and the higher
 * limit for the base fee, which is only paid as far as the block demands. A lying host can raise the tip to a few times
 * the chain's lowest one at most, which is cheap; otherwise it can only delay the transaction.
 */
export function jointFees([first, ...others]: readonly [HostFees, ...HostFees[]]): Fees {
  const tipOf = (fees: Fees) => fees.maxPriorityFeePerGas;
  const floorOf = ({ floor = 0n }: HostFees) => floor;
  const partForBase = (fees: Fees) => fees.maxFeePerGas - fees.maxPriorityFeePerGas;
  const lowerTip = least(tipOf(first), ...others.map(tipOf));
  const maxPriorityFeePerGas = greatest(lowerTip, floorOf(first), ...others.map(floorOf));
  const forBase = greatest(partForBase(first), ...others.map(partForBase));
  return { maxFeePerGas: forBase + maxPriorityFeePerGas, maxPriorityFeePerGas };
}

/** Combines two hosts' gas for a transaction. With the lower limit it might fail. */
const jointGas = (a: PlannedGas, b: PlannedGas): PlannedGas => ({
  estimate: greatest(a.estimate, b.estimate),
  gasLimit: greatest(a.gasLimit, b.gasLimit),
  l1Fee: greatest(a.l1Fee, b.l1Fee),
});

/** Combines two hosts' facts about a route: the lesser output, since a higher one may be invented, and the higher costs. */
export const jointRoute = (a: RouteFacts, b: RouteFacts): RouteFacts => ({
  ...a,
  amountOut: least(a.amountOut, b.amountOut),
  networkFee: greatest(a.networkFee, b.networkFee),
  gasLimit: greater(a.gasLimit, b.gasLimit),
  l1Fee: greater(a.l1Fee, b.l1Fee),
  wantsZeroFirst: a.wantsZeroFirst || b.wantsZeroFirst,
});

type ByPurpose = RouteFacts["gasLimit"];

const greater = (a: ByPurpose, b: ByPurpose): ByPurpose => ({
  approve: greatest(a.approve, b.approve),
  swap: greatest(a.swap, b.swap),
});

/** Keeps the routes for which both hosts quote the same amount. A single one could invent a route. */
function jointRoutes(a: TradeFacts["routes"], b: TradeFacts["routes"]): TradeFacts["routes"] {
  const joint = a.flatMap((route) => {
    const same = b.find((each) => isSameRoute(each, route) && each.amountOut === route.amountOut);
    if (same === undefined) return [];
    const networkFee = greatest(route.networkFee, same.networkFee);
    return [{ ...route, networkFee, deepOut: least(route.deepOut, same.deepOut) }];
  });
  // The best one is the same.
  return joint as unknown as TradeFacts["routes"];
}

/** Combines the facts of two hosts that agree on the best route but may name different costs. */
export function jointFacts(a: TradeFacts, b: TradeFacts): TradeFacts {
  const [longer, shorter] = [a.transactions, b.transactions].toSorted((x, y) => y.length - x.length) as [
    TradeFacts["transactions"],
    TradeFacts["transactions"],
  ];
  return {
    ...a,
    routes: jointRoutes(a.routes, b.routes),
    fees: jointFees([a.fees, b.fees]),
    baseFee: greatest(a.baseFee, b.baseFee),
    // Both lists end with the swap.
    transactions: longer.map((gas, index) => {
      const other = shorter[index - longer.length + shorter.length];
      return other === undefined ? gas : jointGas(gas, other);
    }),
  };
}
