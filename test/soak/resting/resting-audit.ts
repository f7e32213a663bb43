import type { Order } from "../../../lib/orders/execution.ts";
import { type Asked, type AskedLeg, respects } from "../../replay/asked.ts";
import { type ChainFacts, textOf, unitsOf } from "../trade/facts.ts";
import { differences, problemsOfEnd } from "../trade/order-audit.ts";
import type { SolFacts } from "../trade/sol/sol-facts.ts";

/** A successful swap of a resting order's child, as read from a block. */
export type Fill = {
  hash: string;
  spent: bigint;
  received: bigint;
  atMs: number;
  /** Place of the swap's transaction in the chain. */
  place: number;
};

/** A resting order as its user saw it at the end. */
export type ShownParent = {
  asked: Asked;
  order: Order;
  /** The order's children, with the hashes of their attempts. Some have approved a sale that was never signed. */
  children: readonly { order: Order; hashes: readonly string[]; isApprovalAlone?: boolean }[];
  /** Children that the order's firings name, with their legs. */
  firings: readonly { orderId: string; leg: AskedLeg["name"]; slice?: number; outcome: string }[];
};

/** Finds the fills of a parent on an EVM chain by the hashes of its children. */
export const fillsOnEvm = ({ asked, children }: ShownParent, facts: ChainFacts): Fill[] =>
  fillsBy(asked, new Set(children.flatMap((child) => child.hashes)), facts);

/** Finds the swaps of an order on an EVM chain by the hashes of its attempts. */
export const fillsBy = (
  { side, token }: Pick<Asked, "side" | "token">,
  hashes: ReadonlySet<string>,
  { transactions }: ChainFacts,
): Fill[] =>
  transactions.flatMap(({ hash, purpose, isOk, time, tokens, wrapped, unwrapped }, place) => {
    if (!isOk || purpose !== "swap" || !hashes.has(hash)) return [];
    const gained = tokens.get(token) ?? 0n;
    const of = { hash, atMs: 1000 * time, place };
    return side === "buy"
      ? { ...of, spent: wrapped, received: gained }
      : { ...of, spent: -gained, received: unwrapped };
  });

/** Finds the fills of a parent on sol by its marker, which all children share, or by those of its slices. */
export const fillsOnSol = (
  { orderId, token, side }: Pick<Asked, "orderId" | "side" | "token">,
  { transactions }: SolFacts,
): Fill[] =>
  transactions.flatMap(({ hash, purpose, isOk, orderId: marked, time, tokens, toPools }, place) => {
    if (!isOk || purpose !== "swap" || marked?.split(".")[0] !== orderId) return [];
    const gained = tokens.get(token) ?? 0n;
    const of = { hash, atMs: 1000 * time, place };
    return side === "buy"
      ? { ...of, spent: toPools, received: gained }
      : { ...of, spent: -gained, received: -toPools };
  });

/** True for an order that a restore has ended, without a look at its child. */
const isVoid = ({ reasonCode }: Pick<Order, "reasonCode">) => reasonCode === "MANDATE_VOID";

/** True if an order's end says whether it has filled: that of an order with slices does not. */
const saysFill = ({ fills }: Asked, order: Pick<Order, "reasonCode">) => fills === 1 && !isVoid(order);

/** Checks only fills: at most one, within the amount and the price of some leg, and none of a cancelled order. */
export function problemsOfFills(
  asked: Asked,
  order: Pick<Order, "status" | "reasonCode">,
  fills: readonly Fill[],
  leg?: AskedLeg["name"],
): string[] {
  const { status } = order;
  const legs = asked.legs.filter(({ name }) => leg === undefined || name === leg);
  const spent = fills.reduce((sum, fill) => sum + fill.spent, 0n);
  return [
    ...(fills.length > asked.fills
      ? [`was filled ${fills.length} times, by ${fills.map(({ hash }) => hash).join(", ")}`]
      : []),
    ...(spent > asked.amount ? [`spent ${spent} of ${asked.amount} units`] : []),
    ...(fills.length > 0 && (status === "cancelled" || status === "expired") && saysFill(asked, order)
      ? [`is ${status}, and a block has its swap`]
      : []),
    ...fills
      .filter((fill) => !legs.some(({ worst }) => worst === undefined || respects(asked.side, worst, fill)))
      .map(({ hash, spent: paid, received }) => `got ${received} for ${paid} by ${hash}, beyond its price`),
  ].map((problem) => `resting order ${asked.orderId} of ${asked.userID} on ${asked.chain} ${problem}`);
}

/** Checks a resting order against its fills and its children. Returns problems as sentences. */
export function problemsOfParent(parent: ShownParent, fills: readonly Fill[]): string[] {
  const { asked, order, children, firings } = parent;
  const { chain, token, side } = asked;
  const [given, taken] = side === "buy" ? ["native", token] : [token, "native"];
  const filled = children.filter((child) => child.order.status === "filled");
  const [fill] = fills;
  const sum = (of: "spent" | "received") => fills.reduce((all, each) => all + each[of], 0n);
  const slices = firings.flatMap(({ slice, outcome }) => (outcome === "filled" && slice ? [slice] : []));
  const fees = children.reduce((sum, child) => sum + unitsOf(child.order.networkFee, "native", chain), 0n);
  const open = firings.filter(({ outcome }) => outcome === "out");
  const problems = [
    ...problemsOfEnd({ order }),
    ...(order.status === "filled" && fill === undefined ? ["is filled, and no block has its swap"] : []),
    ...(order.status !== "filled" && fill !== undefined && saysFill(asked, order)
      ? [`is ${order.status}, and a block has its swap`]
      : []),
    ...(filled.length === (saysFill(asked, order) ? Number(order.status === "filled") : fills.length)
      ? []
      : [`is ${order.status}, and has ${filled.length} filled children`]),
    ...(open.length === 0 || isVoid(order) ? [] : [`has ended, and shows ${open[0]?.orderId} as out`]),
    ...(fill === undefined || isVoid(order)
      ? []
      : [
          ...differences("filledAmount", order.filledAmount, textOf(sum("spent"), given, chain)),
          ...differences("receivedAmount", order.receivedAmount, textOf(sum("received"), taken, chain)),
          ...(asked.fills === 1 ? differences("txHash", order.txHash, fill.hash) : []),
        ]),
    ...(new Set(slices).size < slices.length ? [`has filled a slice twice, of ${slices.join(", ")}`] : []),
    ...problemsOfFee(parent, fees),
    ...firings
      .filter(({ orderId }) => !children.some((child) => child.order.orderId === orderId))
      .map(({ orderId }) => `names the child ${orderId}, which is not listed`),
  ];
  const leg = firings.find(({ outcome }) => outcome === "filled")?.leg;
  return [
    ...problems.map((problem) => `resting order ${asked.orderId} of ${asked.userID} on ${chain} ${problem}`),
    ...problemsOfFills(asked, order, fills, leg),
  ];
}

/** Counts an approval at the most that it could pay if no sale followed, because the signer does not learn its fee. */
function problemsOfFee({ asked: { chain }, order, children }: ShownParent, fees: bigint): string[] {
  const isMore = unitsOf(order.networkFee, "native", chain) > fees;
  if (isMore && children.some(({ isApprovalAlone = false }) => isApprovalAlone)) return [];
  if (isVoid(order)) return [];
  return differences("networkFee", order.networkFee, textOf(fees, "native", chain));
}

/**
 * Computes what each swap brought from what its wallet gained, because prices move by changes of the pools' accounts,
 * which a transaction of the same slot shows, too.
 */
export const withOwnGains = (facts: SolFacts): SolFacts => ({
  ...facts,
  transactions: facts.transactions.map((each) => {
    const { purpose, isOk, donated, coins, fee, rent } = each;
    return isOk && purpose === "swap" ? { ...each, toPools: donated - coins - fee - rent } : each;
  }),
});

/** Renames transactions on sol after the children that sent them, because markers name only the parents. */
export function withChildren(facts: SolFacts, parents: readonly ShownParent[]): SolFacts {
  const owners = new Map(
    parents.flatMap(({ children }) =>
      children.flatMap(({ order, hashes }) => hashes.map((hash) => [hash, order.orderId] as const)),
    ),
  );
  const transactions = facts.transactions.map((each) => ({
    ...each,
    ...(each.orderId !== undefined && { orderId: owners.get(each.hash) ?? each.orderId }),
  }));
  const made = transactions.flatMap(({ isOk, orderId = "", hash }) =>
    isOk && owners.get(hash) === orderId ? [orderId] : [],
  );
  return { ...facts, transactions, marked: new Set([...facts.marked, ...made]) };
}

/** Checks that the orders that rest in the table, those that clients list and those that may fire are the same. */
export const problemsOfResting = (
  userID: string,
  { listed, open, stored }: Readonly<Record<"listed" | "open" | "stored", readonly string[]>>,
): string[] => {
  const missing = (from: readonly string[], of: readonly string[]) => of.filter((id) => !from.includes(id));
  return [
    ...missing(listed, stored).map((id) => `${id} rests, and status=resting of ${userID} does not list it`),
    ...missing(stored, listed).map((id) => `${id} does not rest, and status=resting of ${userID} lists it`),
    ...missing(open, stored).map((id) => `${id} rests, and is not an open order of ${userID}`),
    ...missing(stored, open).map((id) => `${id} of ${userID} is open, and does not rest`),
  ];
};
