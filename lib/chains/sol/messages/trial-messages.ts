import { randomUUID } from "node:crypto";
import type { Address } from "@solana/web3.js";
import { orderIdFor } from "../../../core/record-ids.ts";
import type { Lamports, TokenUnits } from "../../../core/units.ts";
import { greatest } from "../../../orders/bigints.ts";
import type { Objection } from "../../../orders/effects.ts";
import type { Order } from "../../../orders/execution.ts";
import { programs, tokenAccountOf, wsolAccountOf, wsolMint, wsolSeedOf } from "../calls/addresses.ts";
import type { PoolView } from "../calls/pool-view.ts";
import type { Simulation } from "../calls/rpc-call.ts";
import { mostComputeUnits } from "../rules/fees.ts";
import type { SolRoute } from "../rules/intent.ts";
import {
  allocateTokenAccount,
  closeToWallet,
  createAssociatedAccount,
  initializeTokenAccount,
  setComputeUnitLimit,
  transferLamports,
} from "../venues/instructions.ts";
import type { SolVenue } from "../venues/message-terms.ts";
import { compiledMessage, composeMessage, poolSwap } from "./compose-message.ts";
import { venueOfPool } from "./order-message.ts";

/** Facts for a message that is only simulated. */
export type Trial = {
  wallet: Address;
  mint: Address;
  /** The mint's program. */
  tokenProgram: Address;
  blockhash: string;
  rents: { marker: Lamports; wsol: Lamports };
};

/** Uses a random order id, because nobody can have made its marker yet. */
export const newOrderId = (): string => orderIdFor(randomUUID(), "", new Date());

type TrialAttempt = {
  side: Order["side"];
  amountIn: bigint;
  venue: SolVenue;
  /** The order's id, if an account of the exchange depends on it. */
  orderId?: string;
  /** Account that receives a tip of one lamport. */
  tipAccount?: Address | undefined;
};

/** Composes an attempt of the order to be placed, without a priority fee. */
export const composeTrial = (
  { wallet, mint, tokenProgram, blockhash, rents }: Trial,
  { side, amountIn, venue, orderId = newOrderId(), tipAccount }: TrialAttempt,
  computeUnitLimit = mostComputeUnits,
): Promise<{ message: Uint8Array } | Objection> =>
  composeMessage(
    {
      purpose: "swap",
      wallet,
      orderId,
      blockhash,
      side,
      mint,
      tokenProgram,
      computeUnitLimit,
      microLamportsPerUnit: 0n,
      markerRentLamports: rents.marker,
      ...(venue.kind !== "pump" && { wsolRentLamports: rents.wsol }),
      amountIn,
      minAmountOut: 1n,
      venue,
      ...(tipAccount && { tip: { account: tipAccount, lamports: 1n } }),
    },
    tipAccount ? [tipAccount] : [],
  );

/** Composes an attempt. Undefined if it is impossible, for example because the lamports do not fit into 64 bits. */
export async function attemptMessage(
  ...asked: Parameters<typeof composeTrial>
): Promise<Uint8Array | undefined> {
  const composed = await composeTrial(...asked);
  return "message" in composed ? composed.message : undefined;
}

/**
 * Index of an attempt's first instruction after those for the marker and the wrapped-coin account. Earlier instructions
 * fail only if the wallet lacks coins. A trade on a curve has no such account, so it begins earlier.
 */
const tradeAt = { curve: 4, others: 7 };

/** The System program's error code if an account has fewer lamports than it has to pay. */
const lacksLamports = 1;

/** A simulated attempt, and the exchange that it trades on. */
type TriedRoute = { simulation: Simulation | undefined; venue: SolRoute["venue"] };

/**
 * Determines why attempts by different routes failed: because of the wallet's coins or because of their trade.
 * Undefined for those that did not fail, or whose cause is unknown. If the wallet can pay for one route, only the trade
 * of another can cost too much.
 */
export function obstaclesIn(tried: readonly TriedRoute[]): ("coins" | "trade" | undefined)[] {
  const isPaid = tried.some(({ simulation }) => simulation?.isDone);
  return tried.map((each) => {
    const obstacle = obstacleIn(each);
    return obstacle === "coins" && isPaid ? "trade" : obstacle;
  });
}

function obstacleIn({ simulation, venue }: TriedRoute): "coins" | "trade" | undefined {
  if (simulation?.isUnfunded) return "coins";
  if (simulation?.failedAt === undefined) return undefined;
  if (simulation.failedAt < (venue === "pump" ? tradeAt.curve : tradeAt.others)) return "coins";
  // Pump's programs pay rents and, on a curve, the amount from the wallet's lamports themselves.
  const isPump = venue === "pump" || venue === "pumpswap";
  return isPump && simulation.code === lacksLamports ? "coins" : "trade";
}

/** Index of the purchase in a trial purchase and sale. The sale follows it. */
const purchaseAt = 5;

/**
 * Makes a message that buys a token and sells half of it again. Selling only half allows for a price change before the
 * simulation.
 */
export async function roundTripMessage(
  { wallet, mint, tokenProgram, blockhash, rents }: Trial,
  { pool, amountIn, bought }: { pool: Pick<PoolView, "routeFor">; amountIn: Lamports; bought: TokenUnits },
): Promise<Uint8Array> {
  const id = newOrderId();
  const wsol = { account: await wsolAccountOf(wallet, id), mint: wsolMint, tokenProgram: programs.token };
  const token = { account: await tokenAccountOf(wallet, mint, tokenProgram), mint, tokenProgram };
  const [buying, selling] = await Promise.all([
    pool.routeFor("buy", amountIn),
    pool.routeFor("sell", bought),
  ]);
  const own = { wallet, mint, tokenProgram, minAmountOut: 1n };
  const purchase = { ...own, side: "buy", amountIn } as const;
  const sale = { ...own, side: "sell", amountIn: greatest(bought / 2n, 1n) } as const;
  return compiledMessage(wallet, blockhash, [
    setComputeUnitLimit(mostComputeUnits),
    transferLamports(wallet, wsol.account, rents.wsol + amountIn),
    allocateTokenAccount(wallet, wsol.account, wsolSeedOf(id)),
    initializeTokenAccount(wsol.account, wsolMint, wallet),
    createAssociatedAccount(wallet, token.account, mint, tokenProgram),
    await poolSwap(purchase, venueOfPool(buying), { source: wsol, destination: token }),
    await poolSwap(sale, venueOfPool(selling), { source: token, destination: wsol }),
    closeToWallet(wsol.account, wallet),
  ]);
}

/**
 * Determines from a simulated purchase and sale whether a token can be sold. Null if the simulation failed because of
 * the payer rather than the token.
 */
export function isSoldIn(simulation: Simulation | undefined): boolean | null {
  if (simulation === undefined) return null;
  if (simulation.isDone) return true;
  return simulation.failedAt !== undefined && simulation.failedAt >= purchaseAt ? false : null;
}
