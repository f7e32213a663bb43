import { type CPMMPool, readPool } from "../../chains/sol/calls/cpmm-pool.ts";
import type { Balance } from "../../chains/sol/calls/past-calls.ts";
import type { PoolView } from "../../chains/sol/calls/pool-view.ts";
import { readCurve } from "../../chains/sol/calls/pump-curve.ts";
import { readPumpPool } from "../../chains/sol/calls/pump-pool.ts";
import type { Account } from "../../chains/sol/calls/rpc-call.ts";
import { readTokenAccount } from "../../chains/sol/calls/token-account.ts";
import type { TokenView } from "../../chains/sol/calls/token-view.ts";
import type { DirectRoute } from "../../chains/sol/rules/intent.ts";
import type { PoolAmounts } from "./rules/witnesses.ts";

/** A pool of a venue, with the accounts that show its amounts. */
export type VenuePool = {
  venue: SampledVenue;
  pool: string;
  feeBps: number;
  accounts: readonly string[];
  amounts: PoolAmounts;
};

export type AccountAt = (address: string) => Account | undefined;

/** A venue whose pools can price a token. A further venue is a further row. */
type Venue = {
  /** Reads a pool's amounts. Undefined if it does not trade. */
  amountsIn: (accounts: readonly string[], accountAt: AccountAt) => PoolAmounts | undefined;
  /**
   * Computes the amounts of a pool from past balances. Undefined if they leave out one of its accounts.
   *
   * @param accountAt Present accounts, whose contents balances do not show. If absent, only differences are right.
   */
  pastAmounts: (
    accounts: readonly string[],
    balanceAt: (account: string) => Balance | undefined,
    accountAt?: AccountAt,
  ) => PoolAmounts | undefined;
};

const cpmm: Venue = {
  amountsIn([pool = "", coinVault = "", tokenVault = ""], accountAt) {
    const read = readPool(accountAt(pool)?.data ?? new Uint8Array());
    const [coins, tokens] = unitsIn([coinVault, tokenVault], accountAt);
    if (!read?.allowsSwaps || coins === undefined || tokens === undefined) return undefined;
    return withoutOwed(read, { coinVault, tokenVault, coins, tokens });
  },
  // Past debts to owners of fees are unknown. They are small, so the present ones stand for them.
  pastAmounts([pool = "", coinVault = "", tokenVault = ""], balanceAt, accountAt) {
    const [coins, tokens] = [coinVault, tokenVault].map((vault) => balanceAt(vault)?.units);
    if (coins === undefined || tokens === undefined) return undefined;
    const read = readPool(accountAt?.(pool)?.data ?? new Uint8Array());
    return withoutOwed(read, { coinVault, tokenVault, coins, tokens });
  },
};

type Vaults = { coinVault: string; tokenVault: string; coins: bigint; tokens: bigint };

/** Leaves out the fees that a pool owes to others. */
function withoutOwed(
  pool: CPMMPool | undefined,
  { coinVault, tokenVault, coins, tokens }: Vaults,
): PoolAmounts {
  const owedBy = (vault: string) => pool?.sides.find((side) => side.vault === vault)?.owed ?? 0n;
  return { coins: coins - owedBy(coinVault), tokens: tokens - owedBy(tokenVault), held: coins };
}

/** Pump's bonding curves. None of their accounts shows past amounts of the token: these follow from the product. */
const curve: Venue = {
  amountsIn([address = ""], accountAt) {
    const read = readCurve(accountAt(address)?.data ?? new Uint8Array());
    return read && !read.isComplete && read.isForCoin
      ? { ...read.virtual, held: read.real.coins }
      : undefined;
  },
  pastAmounts([address = ""], balanceAt, accountAt) {
    const [lamports, present] = [balanceAt(address)?.lamports, accountAt?.(address)];
    if (lamports === undefined) return undefined;
    const virtual = present && readCurve(present.data)?.virtual;
    const [coins, product] =
      present === undefined || virtual === undefined
        ? [lamports, anyProduct]
        : [virtual.coins + lamports - present.lamports, virtual.coins * virtual.tokens];
    return coins > 0n ? { coins, tokens: product / coins, held: lamports } : undefined;
  },
};

/** Stands for the unknown product of a curve's amounts where only differences count. */
const anyProduct = 10n ** 36n;

/** PumpSwap's pools, to which tokens move from their curves. */
const pumpPool: Venue = {
  amountsIn([address = "", coinVault = "", tokenVault = ""], accountAt) {
    const pool = readPumpPool(accountAt(address)?.data ?? new Uint8Array());
    const [coins, tokens] = unitsIn([coinVault, tokenVault], accountAt);
    if (pool === undefined || coins === undefined || tokens === undefined) return undefined;
    return { coins: coins + pool.virtualCoins, tokens, held: coins };
  },
  pastAmounts([address = "", coinVault = "", tokenVault = ""], balanceAt, accountAt) {
    const [coins, tokens] = [coinVault, tokenVault].map((vault) => balanceAt(vault)?.units);
    if (coins === undefined || tokens === undefined) return undefined;
    const pool = readPumpPool(accountAt?.(address)?.data ?? new Uint8Array());
    return { coins: coins + (pool?.virtualCoins ?? 0n), tokens, held: coins };
  },
};

const unitsIn = (vaults: readonly string[], accountAt: AccountAt) =>
  vaults.map((vault) => {
    const account = accountAt(vault);
    return account && readTokenAccount(account)?.amount;
  });

const venuePool = ({ address, route, feeRate, written, reserves, held }: PoolView): VenuePool => ({
  venue: route.venue,
  pool: address,
  feeBps: Number(feeRate) / 100,
  accounts: written,
  amounts: { ...reserves, held },
});

export type SampledVenue = DirectRoute["venue"];

export const sampledVenues: { readonly [Name in SampledVenue]: Venue } = {
  "raydium-cpmm": cpmm,
  pump: curve,
  pumpswap: pumpPool,
};

/** Lists the pools of a token that trade now, with their venues. */
export const sampledPoolsIn = ({ pools }: Pick<TokenView, "pools">): VenuePool[] =>
  pools.filter(({ isOpen }) => isOpen).map(venuePool);
