import type { DomainError } from "../../../core/domain-error.ts";
import type { TokenFlag } from "../../../core/token-flag.ts";
import type { Lamports } from "../../../core/units.ts";
import type { FactsTerms } from "../../../orders/family.ts";
import type { Trade } from "../../../orders/trade.ts";
import type { AnyOrder } from "../../../orders/trade-order.ts";
import type { SolWalletFacts } from "./host-snapshot.ts";
import type { DirectRoute, SolRoute } from "./intent.ts";

/** The facts about a trade on sol that hosts are asked for. */
export type SolQuoteQuestion = {
  trade: Trade;
  /** Absent for a quote without a wallet. */
  wallet?: string | undefined;
  /** The wallet's orders. Open ones reserve the amounts that they will spend. */
  orders: readonly AnyOrder[];
};

/** The question about a wallet's next order. */
export type SolLaneQuestion = SolQuoteQuestion & {
  chain: "sol";
  wallet: string;
  /** Slippage in percent. It limits how far the hosts' outputs may differ. */
  slippage: number;
};

/** A route and what it pays. */
export type SolQuotedRoute = SolRoute & {
  /** The fee of the route's pool. Absent for Jupiter, which chooses pools itself. */
  feeBps?: number;
  /** The pool to which the token moves when this one is complete. */
  next?: DirectRoute;
  /** Amount that arrives, after the fees of the pool and the token. */
  amountOut: bigint;
};

/** Maximum number of routes of a trade. More pools would help few orders. */
export const mostSolRoutes = 3;

/** Costs of an order's transactions. */
export type SolCosts = {
  /** Compute unit limit of an attempt. The priority fee is paid for all of these units. */
  computeUnitLimit: number;
  /** The fee of one signature. */
  baseFee: Lamports;
  /** The rents that keep accounts alive. */
  rents: {
    /** The rent of the order's marker. A wallet needs a little less to stay alive. */
    marker: Lamports;
    /** Rent of the wrapped-coin account, which exists only within the transaction. */
    wsol: Lamports;
    /** Rent of the wallet's account for a bought token. 0 if the account exists. */
    tokenAccount: Lamports;
    /** Rents that the exchange's own accounts lack, which the trade pays. */
    market: Lamports;
  };
  /**
   * The price of a compute unit that half of the recent transactions with the pool paid, in millionths of a lamport, or
   * a floor where the host knows none.
   */
  marketPrice: bigint;
};

/** One host's facts about a trade on sol at one slot. */
export type SolTradeFacts = FactsTerms & {
  slot: number;
  /** The data of the mint's account, except its supply. */
  mint: { program: string; decimals: number; transferFeeBps: number; flags: readonly TokenFlag[] };
  /**
   * Percentage by which the price is worse than the reference price. The reference is the pool's own price or, for
   * Jupiter, the price of a tenth of the amount.
   */
  priceImpact: number;
  /**
   * True if no pool that hosts find by themselves prices the trade, but only a router's server, a pool that the request
   * names, or a pool of less than one coin. Anybody could have chosen its price.
   */
  lacksReference: boolean;
  /** The routes that pay most, the best first. The other facts are about the best one. */
  routes: readonly [SolQuotedRoute, ...SolQuotedRoute[]];
  costs: SolCosts;
  /**
   * Facts for the first message of an order by the best pool. Absent if the wallet could not try the trade, or the host
   * has agreed with no other host on a blockhash.
   */
  forPlanning?: SolWalletFacts;
  /** Facts of the same host without Jupiter. Present if a route of the host uses Jupiter. */
  byPools?: SolTradeFacts | DomainError;
};

/** A host's facts, a reason why every host would refuse the trade, or undefined if the host gave no clear answer. */
export type SolHostQuote = SolTradeFacts | DomainError | undefined;
