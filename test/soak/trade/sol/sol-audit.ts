import { wsolMint } from "../../../../lib/chains/sol/calls/addresses.ts";
import type { BookEvent } from "../../../../lib/orders/holding.ts";
import { textOf, unitsOf } from "../facts.ts";
import { differences, problemsOfEnd } from "../order-audit.ts";
import { problemsOfBooks } from "../position-audit.ts";
import type { ShownSolOrder, SolFacts, SolTradeFacts, SolTransaction } from "./sol-facts.ts";

/** An order with its on-chain transactions. */
type TracedSolOrder = ShownSolOrder & {
  landed: readonly SolTransaction[];
  /** Successful swaps of the order, at most one. */
  fills: readonly SolTransaction[];
};

/** Compares Solana orders and positions with the chain. Returns differences as sentences. */
export function problemsOfSol(facts: SolTradeFacts): string[] {
  const { chain, positions, soldOut } = facts;
  const orders = facts.orders.map((each) => traced(each, chain));
  return [
    ...orders.flatMap((each) => problemsOfOrder(each, chain)),
    ...[
      ...problemsOfOwners(orders, chain),
      ...problemsOfMarkers(chain),
      ...chain.transactions.flatMap(problemsOfBalance),
      ...problemsOfWallets(orders, chain),
      ...problemsOfAccounts(chain),
    ].map((problem) => `sol: ${problem}`),
    ...problemsOfBooks(
      positions,
      orders.map(({ userID, order, ...rest }) => ({
        ...order,
        userID,
        events: eventsOf({ userID, order, ...rest }, soldOut),
      })),
      // Sorts a sell that found no tokens after all transactions of its slot.
      ({ kind }) => (kind === "sold-out" ? 1 : 0),
    ),
  ];
}

/**
 * Compares final orders with the chain before it starts over. All other orders are then forgotten, but none may have
 * had two effects.
 */
export function problemsOfEra(settled: readonly ShownSolOrder[], chain: SolFacts): string[] {
  return [
    ...settled.flatMap((each) => problemsOfOrder(traced(each, chain), chain)),
    ...[...problemsOfMarkers(chain), ...chain.transactions.flatMap(problemsOfBalance)].map(
      (problem) => `sol, before a crash: ${problem}`,
    ),
  ];
}

function traced(each: ShownSolOrder, { transactions }: SolFacts): TracedSolOrder {
  const landed = transactions.filter(({ orderId }) => orderId === each.order.orderId);
  return { ...each, landed, fills: landed.filter(({ purpose, isOk }) => purpose === "swap" && isOk) };
}

const sum = (landed: readonly SolTransaction[], of: (each: SolTransaction) => bigint): bigint =>
  landed.reduce((total, each) => total + of(each), 0n);

const coinText = (lamports: bigint) => textOf(lamports, "native", "sol");

function amountsOf({ order }: ShownSolOrder, { toPools, tokens }: SolTransaction) {
  const gained = tokens.get(order.token ?? "") ?? 0n;
  return order.side === "buy" ? { spent: toPools, received: gained } : { spent: -gained, received: -toPools };
}

function problemsOfOrder(each: TracedSolOrder, chain: SolFacts): string[] {
  const { order, landed, fills } = each;
  const rent = sum(landed, (transaction) => transaction.rent);
  const problems = [
    ...problemsOfEnd(each),
    ...(each.attempts === undefined ? [] : problemsOfAttempts(each, each.attempts)),
    ...problemsOfReason(each),
    ...(fills.length === 0 && order.status === "filled" ? ["is filled, and no block has its swap"] : []),
    ...(fills.length > 0 && order.status !== "filled"
      ? [`is ${order.status}, and a block has its swap`]
      : []),
    ...fills.flatMap((fill) => problemsOfFill(each, fill)),
    ...differences("networkFee", order.networkFee, coinText(sum(landed, ({ fee }) => fee))),
    ...differences("rent", order.rent, rent === 0n ? undefined : coinText(rent)),
    ...(chain.marked.has(order.orderId) === landed.some(({ isOk }) => isOk)
      ? []
      : ["has a marker that does not agree with its transactions"]),
    ...problemsOfBudget(each),
  ];
  return problems.map((problem) => `order ${order.orderId} of ${each.userID} on sol ${problem}`);
}

/** Maximum number of transactions of each kind for one order, even for one that is valid for ten minutes. */
const mostAttempts = { swap: 24, clear: 1 };

function problemsOfAttempts(
  { landed }: TracedSolOrder,
  attempts: NonNullable<ShownSolOrder["attempts"]>,
): string[] {
  const hashes = attempts.map(({ txHash }) => txHash);
  const kinds = (["swap", "clear"] as const).filter(
    (kind) => attempts.filter(({ purpose }) => purpose === kind).length > mostAttempts[kind],
  );
  return [
    ...(new Set(hashes).size < hashes.length ? ["names an attempt twice"] : []),
    ...kinds.map((kind) => `has more than ${mostAttempts[kind]} attempts to ${kind}`),
    ...landed
      .filter(({ hash }) => !hashes.includes(hash))
      .map(({ hash, purpose }) => `does not name its ${purpose} ${hash}`),
    ...attempts.flatMap(({ txHash, purpose, outcome }) => {
      const found = landed.find(({ hash }) => hash === txHash);
      const wanted = found === undefined ? "expired" : found.isOk ? "mined" : "reverted";
      return [
        ...(outcome === wanted ? [] : [`has ${purpose} ${txHash} as ${outcome} instead of ${wanted}`]),
        ...(found === undefined || found.purpose === purpose
          ? []
          : [`has ${purpose} ${txHash} instead of ${found.purpose}`]),
      ];
    }),
  ];
}

/** Checks reason codes that the chain must confirm. */
function problemsOfReason({ order, landed }: TracedSolOrder): string[] {
  const unproven = (holds: boolean) => (holds ? [] : [`is ${order.reasonCode} without a cause on the chain`]);
  switch (order.reasonCode) {
    case "SIGNING_REFUSED":
      return ["was genuine, and the signer refused it"];
    case "REVERTED":
      return unproven(landed.some(({ isOk }) => !isOk));
    default:
      return [];
  }
}

/**
 * Seconds in which transactions signed in time may still be included: their blockhash lives for 150 slots of 0.4 s,
 * plus a margin.
 */
const mostAfterEndSeconds = 65;

function problemsOfFill(each: TracedSolOrder, fill: SolTransaction): string[] {
  const { order, report, attempts, landed } = each;
  const { token = "" } = order;
  const { spent, received } = amountsOf(each, fill);
  const [given, taken] = order.side === "buy" ? ["native", token] : [token, "native"];
  const [spentText, receivedText] = [textOf(spent, given, "sol"), textOf(received, taken, "sol")];
  const validUntil = Date.parse(order.validUntil ?? "") / 1000;
  const reported =
    attempts === undefined
      ? []
      : [
          ...differences("spent in its report", report?.spent.amount, spentText),
          ...differences("received in its report", report?.received.amount, receivedText),
          ...differences(
            "total fee in its report",
            report?.networkFee.total,
            coinText(sum(landed, ({ fee }) => fee)),
          ),
          ...differences("rent in its report", report?.rent, coinText(fill.rent)),
          ...differences("block in its report", report?.block, fill.slot),
        ];
  return [
    ...differences("filledAmount", order.filledAmount, spentText),
    ...differences("receivedAmount", order.receivedAmount, receivedText),
    ...differences("txHash", order.txHash, fill.hash),
    ...reported,
    ...(received < unitsOf(order.minAmountOut, taken, "sol")
      ? [`received less than ${order.minAmountOut}`]
      : []),
    ...(spent > unitsOf(order.amount, given, "sol") ? [`spent more than ${order.amount}`] : []),
    ...(fill.time > validUntil + mostAfterEndSeconds ? ["was filled too late"] : []),
  ];
}

/** Checks how much an order's transactions paid, and how much all signed ones could have paid. */
function problemsOfBudget({ attempts = [], landed, budget }: TracedSolOrder): string[] {
  const paid = sum(landed, ({ fee, baseFee }) => fee - baseFee);
  const signed = attempts.reduce(
    (total, { priorityFee, tip }) =>
      total + unitsOf(priorityFee, "native", "sol") + unitsOf(tip, "native", "sol"),
    0n,
  );
  const most = signed > paid ? signed : paid;
  return most <= budget ? [] : [`may pay ${coinText(most)} besides base fees, and has ${coinText(budget)}`];
}

/** Checks that every transaction of a wallet belongs to a known order or another program. */
const problemsOfOwners = (orders: readonly TracedSolOrder[], { transactions }: SolFacts): string[] =>
  transactions
    .filter(
      ({ purpose, orderId, wallet }) =>
        purpose !== "foreign" &&
        !orders.some(({ order }) => order.orderId === orderId && order.wallet === wallet),
    )
    .map(({ purpose, hash, wallet }) => `the ${purpose} ${hash} of ${wallet} is no order's`);

/** Checks that at most one transaction with the same marker succeeded. */
const problemsOfMarkers = ({ transactions }: SolFacts): string[] =>
  [
    ...Map.groupBy(
      transactions.filter(({ orderId, isOk }) => orderId !== undefined && isOk),
      ({ orderId }) => orderId,
    ),
  ]
    .filter(([, all]) => all.length > 1)
    .map(([orderId, all]) => `the marker of ${orderId} was made ${all.length} times`);

/** Checks that the wallet paid only for the trade, the fee and the rents. */
function problemsOfBalance(each: SolTransaction): string[] {
  if (each.purpose === "foreign") return [];
  const { purpose, hash, coins, toPools, fee, rent, donated } = each;
  const wanted = donated - toPools - fee - rent;
  return coins === wanted
    ? []
    : [`the ${purpose} ${hash} changed its wallet by ${coins} instead of ${wanted}`];
}

/** Checks that each wallet's balances follow from its orders and other transactions. */
function problemsOfWallets(orders: readonly TracedSolOrder[], { wallets, transactions }: SolFacts): string[] {
  return [...wallets].flatMap(([wallet, { before, after }]) => {
    const expected = new Map(before);
    const add = (token: string, units: bigint) => expected.set(token, (expected.get(token) ?? 0n) + units);
    for (const { order } of orders.filter((each) => each.order.wallet === wallet)) {
      const { side, token = "" } = order;
      const [spent, received] = side === "buy" ? ["native", token] : [token, "native"];
      add(spent, -unitsOf(order.filledAmount, spent, "sol"));
      add(received, unitsOf(order.receivedAmount, received, "sol"));
      add("native", -unitsOf(order.networkFee, "native", "sol") - unitsOf(order.rent, "native", "sol"));
    }
    for (const each of transactions.filter((transaction) => transaction.wallet === wallet)) {
      add("native", each.donated);
      if (each.purpose !== "foreign") continue;
      add("native", each.coins);
      for (const [token, units] of each.tokens) add(token, units);
    }
    return [...new Set([...expected.keys(), ...after.keys()])]
      .map((token) => ({ token, differs: (after.get(token) ?? 0n) - (expected.get(token) ?? 0n) }))
      .filter(({ differs }) => differs !== 0n)
      .map(({ token, differs }) => `${wallet} has ${differs} units of ${token} more than its orders say`);
  });
}

function problemsOfAccounts({ accounts }: SolFacts): string[] {
  return accounts.flatMap(({ address, wallet, mint, delegate, isAssociated }) => [
    ...(delegate === undefined ? [] : [`${delegate} may still move tokens of ${mint} from ${wallet}`]),
    ...(mint === wsolMint ? [`${wallet} has the account ${address} of wrapped coin left`] : []),
    ...(mint === wsolMint || isAssociated ? [] : [`${wallet} has the stray account ${address} of ${mint}`]),
  ]);
}

function eventsOf(each: TracedSolOrder, soldOut: SolTradeFacts["soldOut"]): BookEvent[] {
  const { order, landed, fills } = each;
  const { orderId, token = "" } = order;
  const at = soldOut.get(orderId);
  const common = { orderId, settled: true };
  if (at !== undefined) return [{ ...common, kind: "sold-out", place: at, time: order.updatedAt }];
  return fills.map((fill) => {
    const time = new Date(fill.time * 1000).toISOString();
    const networkFee = sum(landed, ({ fee }) => fee);
    const part = { ...common, ...amountsOf(each, fill), place: fill.slot, time, networkFee };
    if (order.side === "buy") return { ...part, kind: "buy" };
    return { ...part, kind: "sell", held: fill.held.get(token) ?? 0n };
  });
}
