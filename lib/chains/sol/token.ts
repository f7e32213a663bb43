import type { Address } from "@solana/web3.js";
import { greatest } from "../../orders/bigints.ts";
import { identify, tokenNotFound } from "../../orders/requests.ts";
import type { InspectedToken } from "../../orders/token-family.ts";
import type { TokenIdentity } from "../../orders/token-identity.ts";
import { flagsOf } from "../../orders/token-safety.ts";
import { askTogether } from "../hosts/ask-together.ts";
import { flagsOfMint, safetyOfMint } from "./calls/mint-safety.ts";
import { final } from "./calls/rpc-call.ts";
import { tokenViewCall } from "./calls/token-view.ts";
import { isSoldIn } from "./messages/trial-messages.ts";
import { feeBpsOfPool, lamportsOfCoin, lookAtToken, roundTripCalls } from "./quotes/look-at-token.ts";
import type { SolRoute } from "./rules/intent.ts";
import { solText } from "./rules/trade-fees.ts";
import type { SolReader } from "./venues/reader.ts";

const mostPools = 10;

/** Reads a mint and its name. */
export async function identifySolToken(reader: SolReader, token: string): Promise<TokenIdentity> {
  const call = await tokenViewCall(token as Address, {}, final);
  const [view] = await reader.client.read([call]);
  if (view === undefined) throw tokenNotFound(reader.chain);
  return identify(reader, token, view.claims);
}

/**
 * Describes a token: the powers that authorities have over its mint, its fullest pools, and a simulated trade in the
 * best pool.
 */
export async function inspectSolToken(
  reader: SolReader,
  token: string,
  now: Date,
): Promise<InspectedToken<SolRoute["venue"]>> {
  const { chain, configuration, client } = reader;
  const { view, ...first } = await lookAtToken(client.read, configuration, token as Address);
  if (view === undefined) throw tokenNotFound(chain);
  const identity = identify(reader, token, view.claims);
  const { mint, epoch, slot } = view;
  const isWrapped = token === configuration.wrapped.token;
  const trial = { mint: token as Address, tokenProgram: mint.program as Address, ...first };
  const calls = await roundTripCalls(configuration, view, trial);
  const { trips } = await askTogether(client.read, { trips: calls });
  const safety = safetyOfMint(mint, epoch, isSoldIn(trips[0]));
  const { sellable, buyTax, sellTax } = safety;
  const pools = view.pools
    .map((pool) => ({ pool, coins: pool.coins }))
    .toSorted((a, b) => (a.coins > b.coins ? -1 : a.coins < b.coins ? 1 : 0));
  const liquidity = greatest(0n, ...pools.map(({ coins }) => coins));
  const { isListed, symbol, name, decimals } = identity;
  return {
    chain,
    token,
    symbol,
    name,
    decimals,
    ...(isWrapped && { wrapped: true as const }),
    listed: isListed,
    sellable,
    buyTax,
    sellTax,
    // Raises no flags for the wrapped coin, because it does not need pools.
    flags: isWrapped ? [] : flagsOf(identity, safety, { liquidity, coin: lamportsOfCoin }, flagsOfMint(mint)),
    pools: pools.slice(0, mostPools).map(({ pool, coins }) => ({
      venue: pool.route.venue,
      pool: pool.address,
      feeBps: feeBpsOfPool(pool),
      liquidity: solText(coins),
    })),
    block: slot,
    asOf: now.toISOString(),
  };
}
