import type { Address } from "@solana/web3.js";
import type { Order } from "../../../orders/execution.ts";
import { programs, tokenAccountOf, wsolAccountOf, wsolMint } from "../calls/addresses.ts";
import { jupiterProgram, withLeastOut } from "./jupiter.ts";
import type { BuildQuestion, BuiltSwap } from "./jupiter-client.ts";
import type { JupiterVenue, VenueAccount } from "./message-terms.ts";

/** The terms that determine an order's swap by Jupiter. */
export type SwapByJupiter = {
  wallet: Address;
  orderId: string;
  side: Order["side"];
  mint: Address;
  tokenProgram: Address;
  /** The decimals of the mint. */
  decimals: number;
  amountIn: bigint;
};

type Side = { account: Address; mint: Address; tokenProgram: Address };

/** Returns the accounts that a swap takes from and pays into. Both belong to the wallet. */
async function sidesOf(swap: SwapByJupiter): Promise<{ source: Side; destination: Side }> {
  const { wallet, orderId, side, mint, tokenProgram } = swap;
  const wsol = { mint: wsolMint, tokenProgram: programs.token };
  const [coin, token] = [
    { ...wsol, account: await wsolAccountOf(wallet, orderId) },
    { mint, tokenProgram, account: await tokenAccountOf(wallet, mint, tokenProgram) },
  ];
  return side === "buy" ? { source: coin, destination: token } : { source: token, destination: coin };
}

/** Asks Jupiter for a swap of a helper key. The question names no account of the wallet. */
export async function buildQuestion(swap: SwapByJupiter, helper: Address): Promise<BuildQuestion> {
  const { source, destination } = await sidesOf(swap);
  return {
    inputMint: source.mint,
    outputMint: destination.mint,
    amountIn: swap.amountIn,
    helper,
  };
}

/**
 * Turns Jupiter's instruction into the swap part of an order's message. Jupiter treats the helper key as the owner of
 * the spent and of the received tokens, so the helper's token accounts are replaced by the wallet's wherever the route
 * names them. The order's own accounts and mints, and all programs, stay out of lookup tables, so that the signer can
 * see them.
 */
export async function jupiterVenue(
  swap: SwapByJupiter,
  helper: Address,
  { accounts, data, tables }: BuiltSwap,
): Promise<JupiterVenue> {
  const { source, destination } = await sidesOf(swap);
  const own = [source, destination].flatMap(({ account, mint }) => [account, mint]);
  const shown = new Set([helper, ...own, jupiterProgram, ...Object.values(programs)]);
  const ofWallet = new Map(
    await Promise.all(
      [source, destination].map(
        async ({ account, mint, tokenProgram }) =>
          [await tokenAccountOf(helper, mint, tokenProgram), account] as const,
      ),
    ),
  );
  const placed = (address: Address, isWritable: boolean): VenueAccount => {
    if (!shown.has(address))
      for (const [table, addresses] of tables) {
        const index = addresses.indexOf(address);
        if (index >= 0) return { table, index, isWritable };
      }
    return { address, isWritable };
  };
  return {
    kind: "jupiter",
    helper,
    sourceDecimals: swap.side === "buy" ? 9 : swap.decimals,
    accounts: accounts.map(({ address, isWritable }) => placed(ofWallet.get(address) ?? address, isWritable)),
    data,
  };
}

/** Returns the swap part with this minimum output, which Jupiter's program enforces. */
export const enforcing = (venue: JupiterVenue, leastOut: bigint): JupiterVenue => ({
  ...venue,
  data: withLeastOut(venue.data, leastOut),
});
