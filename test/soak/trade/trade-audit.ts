import { type ChainFacts, type TradeFacts, unitsOf } from "./facts.ts";
import { problemsOfOrder, type TracedOrder, traced } from "./order-audit.ts";
import { problemsOfPositions } from "./position-audit.ts";

const noFacts: ChainFacts = { accounts: new Map(), transactions: [], stray: 0n, allowances: [] };

/** Compares orders and positions with the chains. Returns differences as sentences. */
export function problemsOfTrade(facts: TradeFacts): string[] {
  const orders = traced(facts);
  return [
    ...orders.flatMap((each) =>
      problemsOfOrder(each, facts.chains.get(each.order.chain as never) ?? noFacts),
    ),
    ...[...facts.chains].flatMap(([chain, of]) => {
      const own = orders.filter(({ order }) => order.chain === chain);
      return [
        ...problemsOfTransactions(own, of),
        ...problemsOfAccounts(own, of),
        ...problemsOfAllowances(own, of),
        ...(of.stray === 0n ? [] : [`${of.stray} units of coin and tokens were left in routers`]),
      ].map((problem) => `${chain}: ${problem}`);
    }),
    ...problemsOfPositions(facts, orders),
    ...facts.leftovers.map((key) => `${key} is left in the table`),
  ];
}

/** Checks that every transaction of a wallet belongs to one order or another program. */
function problemsOfTransactions(orders: readonly TracedOrder[], { transactions }: ChainFacts): string[] {
  const owners = Map.groupBy(
    orders.flatMap(({ order, attempts }) => attempts.map(({ txHash }) => ({ txHash, id: order.orderId }))),
    ({ txHash }) => txHash,
  );
  return transactions.flatMap(({ hash, wallet, purpose, isForeign }) => {
    const ids = (owners.get(hash) ?? []).map(({ id }) => id);
    if (ids.length === (isForeign ? 0 : 1)) return [];
    const whose =
      ids.length === 0 ? "no order's" : `of ${ids.join(" and ")}${isForeign ? " and foreign" : ""}`;
    return [`the ${purpose} ${hash} of ${wallet} is ${whose}`];
  });
}

/** Checks that each wallet's balances follow from its orders and other programs' transactions. */
function problemsOfAccounts(
  orders: readonly TracedOrder[],
  { accounts, transactions }: ChainFacts,
): string[] {
  return [...accounts].flatMap(([wallet, { before, after, nonce }]) => {
    const expected = new Map(before);
    const add = (token: string, units: bigint) => expected.set(token, (expected.get(token) ?? 0n) + units);
    for (const { order } of orders.filter((each) => each.order.wallet === wallet)) {
      const [spent, received] =
        order.side === "buy" ? ["native", order.token ?? ""] : [order.token ?? "", "native"];
      const { chain } = order;
      add(spent, -unitsOf(order.filledAmount, spent, chain));
      add(received, unitsOf(order.receivedAmount, received, chain));
      add("native", -unitsOf(order.networkFee, "native", chain));
    }
    const foreign = transactions.filter((each) => each.isForeign && each.wallet === wallet);
    for (const { fee, tokens } of foreign) {
      add("native", -fee);
      for (const [token, units] of tokens) add(token, units);
    }
    const used = transactions.filter((each) => each.wallet === wallet).length;
    return [
      ...[...expected]
        .filter(([token, units]) => units !== (after.get(token) ?? 0n))
        .map(([token, units]) => {
          const differs = (after.get(token) ?? 0n) - units;
          return `${wallet} has ${differs} units of ${token} more than its orders say`;
        }),
      ...(nonce.latest === nonce.pending ? [] : [`a transaction of ${wallet} still waits in a pool`]),
      ...(nonce.latest === used ? [] : [`${wallet} has sent ${nonce.latest} transactions, not ${used}`]),
    ];
  });
}

/** Checks that routers may take only what a sell approved but did not sell. */
function problemsOfAllowances(orders: readonly TracedOrder[], { allowances }: ChainFacts): string[] {
  return allowances
    .filter(
      ({ wallet, token }) =>
        !orders.some(
          ({ order, attempts, report }) =>
            order.wallet === wallet &&
            order.token === token &&
            attempts.some(({ purpose, outcome }) => purpose === "approve" && outcome === "mined") &&
            (order.status !== "filled" || report?.approvalLeft !== "0"),
        ),
    )
    .map(
      ({ wallet, token, router, units }) =>
        `${router} may still take ${units} units of ${token} from ${wallet}`,
    );
}
