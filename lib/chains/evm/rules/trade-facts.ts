import type { DomainError } from "../../../core/domain-error.ts";
import type { WeiPerGas } from "../../../core/units.ts";
import type { FactsTerms } from "../../../orders/family.ts";
import type { LaneKey } from "../../../orders/intent.ts";
import type { Trade } from "../../../orders/trade.ts";
import type { AnyOrder } from "../../../orders/trade-order.ts";
import type { GasPreset } from "../../../users/settings.ts";
import type { HostFees, PlannedGas } from "./fees.ts";
import type { EvmWalletFacts } from "./host-snapshot.ts";
import type { BindableRoute } from "./route-choice.ts";

/** The facts about a trade that hosts are asked for. */
export type EvmQuoteQuestion = LaneKey & {
  trade: Trade;
  gasPreset: GasPreset;
  /** The wallet's orders. Open ones reserve the amounts that they will spend. */
  orders: readonly AnyOrder[];
};

/** A route that a host has quoted, with the addresses of its pools. */
export type EvmQuotedRoute = BindableRoute & {
  pool: string;
  bridgePool?: string;
  /** The amount that the pool pays, before any tax of the token. */
  quoted: bigint;
  /** True if the host could not simulate the swap. */
  isGuess: boolean;
  /** Largest amount that this host has proved to arrive, if any. */
  provenOut?: bigint;
};

/** Lists the addresses of a route's pools, from the coin to the token. */
export const addressesOf = (route: EvmQuotedRoute | undefined): string[] =>
  route === undefined ? [] : [...(route.bridgePool === undefined ? [] : [route.bridgePool]), route.pool];

/** One host's facts about a trade at one block. */
export type EvmTradeFacts = FactsTerms & {
  block: { number: number; time: number };
  /** The routes that work, the best first. The other facts are about the best one. */
  routes: readonly [EvmQuotedRoute, ...EvmQuotedRoute[]];
  /** The transactions still needed: approvals, then the swap. */
  transactions: readonly PlannedGas[];
  /** Fees according to the preset, before any cap. */
  fees: HostFees;
  /** The base fee of the next block. */
  baseFee: WeiPerGas;
  /** The wallet's next nonce. Absent if no transaction may be planned from the facts. */
  nextNonce?: number;
  /** Absent if it was not requested, or if a new block arrived in the meantime. */
  forPlanning?: EvmWalletFacts;
};

/** A host's facts, a reason why every host would refuse the trade, or undefined if the host gave no clear answer. */
export type EvmHostQuote = EvmTradeFacts | DomainError | undefined;
