import {
  type ChainFacts,
  type MinedTransaction,
  type ShownOrder,
  type TradeFacts,
  textOf,
  unitsOf,
} from "./facts.ts";

/** An order with its on-chain transactions. */
export type TracedOrder = ShownOrder & {
  mined: readonly MinedTransaction[];
  /** Successful swaps of the order, at most one. */
  fills: readonly MinedTransaction[];
};

/** Finds each order's transactions on its chain by the hashes in its attempts. */
export function traced({ orders, chains }: Pick<TradeFacts, "orders" | "chains">): TracedOrder[] {
  const byHash = new Map<string, MinedTransaction>(
    [...chains].flatMap(([chain, { transactions }]) =>
      transactions.map((transaction) => [`${chain} ${transaction.hash}`, transaction] as const),
    ),
  );
  return orders.map((each) => {
    const mined = each.attempts.flatMap(({ txHash }) => byHash.get(`${each.order.chain} ${txHash}`) ?? []);
    return { ...each, mined, fills: mined.filter(({ purpose, isOk }) => purpose === "swap" && isOk) };
  });
}

const nativeIfBuy = ({ side, token = "" }: ShownOrder["order"]) =>
  side === "buy" ? (["native", token] as const) : ([token, "native"] as const);

/** Computes from a swap's receipt the amounts that it spent and received. */
export function amountsOf({ order }: ShownOrder, { tokens, wrapped, unwrapped }: MinedTransaction) {
  const gained = tokens.get(order.token ?? "") ?? 0n;
  return order.side === "buy"
    ? { spent: wrapped, received: gained > 0n ? gained : 0n }
    : { spent: gained < 0n ? -gained : 0n, received: unwrapped };
}

/** Checks one order. Returns problems as sentences. */
export function problemsOfOrder(each: TracedOrder, { transactions }: ChainFacts): string[] {
  const { order } = each;
  const problems = [
    ...problemsOfEnd(each),
    ...problemsOfAttempts(each),
    ...problemsOfReason(each, transactions),
    ...(each.fills.length > 1 ? [`was filled ${each.fills.length} times`] : []),
    ...(each.fills.length === 0 && order.status === "filled" ? ["is filled, and no block has its swap"] : []),
    ...(each.fills.length > 0 && order.status !== "filled"
      ? [`is ${order.status}, and a block has its swap`]
      : []),
    ...each.fills.flatMap((fill) => problemsOfFill(each, fill)),
    ...differences("networkFee", order.networkFee, sumOfFees(each.mined)),
  ];
  return problems.map((problem) => `order ${order.orderId} of ${each.userID} on ${order.chain} ${problem}`);
}

export const feesOf = (mined: readonly MinedTransaction[]): bigint =>
  mined.reduce((sum, { fee }) => sum + fee, 0n);

const sumOfFees = (mined: readonly MinedTransaction[]) => textOf(feesOf(mined), "native", "eth");

export const differences = (field: string, shown: unknown, true_: unknown): string[] =>
  shown === true_ ? [] : [`has ${field} ${String(shown)} instead of ${String(true_)}`];

export function problemsOfEnd({ order }: Pick<ShownOrder, "order">): string[] {
  const hasEnded = ["filled", "cancelled", "rejected", "expired"].includes(order.status);
  return [
    ...(hasEnded
      ? []
      : [`never ended: it is ${order.status}, ${order.stage} ${order.reasonCode ?? ""}`.trim()]),
    ...(order.settled === true ? [] : ["never settled"]),
    ...(hasEnded && order.stage !== "done" ? [`has ended in stage ${order.stage}`] : []),
    ...(order.status === "filled" || !hasEnded || order.reasonCode !== undefined
      ? []
      : ["ended for no reason"]),
  ];
}

function problemsOfAttempts({ attempts, mined }: TracedOrder): string[] {
  const swapNonces = new Set(attempts.filter(({ purpose }) => purpose === "swap").map(({ nonce }) => nonce));
  return [
    ...(swapNonces.size > 1 ? [`has swaps at the nonces ${[...swapNonces].join(", ")}`] : []),
    ...(new Set(attempts.map(({ txHash }) => txHash)).size < attempts.length
      ? ["names an attempt twice"]
      : []),
    ...attempts.flatMap(({ txHash, purpose, nonce, outcome }) => {
      const found = mined.find(({ hash }) => hash === txHash);
      const wanted = found === undefined ? "replaced" : found.isOk ? "mined" : "reverted";
      return [
        ...(outcome === wanted ? [] : [`has ${purpose} ${txHash} as ${outcome} instead of ${wanted}`]),
        ...(found === undefined || (found.purpose === purpose && found.nonce === nonce)
          ? []
          : [`has ${purpose} ${txHash} at nonce ${nonce} instead of ${found.purpose} at ${found.nonce}`]),
      ];
    }),
  ];
}

/** Checks reason codes that the chain must confirm. */
function problemsOfReason(
  { order, attempts, mined }: TracedOrder,
  transactions: readonly MinedTransaction[],
) {
  const unproven = (holds: boolean) => (holds ? [] : [`is ${order.reasonCode} without a cause on the chain`]);
  switch (order.reasonCode) {
    case "SIGNING_REFUSED":
      return ["was genuine, and the signer refused it"];
    case "NONCE_TAKEN": {
      const nonces = attempts.map(({ nonce }) => nonce);
      const isTaken = ({ isForeign, wallet, nonce }: MinedTransaction) =>
        isForeign && wallet === order.wallet && nonces.includes(nonce);
      return unproven(transactions.some(isTaken));
    }
    case "NOT_INCLUDED":
      return unproven(attempts.length > 0);
    case "REVERTED":
      return unproven(attempts.length > 0 && (mined.some(({ isOk }) => !isOk) || attempts.length > 1));
    default:
      return [];
  }
}

function problemsOfFill(each: TracedOrder, fill: MinedTransaction): string[] {
  const { order, report } = each;
  const { spent, received } = amountsOf(each, fill);
  const [given, taken] = nativeIfBuy(order);
  const [spentText, receivedText] = [textOf(spent, given, order.chain), textOf(received, taken, order.chain)];
  const validUntil = Date.parse(order.validUntil ?? "") / 1000;
  return [
    ...differences("filledAmount", order.filledAmount, spentText),
    ...differences("receivedAmount", order.receivedAmount, receivedText),
    ...differences("txHash", order.txHash, fill.hash),
    ...differences("spent in its report", report?.spent.amount, spentText),
    ...differences("received in its report", report?.received.amount, receivedText),
    ...differences("total fee in its report", report?.networkFee.total, sumOfFees(each.mined)),
    ...(received < unitsOf(order.minAmountOut, taken, order.chain)
      ? [`received less than ${order.minAmountOut}`]
      : []),
    ...(spent > unitsOf(order.amount, given, order.chain) ? [`spent more than ${order.amount}`] : []),
    ...(fill.time > validUntil ? ["was filled too late"] : []),
  ];
}
