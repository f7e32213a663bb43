import { isEvmChain, type TradingChain } from "../../../lib/core/chain-facts.ts";
import type { Period } from "../../replay/points.ts";
import type { PriceRecords } from "../../replay/record-prices.ts";
import type { Service } from "../service.ts";
import type { ChainAccess } from "../trade/chain-access.ts";
import type { Balances, ShownOrder } from "../trade/facts.ts";
import type { ForeignPrograms } from "../trade/foreign-programs.ts";
import { readChain } from "../trade/read-chain.ts";
import { problemsOfStreams, readTrade, type ShownTrade } from "../trade/read-trade.ts";
import { problemsOfSol } from "../trade/sol/sol-audit.ts";
import type { ShownSolOrder } from "../trade/sol/sol-facts.ts";
import { problemsOfTrade } from "../trade/trade-audit.ts";
import { lastingProblems } from "../trade/trade-soak.ts";
import type { Report, Trader } from "../trade/traders.ts";
import { type Judgement, judgeOrders } from "./judge-orders.ts";
import type { Cancel } from "./resting-actions.ts";
import { fillsOnEvm, fillsOnSol, problemsOfParent, type ShownParent, withChildren } from "./resting-audit.ts";
import type { restingEras } from "./resting-eras.ts";

type AuditStage = {
  service: Service;
  chains: readonly ChainAccess[];
  traders: readonly Trader[];
  foreign: ForeignPrograms;
  noteSigned(parts: string[]): void;
  report: Report;
};

type Recorded = {
  before: ReadonlyMap<ChainAccess, ReadonlyMap<string, Balances>>;
  cancels: readonly Cancel[];
  /** Times of faults of a chain, and of recovery from them. */
  faultsOf: (chain: TradingChain) => readonly Period[];
  records: PriceRecords;
  eras: ReturnType<typeof restingEras>;
  judgement: Judgement;
};

/**
 * Reads what users and chains show at the end, and compares it with the recorded prices and the requests.
 *
 * @param settle Waits until no work is left, and returns what is left after all.
 */
export async function auditAll(
  { service, chains, traders, foreign, noteSigned, report }: AuditStage,
  { before, cancels, faultsOf, records, eras, judgement }: Recorded,
  settle: () => Promise<string[]>,
): Promise<ShownTrade> {
  const shown = await readTrade(service, traders, report);
  // Settles again, because reading positions makes lanes look for tokens that other programs moved.
  const leftovers = await settle();
  const facts = new Map(
    await Promise.all(
      chains.map(async (access) => {
        const own = before.get(access) as ReadonlyMap<string, Balances>;
        return [
          access.chain,
          await readChain(access, { before: own, foreign: foreign.sent, noteSigned }),
        ] as const;
      }),
    ),
  );
  const sol = await eras.read();
  const fillsOf = (parent: ShownParent) => {
    const { chain } = parent.asked;
    const onEvm = isEvmChain(chain) ? facts.get(chain) : undefined;
    return onEvm === undefined ? fillsOnSol(parent.asked, sol) : fillsOnEvm(parent, onEvm);
  };
  const reading = { orders: shown.orders, traders, cancels, report };
  const parents = judgeOrders(reading, { fillsOf, records, faultsOf }, judgement);
  const children = shown.orders.filter(
    ({ order }) => order.parentOrderId !== undefined && order.type === "market",
  );
  const ofEvm = children.filter(({ order }) => isEvmChain(order.chain)) as ShownOrder[];
  const positions = shown.positions.filter(({ chain }) => isEvmChain(chain));
  for (const problem of problemsOfTrade({ ...shown, orders: ofEvm, positions, leftovers, chains: facts }))
    report(problem);
  const ofSol = children.filter(({ order }) => order.chain === "sol") as (ShownTrade["orders"][number] &
    Partial<ShownSolOrder>)[];
  const solFacts = {
    soldOut: shown.soldOut,
    orders: ofSol.map((each): ShownSolOrder => ({ ...each, budget: budgetOnSol }) as ShownSolOrder),
    positions: shown.positions.filter(({ chain }) => chain === "sol"),
    chain: withChildren(sol, parents),
  };
  for (const problem of problemsOfSol(solFacts)) report(problem);
  for (const parent of parents)
    for (const problem of problemsOfParent(parent, fillsOf(parent))) report(problem);
  for (const problem of judgement.firings.problems) report(problem);
  for (const problem of await lastingProblems(() => problemsOfStreams(traders, shown))) report(problem);
  return shown;
}

/** Lamports that an order on sol may pay for its place in blocks by default. */
const budgetOnSol = 1_000_000n;
