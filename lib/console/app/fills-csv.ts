import type { Order } from "trading-terminal-client";
import { coinOf, unitsOf } from "./format.ts";

const columns = {
  placed: ({ createdAt }) => createdAt,
  // May be later than the fill, as the order also changes when the fill is final.
  "last change": ({ updatedAt }) => updatedAt,
  settled: ({ settled }) => (settled === undefined ? "" : settled ? "yes" : "no"),
  chain: ({ chain }) => chain,
  side: ({ side }) => side,
  paid: ({ filledAmount }) => filledAmount,
  "paid in": (order) => unitsOf(order).spent,
  received: ({ receivedAmount }) => receivedAmount,
  "received in": (order) => unitsOf(order).received,
  price: ({ averagePrice }) => averagePrice,
  "price in": (order) => unitsOf(order).price,
  "network fee": ({ networkFee }) => networkFee,
  "fee in": ({ chain }) => coinOf[chain],
  token: ({ token }) => token,
  wallet: ({ wallet }) => wallet,
  transaction: ({ txHash }) => txHash,
  order: ({ orderId }) => orderId,
} satisfies Record<string, (order: Order) => string | undefined>;

/** Quotes a text. A spreadsheet would run a token's name that begins like a formula. */
const cell = (text = "") => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;

/**
 * True for an order that has bought or sold something, even if it has been cancelled since. A resting order has a child
 * for each fill, which counts in its place: the child is placed seconds before its fill, the resting order up to months.
 */
export const hasFill = ({ filledAmount, childOrderId }: Order): boolean =>
  Number(filledAmount) > 0 && childOrderId === undefined;

/** Writes the fills among orders as a table for spreadsheets, with all digits. */
export const fillsCsv = (orders: readonly Order[]): string =>
  [
    Object.keys(columns).map(cell),
    ...orders.filter(hasFill).map((order) => Object.values(columns).map((of) => cell(of(order)))),
  ]
    .map((cells) => `${cells.join(",")}\r\n`)
    .join("");
