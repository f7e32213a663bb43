import { parseUnits } from "ethers/utils";
import { solOrderSettingsOf } from "../../../../lib/chains/sol/rules/order-settings.ts";
import type { ShownSolAttempt, SolFillReport } from "../../../../lib/chains/sol/rules/shown-details.ts";
import { chainFacts } from "../../../../lib/core/chain-facts.ts";
import type { Order } from "../../../../lib/orders/execution.ts";
import type { ShownTrade } from "../read-trade.ts";
import { forgetSol, fundOnSol, type Report, startOnSol, type Trader } from "../traders.ts";
import { readSol } from "./read-sol.ts";
import type { SolAccess } from "./sol-access.ts";
import { problemsOfEra, problemsOfSol } from "./sol-audit.ts";
import type { ShownSolOrder, SolFacts } from "./sol-facts.ts";

/**
 * Tracks the eras of the Solana chain. Each crash of the runner ends the chain, and the runner then forgets its orders.
 */
export type SolEras = {
  /** Compares final orders with the chain before a crash. */
  audit(): Promise<void>;
  /** Forgets all Solana orders and funds the wallets on the new chain. */
  begin(): Promise<void>;
  /** Compares all orders of the last era with the chain after they have settled. */
  auditLast(shown: ShownTrade): Promise<SolFacts>;
  /** Number of orders compared before crashes. */
  readonly compared: number;
};

export function solEras(
  access: SolAccess,
  traders: readonly Trader[],
  { report, noteSigned }: { report: Report; noteSigned(parts: string[]): void },
): SolEras {
  const wallets = traders.flatMap((trader) => trader.wallets);
  const own = new Set(wallets.filter(({ chain }) => chain === "sol").map(({ address }) => address));
  const before = new Map([...own].map((address) => [address, startOnSol]));
  const read = () => readSol(access, { before, noteSigned });
  let compared = 0;
  return {
    async audit() {
      // Reads the chain after the orders, so that it contains all of their transactions.
      const settled = traders.flatMap(settledOrdersOf);
      const chain = await read();
      for (const problem of problemsOfEra(settled, chain)) report(problem);
      compared += settled.length;
    },
    async begin() {
      for (const trader of traders) forgetSol(trader);
      await fundOnSol(access, wallets);
    },
    async auditLast({ orders, positions, soldOut }) {
      const chain = await read();
      const shown = orders
        .filter(({ order }) => order.chain === "sol")
        .map(({ userID, order, attempts, report }): ShownSolOrder => {
          const trader = traders.find(({ id }) => id === userID) as Trader;
          return {
            userID,
            order,
            budget: budgetOf(order, trader),
            attempts: attempts as ShownSolAttempt[],
            ...(report && { report: report as SolFillReport }),
          };
        });
      const held = positions.filter((position) => position.chain === "sol");
      for (const problem of problemsOfSol({ orders: shown, positions: held, soldOut, chain }))
        report(problem);
      return chain;
    },
    get compared() {
      return compared;
    },
  };
}

const settledOrdersOf = (trader: Trader): ShownSolOrder[] =>
  [...trader.observations.newest().values()]
    .filter((each): each is Order => "orderId" in each && each.chain === "sol" && each.settled === true)
    .map((order) => ({ userID: trader.id, order, budget: budgetOf(order, trader) }));

function budgetOf({ clientOrderId = "" }: Order, { sent }: Trader): bigint {
  const { priorityFee = solOrderSettingsOf().priorityFee } = sent.get(clientOrderId)?.body ?? {};
  return parseUnits(Number(priorityFee).toFixed(chainFacts.sol.coin.decimals), chainFacts.sol.coin.decimals);
}
