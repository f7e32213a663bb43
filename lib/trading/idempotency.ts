import { foldedAddress } from "../chains/families/address.ts";
import { fingerprint } from "../core/fingerprint.ts";
import type { RestingRequest } from "../orders/resting/request.ts";
import { defaultMaxPriceImpact } from "../orders/trade.ts";
import type { PlaceOrderRequest } from "../orders/trade-request.ts";

/** Default values of fields that a request omits. */
const defaults = { maxPriceImpact: defaultMaxPriceImpact, allowUnsafe: false };

/** Writes an amount in canonical form: `00.50` becomes `0.5`. */
const canonicalAmount = (text: string) =>
  text
    .replace(/^0+(?=\d)/, "")
    .replace(/(\.\d*?)0+$/, "$1")
    .replace(/\.$/, "");

type Writing = (text: string, chain: PlaceOrderRequest["chain"]) => string;

const canonicalAddress: Writing = (text, chain) => foldedAddress(chain, text);

const canonical: { readonly [Name in keyof PlaceOrderRequest]?: Writing } = {
  amount: canonicalAmount,
  minAmountOut: canonicalAmount,
  wallet: canonicalAddress,
  token: canonicalAddress,
  pool: canonicalAddress,
};

/**
 * Computes the fingerprint of a request. Two bodies have the same fingerprint if they differ only in the order of
 * fields, or in how they write amounts and addresses.
 */
export function fingerprintOf({ dryRun: _, ...body }: PlaceOrderRequest | RestingRequest): string {
  const fields = Object.entries({ ...defaults, ...body }).map(([name, value]) => {
    const write = canonical[name as keyof PlaceOrderRequest];
    return [name, typeof value === "string" && write ? write(value, body.chain) : value] as const;
  });
  return fingerprint(Object.fromEntries(fields));
}
