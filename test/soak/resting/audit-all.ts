import { isEvmChain, type TradingChain } from "../../../lib/core/chain-facts.ts";
import type { Order } from "../../../lib/orders/execution.ts";
import type { Asked } from "../../replay/asked.ts";
import { type Child, type Comparison, compareAll } from "../../replay/compare.ts";
import { type Birth, exitsOf, type Swap } from "../../replay/exits.ts";
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
import type { Report, SentOrder, Trader } from "../trade/traders.ts";
import { judgedExit } from "./exit-audit.ts";
import { askedIn, type Cancel, requestOf } from "./resting-actions.ts";
import {
  type Fill,
  fillsOnEvm,
  fillsOnSol,
  problemsOfParent,
  type ShownParent,
  withChildren,
} from "./resting-audit.ts";
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
): Promise<{ shown: ShownTrade; firings: Comparison; births: Record<Birth, number> }> {
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
  const placed = parentsIn(reading);
  const bought = exitsIn(placed, fillsOf, reading);
  const swaps = swapsBy([...placed, ...bought], fillsOf);
  const births = { rests: 0, suspended: 0, unclear: 0 };
  const exits = bought.map(({ fill, ...exit }) => {
    const { asked } = exit;
    const versions = versionsOf(reading, exit);
    const ofBuy = { fill, swaps: swaps.get(bookOf(asked)) ?? [], records: records.of(asked.chain) };
    const judged = judgedExit({ ...exit, versions }, ofBuy);
    for (const problem of judged.problems) report(problem);
    births[judged.birth]++;
    return { ...exit, asked: judged.asked };
  });
  const parents = [...placed, ...exits];
  const children = shown.orders.filter(
    ({ order }) => order.parentOrderId !== undefined && order.type === "market",
  );
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
  for (const parent of parents)
    for (const problem of problemsOfParent(parent, fillsOf(parent))) report(problem);
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
  return { shown, firings, births };
}

/** Lamports that an order on sol may pay for its place in blocks by default. */
const budgetOnSol = 1_000_000n;

type Firing = ShownParent["firings"][number] & { block: number };

type Reading = {
  orders: readonly Detail[];
  traders: readonly Trader[];
  cancels: readonly Cancel[];
  report: Report;
};

type Parent = ShownParent & { firings: readonly Firing[]; sent: SentOrder };

/** Lists the resting orders that users have placed, with their children. */
const parentsIn = (reading: Reading): Parent[] =>
  reading.orders
    .filter(({ order }) => order.type !== "market")
    .flatMap((detail) => {
      const { userID, order } = detail;
      const trader = reading.traders.find(({ id }) => id === userID);
      const sent = trader?.sent.get(order.clientOrderId ?? "");
      // The audit of keys reports an order that nobody asked for.
      if (sent === undefined) return [];
      return [parentOf(reading, detail, sent, cancelledIn(askedIn(userID, sent, order), reading.cancels))];
    });

/** Lists the exits of buys that have filled, as the judge reads them from the requests and fills. */
const exitsIn = (
  buys: readonly Parent[],
  fillsOf: (parent: ShownParent) => Fill[],
  reading: Reading,
): (Parent & { fill: Fill })[] =>
  buys.flatMap(({ asked, sent, order, ...buy }) => {
    const [fill] = fillsOf({ asked, order, ...buy });
    if (order.exits === undefined || fill === undefined) return [];
    const exits = exitsOf({
      buy: requestOf(asked.userID, sent, order),
      spent: fill.spent,
      received: fill.received,
      filledAtMs: fill.atMs,
      exitIds: order.exits.map(({ orderId }) => orderId),
    });
    return exits.flatMap((exit) => {
      const detail = reading.orders.find((each) => each.order.orderId === exit.orderId);
      if (detail === undefined) {
        reading.report(`the exit ${exit.orderId} of ${asked.orderId} is not listed`);
        return [];
      }
      // A cancellation after the placing of the buy also ends its exits.
      const { createdAtMs } = asked;
      const { cancelledAtMs } = cancelledIn({ ...exit, createdAtMs }, reading.cancels);
      const own = { ...exit, ...(cancelledAtMs !== undefined && { cancelledAtMs }) };
      return [{ ...parentOf(reading, detail, sent, own), fill }];
    });
  });

const versionsOf = ({ traders }: Reading, { asked: { userID, orderId } }: Parent): Order[] => {
  const trader = traders.find(({ id }) => id === userID);
  return (trader?.observations.versionsOf(orderId) ?? []) as Order[];
};

/** Names a user's orders of a wallet's token. */
const bookOf = ({ userID, chain, wallet, token }: Asked) => [userID, chain, wallet, token].join(" ");

/** Lists the swaps of each book in the order of the chain. */
function swapsBy(
  parents: readonly Parent[],
  fillsOf: (parent: ShownParent) => Fill[],
): ReadonlyMap<string, readonly Swap[]> {
  const fills = parents.flatMap((parent) =>
    fillsOf(parent).map((fill) => ({ ...fill, asked: parent.asked })),
  );
  const swaps = fills
    .toSorted((a, b) => a.place - b.place)
    .map(({ asked, hash, spent, received, atMs }) => {
      const { side } = asked;
      return { book: bookOf(asked), hash, side, tokens: side === "buy" ? received : spent, atMs };
    });
  return Map.groupBy(swaps, ({ book }) => book);
}

function parentOf({ orders, report }: Reading, detail: Detail, sent: SentOrder, asked: Asked): Parent {
  const { userID, order, ...rest } = detail;
  const { firings = [] } = rest as { firings?: Firing[] };
  const own = orders.filter(
    (each) =>
      each.userID === userID && each.order.parentOrderId === order.orderId && each.order.type === "market",
  );
  for (const child of own)
    if (child.order.wallet !== order.wallet || child.order.side !== order.side)
      report(`${child.order.orderId} is a child of ${order.orderId}, with another wallet or side`);
  return {
    sent,
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
  };
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
