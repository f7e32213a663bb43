import { foldedAddress } from "../chains/families/address.ts";
import { DomainError } from "../core/domain-error.ts";
import { fingerprint } from "../core/fingerprint.ts";
import type { RestingRequest } from "../orders/resting/request.ts";
import { defaultMaxPriceImpact } from "../orders/trade.ts";
import type { AutomaticRequest, PlaceOrderRequest } from "../orders/trade-request.ts";

/**
 * Returns the key of an order, which the header or the body names.
 *
 * @throws {DomainError} INVALID_REQUEST if both name one, and they differ
 */
export function keyOfOrder(
  header: string | undefined,
  clientOrderId: string | undefined,
): string | undefined {
  if (header !== undefined && clientOrderId !== undefined && header !== clientOrderId)
    throw new DomainError("INVALID_REQUEST", "clientOrderId must equal the header Idempotency-Key", {
      field: "clientOrderId",
    });
  return header ?? clientOrderId;
}

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

const canonical: Readonly<Record<string, Writing>> = {
  amount: canonicalAmount,
  minAmountOut: canonicalAmount,
  price: canonicalAmount,
  stopPrice: canonicalAmount,
  maxNetworkFee: canonicalAmount,
  wallet: canonicalAddress,
  token: canonicalAddress,
  pool: canonicalAddress,
};

/** Writes the fields of a body, and of the legs in it, in canonical form and order. */
function canonicalFields(body: object, chain: PlaceOrderRequest["chain"]): object {
  const fields = Object.entries(body).map(([name, value]: [string, unknown]) => {
    if (typeof value === "object" && value !== null) return [name, canonicalFields(value, chain)] as const;
    return [name, typeof value === "string" ? (canonical[name]?.(value, chain) ?? value) : value] as const;
  });
  return Object.fromEntries(fields.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Computes the fingerprint of a request. Two bodies have the same fingerprint if they differ only in the order of
 * fields, in how they write amounts, prices and addresses, or in where they name the key.
 */
export const fingerprintOf = ({
  dryRun: _,
  clientOrderId: __,
  ...body
}: (PlaceOrderRequest | RestingRequest | AutomaticRequest) & { dryRun?: boolean | undefined }): string =>
  fingerprint(canonicalFields({ ...defaults, ...body }, body.chain));
