import type { TradingChain } from "../../../lib/core/chain-facts.ts";
import type { Order } from "../../../lib/orders/execution.ts";
import type { Asked } from "../../replay/asked.ts";
import { type Child, type Comparison, compareAll, noneCompared } from "../../replay/compare.ts";
import { type Birth, exitsOf, type Swap } from "../../replay/exits.ts";
import type { Period } from "../../replay/points.ts";
import type { PriceRecords } from "../../replay/record-prices.ts";
import type { ShownTrade } from "../trade/read-trade.ts";
import type { Report, SentOrder, Trader } from "../trade/traders.ts";
import { judgedExit } from "./exit-audit.ts";
import { askedIn, type Cancel, requestOf } from "./resting-actions.ts";
import type { Fill, ShownParent } from "./resting-audit.ts";

/** What the judge has counted so far. */
export type Judgement = {
  /** Number of exits by their state once their buys had filled. */
  births: Record<Birth, number>;
  firings: Comparison;
};

export const nothingJudged = (): Judgement => ({
  births: { rests: 0, suspended: 0, unclear: 0 },
  firings: noneCompared(),
});

type Firing = ShownParent["firings"][number] & { block: number };

type Shown = ShownTrade["orders"][number];

/** An order, with its attempts and its firings if its user has asked for them. */
export type Detail = Pick<Shown, "userID" | "order"> &
  Partial<Pick<Shown, "attempts">> & { firings?: readonly Firing[] };

type Reading = {
  orders: readonly Detail[];
  traders: readonly Trader[];
  cancels: readonly Cancel[];
  report: Report;
};

/** What the chains show. */
type Evidence = {
  fillsOf: (parent: ShownParent) => Fill[];
  records: Pick<PriceRecords, "of">;
  /** Times of faults of a chain, and of recovery from them. */
  faultsOf: (chain: TradingChain) => readonly Period[];
};

type Parent = ShownParent & { firings: readonly Firing[]; sent: SentOrder };

/** Judges resting orders by the requests and the recorded prices, and counts what it finds. Returns the orders. */
export function judgeOrders(
  reading: Reading,
  { fillsOf, records, faultsOf }: Evidence,
  { births, firings }: Judgement,
): Parent[] {
  const placed = parentsIn(reading);
  const bought = exitsIn(placed, fillsOf, reading);
  const swaps = swapsBy([...placed, ...bought], fillsOf);
  const exits = bought.map(({ fill, ...exit }) => {
    const { asked } = exit;
    const versions = versionsOf(reading, exit);
    const ofBuy = { fill, swaps: swaps.get(bookOf(asked)) ?? [], records: records.of(asked.chain) };
    const judged = judgedExit({ ...exit, versions }, ofBuy);
    firings.problems.push(...judged.problems);
    births[judged.birth]++;
    return { ...exit, asked: judged.asked };
  });
  const parents = [...placed, ...exits];
  const orders = parents.map((parent) => ({
    asked: parent.asked,
    children: childrenOf(parent),
    attention: (parent.order.attention ?? []).map(({ code }) => code),
  }));
  compareAll({ orders, records: (chain) => records.of(chain), faults: faultsOf }, firings);
  return parents;
}

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
      // Includes cancellations after the placing of the buy, which also end its exits.
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
  const { userID, order, firings = [] } = detail;
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
    children: own.map(({ order: child, attempts = [] }) => ({
      order: child,
      hashes: attempts.map(({ txHash }) => txHash),
      isApprovalAlone:
        attempts.some(({ purpose }) => purpose === "approve") &&
        attempts.every(({ purpose }) => purpose !== "swap"),
    })),
  };
}

/** Milliseconds by which the clock of an order may be ahead of a later cancellation of all orders. */
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
