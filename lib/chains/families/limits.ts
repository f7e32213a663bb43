import type { EvmChain } from "../../core/chain-facts.ts";
import type { Network } from "../../core/network.ts";
import { limitsOf } from "../../orders/requests.ts";
import { solLimitsOf } from "../sol/rules/limits.ts";
import type { Families, Family } from "./types.ts";

/** Reads the limits of a chain's family. Nothing may be spent where trading is off. */
export function limitsIn(trading: LimitedTrading, chain: Network): Families[Family]["limits"] {
  const { sol } = trading;
  if (chain === "sol") return sol ? solLimitsOf(sol) : { maxNetworkFee: 0n, baseFeeLamports: 0n };
  const configuration = trading[chain];
  return configuration ? limitsOf(chain, configuration) : { maxNetworkFee: 0n };
}

type LimitedTrading = {
  readonly [Chain in EvmChain]?: Parameters<typeof limitsOf>[1];
} & { readonly sol?: Parameters<typeof solLimitsOf>[0] };
