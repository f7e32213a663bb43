import { familyOf } from "../../core/chain-facts.ts";
import type { Network } from "../../core/network.ts";
import type { FamilyTypes } from "../../orders/family.ts";
import { type LimitTexts, limitsOf } from "../../orders/requests.ts";
import { solLimitsWhere } from "../sol/rules/limits.ts";
import type { Family } from "./family.ts";

type LimitsFamily = {
  /** Reads the operators' limits. If trading is off, all of them are 0. */
  limitsWhere(chain: Network, configuration: LimitTexts | undefined): FamilyTypes["limits"];
};

const families: Readonly<Record<Family, LimitsFamily>> = {
  evm: { limitsWhere: (chain, texts) => (texts ? limitsOf(chain, texts) : { maxNetworkFee: 0n }) },
  sol: { limitsWhere: solLimitsWhere },
};

/** Reads a chain's limits in the form of its family. */
export const limitsIn = (
  trading: { readonly [Chain in Network]?: LimitTexts },
  chain: Network,
): FamilyTypes["limits"] => families[familyOf(chain)].limitsWhere(chain, trading[chain]);
