import { DomainError } from "../../../core/domain-error.ts";
import type { Wei, WeiPerGas } from "../../../core/units.ts";
import { coinText } from "../../../orders/decimal-text.ts";
import { objectionBeside, type QuotedChecks } from "../../../orders/order-checks.ts";
import { feesWithin, gasPriceNow, gweiText, type PlannedGas } from "./fees.ts";
import type { EvmFees } from "./intent.ts";

/** The facts that decide whether an order can be placed, including its fees. */
export type EvmOrderChecks = QuotedChecks & {
  maxGasPrice: WeiPerGas;
  /** Limits the network fee of a transaction. */
  maxNetworkFee: Wei;
  fees: EvmFees;
  baseFee: WeiPerGas;
  transactions: readonly PlannedGas[];
};

/** Returns the first reason to refuse an order, if there is one. */
export const objectionToEvmOrder = (checks: EvmOrderChecks): DomainError | undefined =>
  objectionBeside(objectionToGasPrice(checks), checks);

function objectionToGasPrice({
  chain,
  maxGasPrice,
  maxNetworkFee,
  fees,
  baseFee,
  transactions,
}: EvmOrderChecks) {
  const limits = { maxGasPrice, maxNetworkFee };
  const tooDear = transactions.find((gas) => feesWithin(limits, fees, baseFee, gas) === undefined);
  if (tooDear === undefined) return undefined;
  const { gasLimit, l1Fee } = tooDear;
  const price = gasPriceNow(baseFee, fees.maxPriorityFeePerGas, gasLimit, l1Fee);
  const isOwnLimit = price > maxGasPrice;
  const gasPrice = gweiText(price);
  const limit = gweiText(isOwnLimit ? maxGasPrice : maxNetworkFee / gasLimit);
  const most = isOwnLimit
    ? `the highest gas price of ${limit} gwei`
    : `${limit} gwei: the service pays at most ${coinText(chain, maxNetworkFee)} for a transaction`;
  return new DomainError("GAS_PRICE_TOO_HIGH", `Gas costs ${gasPrice} gwei now, above ${most}`, {
    gasPrice,
    limit,
  });
}
