import { millionthsOf, whole } from "../../percent.ts";
import type { TokenSafety } from "../../token-safety.ts";
import { type Ratio, scaled } from "../prices.ts";

const ppmOfBps = 100n;

/**
 * Computes the price that a buy's tokens would get if they were sold again at once. Its own impact on the pool comes back,
 * but taxes and the pools' fees are lost both ways.
 *
 * @param feesBps Fees of the pools of the buy's route.
 */
export function roundTripOf(
  quoted: Ratio,
  { buyTax, sellTax }: Pick<TokenSafety, "buyTax" | "sellTax">,
  feesBps: readonly number[],
): Ratio {
  const fees = feesBps.map((bps) => BigInt(bps) * ppmOfBps);
  const lost = [millionthsOf(buyTax ?? 0), millionthsOf(sellTax ?? 0), ...fees, ...fees];
  return lost.reduce((price, ppm) => scaled(price, whole - ppm), quoted);
}
