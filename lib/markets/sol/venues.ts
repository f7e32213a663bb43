import type { PoolVenue } from "../../chains/families/venue.ts";
import { type CPMMPool, readPool } from "../../chains/sol/calls/cpmm-pool.ts";
import type { Balance } from "../../chains/sol/calls/past-calls.ts";
import type { PoolView } from "../../chains/sol/calls/pool-view.ts";
import type { Account } from "../../chains/sol/calls/rpc-call.ts";
import { readTokenAccount } from "../../chains/sol/calls/token-account.ts";
import type { TokenView } from "../../chains/sol/calls/token-view.ts";
import type { PoolAmounts } from "./rules/witnesses.ts";

/** A pool of a venue, with the accounts that show its amounts. */
export type VenuePool = { pool: string; feeBps: number; accounts: readonly string[]; amounts: PoolAmounts };

export type AccountAt = (address: string) => Account | undefined;

/** A venue whose pools can price a token. A further venue is a further row. */
type Venue = {
  /** Lists the pools that trade now. */
  poolsIn: (view: TokenView) => VenuePool[];
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
  poolsIn: (view) =>
    view.pools.filter(({ isOpen, route }) => isOpen && route.venue === "raydium-cpmm").map(venuePool),
  amountsIn([pool = "", coinVault = "", tokenVault = ""], accountAt) {
    const read = readPool(accountAt(pool)?.data ?? new Uint8Array());
    const [coins, tokens] = [coinVault, tokenVault].map((vault) => {
      const account = accountAt(vault);
      return account && readTokenAccount(account)?.amount;
    });
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

const venuePool = ({ address, feeRate, written, reserves, held }: PoolView): VenuePool => ({
  pool: address,
  feeBps: Number(feeRate) / 100,
  accounts: written,
  amounts: { ...reserves, held },
});

export const sampledVenues = { "raydium-cpmm": cpmm } as const satisfies Record<string, Venue>;

export type SampledVenue = Extract<PoolVenue, keyof typeof sampledVenues>;
