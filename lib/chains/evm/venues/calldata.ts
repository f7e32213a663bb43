import type { Wei } from "../../../core/units.ts";
import { tokenABI } from "../calls/contract-abi.ts";
import { coinPoolOf, type EvmCall, isSameEvmRoute } from "../rules/intent.ts";
import { kindOf } from "../rules/swap-venues.ts";
import { encodeBins, readBins } from "./bin-router.ts";
import { type Contracts, routesOf, rowsOf } from "./configured-routes.ts";
import { encodeSlipstream, readSlipstream } from "./slipstream-router.ts";
import { argumentsOf } from "./swap-terms.ts";
import { encodeV2, readV2 } from "./v2-router.ts";
import { encodeV3, readV3 } from "./v3-router.ts";

/** A transaction without its nonce and fees. The data is in hex. */
export type CallTransaction = { to: string; value: Wei; data: string };

/** A route's router has the same kind as the pool that takes or pays the coin. */
const encoders = { v2: encodeV2, v3: encodeV3, slipstream: encodeSlipstream, bins: encodeBins };

/**
 * Encodes a call as a transaction. Buys spend native coin and sales pay native coin, so no wrapped coin remains.
 *
 * @throws {Error} if the chain does not have the route or the router
 */
export function encodeCall(contracts: Contracts, call: EvmCall, wallet: string): CallTransaction {
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
      if (!routesOf(contracts, call.token).some((route) => isSameEvmRoute(route, call)))
        throw new Error(`The chain has no route by ${call.venue} at ${call.feeBps} bps`);
      const wrapped = contracts.wrapped.token;
      const data = encoders[kindOf(coinPoolOf(call))](call, wrapped);
      return { to: call.router, value: call.value, data };
    }
  }
}

/**
 * Decodes a transaction into its call, as the inverse of {@link encodeCall}. Undefined unless encoding the call again
 * gives exactly the same bytes. Addresses are in EIP-55 form, and data is in lower case.
 */
export function decodeCall(
  contracts: Contracts,
  transaction: CallTransaction,
  wallet: string,
): EvmCall | undefined {
  try {
    const { to, value, data } = transaction;
    const call = readCall(contracts, transaction);
    if (call === undefined) return undefined;
    const again = encodeCall(contracts, call, wallet);
    return again.to === to && again.value === value && again.data === data ? call : undefined;
  } catch {
    // Arguments are missing or invalid, or the chain has no such route or router.
    return undefined;
  }
}

/** Decodes a transaction that may be a trading call. Only {@link encodeCall} checks whether the chain allows it. */
function readCall({ venues, wrapped }: Contracts, { to, value, data }: CallTransaction): EvmCall | undefined {
  if (data === "0x") return { purpose: "clear" };
  const approval = argumentsOf(tokenABI, "approve", data);
  if (approval !== undefined) {
    const [router, amount] = approval;
    return { purpose: "approve", token: to, router, amount };
  }
  const rows = venues.filter(({ router }) => router === to);
  const [v2] = rowsOf("v2", rows);
  const [v3] = rowsOf("v3", rows);
  const [slipstream] = rowsOf("slipstream", rows);
  const bins = rowsOf("bins", rows);
  const swap =
    (v2 && readV2(v2, value, data)) ??
    (v3 && readV3(v3, venues, wrapped.token, data)) ??
    (slipstream && readSlipstream(slipstream, wrapped.token, data)) ??
    (bins.length > 0 ? readBins(bins, value, data) : undefined);
  return swap && { purpose: "swap", router: to, value, ...swap };
}
