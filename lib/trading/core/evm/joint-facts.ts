import { greatest, least } from "../bigints.ts";
import type { Fees } from "../intent.ts";
import type { TradeFacts } from "../trade-facts.ts";
import type { PlannedGas } from "./fees.ts";

/**
 * Combines the fees of two hosts: the lower tip, which is paid in full, and the higher limit for the base fee, which is
 * only paid as far as the block demands. A lying host cannot raise costs; it can only delay the transaction.
 */
export function jointFees([first, ...others]: readonly [Fees, ...Fees[]]): Fees {
  const tipOf = (fees: Fees) => fees.maxPriorityFeePerGas;
  const partForBase = (fees: Fees) => fees.maxFeePerGas - fees.maxPriorityFeePerGas;
  const maxPriorityFeePerGas = least(tipOf(first), ...others.map(tipOf));
  const forBase = greatest(partForBase(first), ...others.map(partForBase));
  return { maxFeePerGas: forBase + maxPriorityFeePerGas, maxPriorityFeePerGas };
}

/** Combines two hosts' gas for a transaction. With the lower limit it might fail. */
const jointGas = (a: PlannedGas, b: PlannedGas): PlannedGas => ({
  estimate: greatest(a.estimate, b.estimate),
  gasLimit: greatest(a.gasLimit, b.gasLimit),
  l1Fee: greatest(a.l1Fee, b.l1Fee),
});

/** Combines the facts of two hosts that give the same quote but may name different costs. */
export function jointFacts(a: TradeFacts, b: TradeFacts): TradeFacts {
  const [longer, shorter] = [a.transactions, b.transactions].toSorted((x, y) => y.length - x.length) as [
    TradeFacts["transactions"],
    TradeFacts["transactions"],
  ];
  return {
    ...a,
    fees: jointFees([a.fees, b.fees]),
    baseFee: greatest(a.baseFee, b.baseFee),
    // Both lists end with the swap.
    transactions: longer.map((gas, index) => {
      const other = shorter[index - longer.length + shorter.length];
      return other === undefined ? gas : jointGas(gas, other);
    }),
  };
}
