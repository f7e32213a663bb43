import { isEvmChain, type TradingChain } from "../../../lib/core/chain-facts.ts";
import type { Asked } from "../../replay/asked.ts";
import { type Child, type Comparison, compareAll } from "../../replay/compare.ts";
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
import { askedIn, type Cancel } from "./resting-actions.ts";
import { fillsOnEvm, fillsOnSol, problemsOfParent, type ShownParent, withChildren } from "./resting-audit.ts";
import type { restingEras } from "./resting-eras.ts";

type Detail = ShownTrade["orders"][number];

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
};

/**
 * Reads what users and chains show at the end, and compares it with the recorded prices and the requests.
 *
 * @param settle Waits until no work is left, and returns what is left after all.
 */
export async function auditAll(
  { service, chains, traders, foreign, noteSigned, report }: AuditStage,
  { before, cancels, faultsOf, records, eras }: Recorded,
  settle: () => Promise<string[]>,
): Promise<{ shown: ShownTrade; firings: Comparison }> {
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
  const parents = parentsIn(shown.orders, traders, cancels, report);
  const children = shown.orders.filter(({ order }) => order.parentOrderId !== undefined);
  const ofEvm = children.filter(({ order }) => isEvmChain(order.chain)) as ShownOrder[];
  const positions = shown.positions.filter(({ chain }) => isEvmChain(chain));
  for (const problem of problemsOfTrade({ ...shown, orders: ofEvm, positions, leftovers, chains: facts }))
    report(problem);
  const ofSol = children.filter(({ order }) => order.chain === "sol") as (Detail & Partial<ShownSolOrder>)[];
  const solFacts = {
    soldOut: shown.soldOut,
    orders: ofSol.map((each): ShownSolOrder => ({ ...each, budget: budgetOnSol }) as ShownSolOrder),
    positions: shown.positions.filter(({ chain }) => chain === "sol"),
    chain: withChildren(sol, parents),
  };
  for (const problem of problemsOfSol(solFacts)) report(problem);
  for (const parent of parents) {
    const { chain } = parent.asked;
    const onEvm = isEvmChain(chain) ? facts.get(chain) : undefined;
    const fills = onEvm === undefined ? fillsOnSol(parent.asked, sol) : fillsOnEvm(parent, onEvm);
    for (const problem of problemsOfParent(parent, fills)) report(problem);
  }
  const firings = compareAll({
    orders: parents.map((parent) => ({
      asked: parent.asked,
      children: childrenOf(parent),
      attention: (parent.order.attention ?? []).map(({ code }) => code),
    })),
    records: (chain) => records.of(chain),
    faults: faultsOf,
  });
  for (const problem of firings.problems) report(problem);
  for (const problem of await lastingProblems(() => problemsOfStreams(traders, shown))) report(problem);
  return { shown, firings };
}

/** Lamports that an order on sol may pay for its place in blocks by default. */
const budgetOnSol = 1_000_000n;

type Firing = ShownParent["firings"][number] & { block: number };

function parentsIn(
  orders: readonly Detail[],
  traders: readonly Trader[],
  cancels: readonly Cancel[],
  report: Report,
): (ShownParent & { firings: readonly Firing[] })[] {
  const children = Map.groupBy(orders, ({ order }) => order.parentOrderId);
  return orders
    .filter(({ order }) => order.type !== "market")
    .flatMap(({ userID, order, ...rest }) => {
      const trader = traders.find(({ id }) => id === userID);
      const sent = trader?.sent.get(order.clientOrderId ?? "");
      // The audit of keys reports an order that nobody asked for.
      if (sent === undefined) return [];
      const { firings = [] } = rest as { firings?: Firing[] };
      const asked = cancelledIn(askedIn(userID, sent, order), cancels);
      const own = (children.get(order.orderId) ?? []).filter((child) => child.userID === userID);
      for (const child of own)
        if (child.order.wallet !== order.wallet || child.order.side !== order.side)
          report(`${child.order.orderId} is a child of ${order.orderId}, with another wallet or side`);
      return [
        {
          asked,
          order,
          firings,
          children: own.map((child) => ({
            order: child.order,
            hashes: child.attempts.map(({ txHash }) => txHash),
            isApprovalAlone:
              child.attempts.some(({ purpose }) => purpose === "approve") &&
              child.attempts.every(({ purpose }) => purpose !== "swap"),
          })),
        },
      ];
    });
}

/** Milliseconds that the clock of an order may be ahead of a cancellation of all orders that it was placed before. */
const clocksApartMs = 5000;

function cancelledIn(asked: Asked, cancels: readonly Cancel[]): Asked {
  const own = cancels.filter(
    ({ userID = asked.userID, orderId = asked.orderId, chain = asked.chain, wallet = asked.wallet, atMs }) =>
      userID === asked.userID &&
      orderId === asked.orderId &&
      chain === asked.chain &&
      wallet === asked.wallet &&
      asked.createdAtMs <= atMs + clocksApartMs,
  );
  return own.length === 0 ? asked : { ...asked, cancelledAtMs: Math.min(...own.map(({ atMs }) => atMs)) };
}

const childrenOf = ({ children, firings }: ShownParent & { firings: readonly Firing[] }): Child[] =>
  children.map(({ order: { orderId, createdAt, updatedAt, status } }) => {
    const firing = firings.find((each) => each.orderId === orderId);
    const of: Partial<Firing> = firing ?? {};
    return {
      orderId,
      ...(of.leg !== undefined && of.block !== undefined && { leg: of.leg, block: of.block }),
      ...(of.slice !== undefined && { slice: of.slice }),
      createdAtMs: Date.parse(createdAt),
      doneAtMs: Date.parse(updatedAt),
      isFilled: status === "filled",
    };
  });
