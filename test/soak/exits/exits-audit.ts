import type { Order } from "../../../lib/orders/execution.ts";
import { type AskedLeg, numberOf, priceFrom, type Request } from "../../replay/asked.ts";
import { exitsOf } from "../../replay/exits.ts";
import type { Fill } from "../resting/resting-audit.ts";
import { textOf } from "../trade/facts.ts";

/** A buy that named no exits while its user had switched `autoSell` on, as its user saw it after all faults. */
export type ShownBuy = {
  /** The buy, with the exits of its user's preset in the body. */
  asked: Request;
  order: Order;
  /** Swaps of the buy, as read from blocks. */
  fills: readonly Fill[];
  /** Units of the token that the wallet held after the buy's fill, if that was less than it had received. */
  held?: bigint;
  /** All orders that name the buy as their parent, without its children. */
  exits: readonly Order[];
};

/**
 * Compares the exits of a buy with its fill, before prices have moved: each rests once, at its price, for its share of what
 * the buy has received or for what was held of it. Returns problems as sentences.
 */
export function problemsOfBuy({ asked, order, fills, held, exits }: ShownBuy): string[] {
  const named = (order.exits ?? []).map(({ orderId }) => orderId);
  const listed = exits.map(({ orderId }) => orderId);
  const wanted = (asked.body as { exits: readonly object[] }).exits.length;
  const [fill] = fills;
  const problems = [
    ...(fills.length > 1 ? [`was filled ${fills.length} times`] : []),
    ...((order.status === "filled") === (fill !== undefined)
      ? []
      : [`is ${order.status}, and blocks have ${fills.length} of its swaps`]),
    ...(named.length === wanted ? [] : [`names ${named.length} exits, and not ${wanted}`]),
    ...(new Set(named).size === named.length ? [] : ["names an exit twice"]),
    ...listed.filter((id) => !named.includes(id)).map((id) => `has the exit ${id}, which it does not name`),
    ...named.filter((id) => !listed.includes(id)).map((id) => `names the exit ${id}, which is not listed`),
    ...exits.flatMap((exit) =>
      (fill === undefined
        ? problemsOfUnfilled(exit)
        : problemsOfExit(exit, { asked, order, fill, held })
      ).map((problem) => `has the exit ${exit.orderId}, which ${problem}`),
    ),
  ];
  return problems.map((problem) => `buy ${order.orderId} of ${asked.userID} on ${asked.chain} ${problem}`);
}

const problemsOfUnfilled = ({ status, stage, reasonCode }: Order): string[] =>
  status === "cancelled" && reasonCode === "PARENT_NOT_FILLED"
    ? []
    : [`is ${status} ${stage} although nothing was bought`];

function problemsOfExit(
  exit: Order,
  { asked, order, fill, held }: { asked: Request; order: Order; fill: Fill; held: bigint | undefined },
): string[] {
  const exitIds = (order.exits ?? []).map(({ orderId }) => orderId);
  const { spent, received, atMs: filledAtMs } = fill;
  const expected = exitsOf({ buy: asked, spent, received, filledAtMs, exitIds });
  const own = expected.find(({ orderId }) => orderId === exit.orderId);
  if (own === undefined) return [];
  const units = held !== undefined && held < own.amount ? held : own.amount;
  const amount = textOf(units, own.token, asked.chain);
  const reasons = (exit.attention ?? []).map(({ code }) => code);
  return [
    ...(exit.status === "open" && exit.stage === "resting" && reasons.length === 0
      ? []
      : [[`is ${exit.status} ${exit.stage}`, ...reasons].join(", ")]),
    ...(exit.amount === amount ? [] : [`is for ${exit.amount}, and not for ${amount}`]),
    ...(exit.childOrderId === undefined ? [] : [`has fired ${exit.childOrderId}`]),
    ...own.legs.flatMap((leg) => problemsOfLeg(exit, leg, asked)),
  ];
}

/** Part by which a price that depends on a fill may be rounded. */
const roundedBy = 1e-9;

function problemsOfLeg(exit: Order, leg: AskedLeg, asked: Request): string[] {
  if (leg.kind === "trailing")
    return Number(exit.trailing?.mark ?? 0) > 0 ? [] : ["has a trailing stop that follows no price"];
  if (leg.kind === "slice") return ["is a slice"];
  const text = leg.kind === "stop" ? exit.stopLoss?.stopPrice : exit.takeProfit?.price;
  const [shown, at] = [numberOf(priceFrom(text ?? "0", asked)), numberOf(leg.at)];
  return Math.abs(shown / at - 1) < roundedBy
    ? []
    : [`has its ${leg.kind} at ${text}, not ${Number(at.toPrecision(9))}`];
}

/** A wallet's balance of a token before and after the run, and all that its buys have received of it. */
export type HeldToken = { wallet: string; token: string; before: bigint; after: bigint; received: bigint };

/** Finds tokens that somebody has sold although no price has moved. */
export const problemsOfHeld = (held: readonly HeldToken[]): string[] =>
  held
    .filter(({ before, after, received }) => after !== before + received)
    .map(
      ({ wallet, token, before, after, received }) =>
        `${wallet} held ${before} of ${token}, received ${received}, and holds ${after}`,
    );
