import type { Lamports } from "../../../core/units.ts";
import { ceilDivide, greatest, least } from "../../../orders/bigints.ts";
import type { SolIntent, SolRoute } from "./intent.ts";
import type { SolFees } from "./slot.ts";

const microLamports = 1_000_000n;

/**
 * Shares of an order's budget for its transactions, in percent. Three attempts follow each other quickly, each paying
 * more; the others share the rest until the order's deadline. The clear has a reserved share, so that an order can be
 * cancelled after any other messages.
 */
const percent = { swap: [16n, 20n, 24n], others: 30n, clear: 10n } as const;

/** Tip's percentage of a transaction's share. Relays prefer transactions with a tip. */
const tipPercent = 30n;

/** Computes what an order's clear may pay as priority fee. */
export const shareOfClear = (budgetLamports: Lamports): Lamports => (budgetLamports * percent.clear) / 100n;

/**
 * Computes what an order's next attempt may pay as priority fee and tip.
 *
 * @param attempts Maximum number of attempts of the order.
 * @param earlier Number of attempts so far.
 */
export function shareOf(budgetLamports: Lamports, attempts: number, earlier: number): Lamports {
  const part = percent.swap[earlier];
  if (part !== undefined) return (budgetLamports * part) / 100n;
  const others = BigInt(Math.max(1, attempts - percent.swap.length));
  return (budgetLamports * percent.others) / (100n * others);
}

/** Computes how many attempts a relay accepts, given that the first three can pay its lowest tip. */
export const attemptsWithTip = (budgetLamports: Lamports, leastTipLamports: Lamports): number =>
  percent.swap.length + Number((budgetLamports * percent.others) / (100n * greatest(leastTipLamports, 1n)));

/** Computes the lowest budget whose first share covers a transaction. */
export const budgetFor = (shareLamports: Lamports): Lamports =>
  ceilDivide(shareLamports * 100n, percent.swap[0]);

/**
 * Maximum rents of the marker and of the temporary wrapped-coin account. Hosts report the actual rents, which are
 * falling over time, but the signer does not trust hosts.
 */
export const mostRentLamports = { marker: 897_840n, wsol: 2_039_280n };

/** Sizes of the accounts whose rents are asked for, in bytes. */
const asked = { marker: 1n, wsol: 165n };

/** Computes the rent of an account of any size from two rents, because the chain asks for the same for each byte. */
export function rentOfBytes(bytes: number, rents: Readonly<Record<keyof typeof asked, Lamports>>): Lamports {
  const perByte = (rents.wsol - rents.marker) / (asked.wsol - asked.marker);
  return rents.marker + (BigInt(bytes) - asked.marker) * perByte;
}

/** Bytes that the chain adds to each account's size. */
const bytesBeside = 128n;

/** Computes the rent of an account of any size from the rent of a marker. */
export const rentLike = (markerRentLamports: Lamports, bytes: number): Lamports =>
  (markerRentLamports * (BigInt(bytes) + bytesBeside)) / (asked.marker + bytesBeside);

/** The rent of a token account with every extension that its mint may require. */
const mostTokenRentLamports = 2_248_080n;

/**
 * Computes the most lamports that can stay in accounts after a fill: in the order's marker, in the account of a bought
 * token, and in those of the exchange.
 */
export const stayingRentLamports = (
  side: "buy" | "sell",
  routes: readonly Pick<SolRoute, "venue">[],
): Lamports =>
  mostRentLamports.marker + (side === "buy" ? mostTokenRentLamports : 0n) + mostMarketRent(routes);

/**
 * Maximum rents of accounts that a trade opens at an exchange, at the wallet's cost: an account for its volumes and a
 * vault of the token's creator. On PumpSwap, this vault and one for cashback are accounts of wrapped coins.
 */
const mostMarketRents: Readonly<Record<SolRoute["venue"], Lamports>> = {
  "raydium-cpmm": 0n,
  pump: 1_844_400n + 890_880n,
  pumpswap: 1_844_400n + 2n * mostRentLamports.wsol,
  "jupiter-metis": 0n,
};

/** Computes the most lamports that can stay in accounts of an exchange after a fill by one of these routes. */
export const mostMarketRent = (routes: readonly Pick<SolRoute, "venue">[]): Lamports =>
  greatest(0n, ...routes.map(({ venue }) => mostMarketRents[venue]));

/**
 * Computes the highest fee that is planned for an order's clear. The day's limit counts it together with the first
 * message.
 */
export const clearReserve = (budgetLamports: Lamports, baseFeeLamports: Lamports): Lamports =>
  shareOfClear(budgetLamports) + baseFeeLamports;

/**
 * Computes the lamports that the day's limit counts when an order's first message is signed, in addition to that
 * message's fee.
 */
export const countedWithFirst = (
  { side, budgetLamports, routes }: Pick<SolIntent, "side" | "budgetLamports" | "routes">,
  baseFeeLamports: Lamports,
): Lamports => stayingRentLamports(side, routes) + clearReserve(budgetLamports, baseFeeLamports);

/**
 * True if a rent is allowed. An account without lamports disappears after its transaction, so it could not mark an
 * order.
 */
export const isRent = (account: keyof typeof mostRentLamports, lamports: Lamports): boolean =>
  lamports > 0n && lamports <= mostRentLamports[account];

/** Maximum number of compute units that the chain allows in a transaction. */
export const mostComputeUnits = 1_400_000;

export const isUnitLimit = (units: number): boolean =>
  Number.isInteger(units) && units >= 1 && units <= mostComputeUnits;

/**
 * Splits a share into a tip and a price per compute unit, in millionths of a lamport.
 *
 * @param leastTipLamports Absent for a transaction without a tip.
 */
export function feesOfShare(
  shareLamports: Lamports,
  computeUnitLimit: number,
  leastTipLamports?: Lamports,
): Pick<SolFees, "microLamportsPerUnit" | "tipLamports"> {
  const wanted =
    leastTipLamports === undefined ? 0n : greatest(leastTipLamports, (shareLamports * tipPercent) / 100n);
  const tipLamports = least(shareLamports, wanted);
  const microLamportsPerUnit = ((shareLamports - tipLamports) * microLamports) / BigInt(computeUnitLimit);
  return { microLamportsPerUnit, tipLamports };
}

/**
 * Chooses the account for an order's tips. Transactions that write the same account wait for each other, so orders
 * share out all of a relay's accounts.
 */
export function tipAccountFor(orderId: string, tipAccounts: readonly string[]): string | undefined {
  const sum = Buffer.from(orderId).reduce((total, byte) => total + byte, 0);
  return tipAccounts[sum % tipAccounts.length];
}

/** Computes the priority fee of a message. */
export const priorityLamportsOf = ({
  microLamportsPerUnit,
  computeUnitLimit,
}: Pick<SolFees, "microLamportsPerUnit" | "computeUnitLimit">): Lamports =>
  ceilDivide(microLamportsPerUnit * BigInt(computeUnitLimit), microLamports);

/**
 * Computes the most that a message pays for being in a block. A transaction that fails also pays this, except for its
 * tip.
 *
 * @param baseFeeLamports Per signature.
 */
export const mostFeeLamports = (fees: SolFees, baseFeeLamports: Lamports): Lamports =>
  BigInt(fees.signatures) * baseFeeLamports + priorityLamportsOf(fees) + fees.tipLamports;
