import { readAddress } from "../chains/families/address.ts";
import { chainFacts } from "../core/chain-facts.ts";
import type { Network } from "../core/network.ts";
import { coinText, unitsFrom } from "../orders/decimal-text.ts";
import { millionthsOf, percentFrom } from "../orders/percent.ts";
import type { PolicyState, WalletPolicy } from "../orders/wallet-policy.ts";

/** A policy with amounts as decimal text, in the network's coin. */
export type PolicyText = {
  maxPerOrder?: string | undefined;
  maxPerDay?: string | undefined;
  maxNetworkFeesPerDay?: string | undefined;
  tokens: string[] | "any";
  /** Slippage in percent. */
  maxSlippage?: number | undefined;
  anyLoss?: boolean | undefined;
  tradingEnabled: boolean;
};

/** A policy and its pending change, as clients see them. */
export type PolicyStateText = { policy: PolicyText; pending?: { policy: PolicyText; effectiveAt: string } };

/**
 * Parses a policy for a wallet on this network. EVM addresses get their EIP-55 form, and duplicates are removed.
 *
 * @throws {DomainError} INVALID_REQUEST with the field
 */
export function readPolicy(
  network: Network,
  { maxPerOrder, maxPerDay, maxNetworkFeesPerDay, tokens, maxSlippage, anyLoss, tradingEnabled }: PolicyText,
): WalletPolicy {
  const decimals = chainFacts[network].coin.decimals;
  return {
    ...(maxPerOrder !== undefined && { maxPerOrder: unitsFrom(maxPerOrder, decimals, "maxPerOrder") }),
    ...(maxPerDay !== undefined && { maxPerDay: unitsFrom(maxPerDay, decimals, "maxPerDay") }),
    ...(maxNetworkFeesPerDay !== undefined && {
      maxNetworkFeesPerDay: unitsFrom(maxNetworkFeesPerDay, decimals, "maxNetworkFeesPerDay"),
    }),
    tokens:
      tokens === "any"
        ? tokens
        : [...new Set(tokens.map((token, index) => readAddress(network, token, `tokens.${index}`)))],
    ...(maxSlippage !== undefined && { maxSlippage: millionthsOf(maxSlippage) }),
    ...(anyLoss && { anyLoss: true }),
    tradingEnabled,
  };
}

const policyText = (
  network: Network,
  {
    maxPerOrder,
    maxPerDay,
    maxNetworkFeesPerDay,
    tokens,
    maxSlippage,
    anyLoss,
    tradingEnabled,
  }: WalletPolicy,
): PolicyText => ({
  ...(maxPerOrder !== undefined && { maxPerOrder: coinText(network, maxPerOrder) }),
  ...(maxPerDay !== undefined && { maxPerDay: coinText(network, maxPerDay) }),
  ...(maxNetworkFeesPerDay !== undefined && {
    maxNetworkFeesPerDay: coinText(network, maxNetworkFeesPerDay),
  }),
  tokens: tokens === "any" ? tokens : [...tokens],
  ...(maxSlippage !== undefined && { maxSlippage: percentFrom(maxSlippage) }),
  ...(anyLoss && { anyLoss }),
  tradingEnabled,
});

export const policyStateText = (network: Network, { policy, pending }: PolicyState): PolicyStateText => ({
  policy: policyText(network, policy),
  ...(pending && {
    pending: { policy: policyText(network, pending.policy), effectiveAt: pending.effectiveAt },
  }),
});
