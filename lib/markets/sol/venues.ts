import type { PoolVenue } from "../../chains/families/venue.ts";
import { wsolMint } from "../../chains/sol/calls/addresses.ts";
import { readPool } from "../../chains/sol/calls/cpmm-pool.ts";
import type { Account } from "../../chains/sol/calls/rpc-call.ts";
import { readTokenAccount } from "../../chains/sol/calls/token-account.ts";
import {
  feeRateOf,
  hasOpened,
  type PoolView,
  reservesIn,
  type TokenView,
} from "../../chains/sol/calls/token-view.ts";
import { cpmmVenue } from "../../chains/sol/rules/intent.ts";
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
};

const cpmm: Venue = {
  poolsIn: (view) => view.pools.filter((pool) => hasOpened(pool, view)).map(cpmmPool),
  amountsIn([pool = "", coinVault = "", tokenVault = ""], accountAt) {
    const read = readPool(accountAt(pool)?.data ?? new Uint8Array());
    const [coins, tokens] = [coinVault, tokenVault].map((vault) => {
      const account = accountAt(vault);
      return account && readTokenAccount(account)?.amount;
    });
    if (!read?.allowsSwaps || coins === undefined || tokens === undefined) return undefined;
    const owedBy = (vault: string) => read.sides.find((side) => side.vault === vault)?.owed ?? 0n;
    return { coins: coins - owedBy(coinVault), tokens: tokens - owedBy(tokenVault), held: coins };
  },
};

function cpmmPool(view: PoolView): VenuePool {
  const { address, pool, held } = view;
  const coin = pool.sides[0].mint === wsolMint ? 0 : 1;
  return {
    pool: address,
    feeBps: Number(feeRateOf(view)) / 100,
    accounts: [address, pool.sides[coin].vault, pool.sides[(1 - coin) as 0 | 1].vault],
    amounts: { ...reservesIn(view), held: held[coin] },
  };
}

export const sampledVenues = { [cpmmVenue]: cpmm } as const satisfies Record<string, Venue>;

export type SampledVenue = Extract<PoolVenue, keyof typeof sampledVenues>;
