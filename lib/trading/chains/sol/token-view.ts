import { type Address, address } from "@solana/web3.js";
import type { Order } from "../../core/execution.ts";
import type { TokenClaims } from "../../core/token-identity.ts";
import type { RpcCall } from "../rpc-call.ts";
import { wsolMint } from "./addresses.ts";
import { ByteReader } from "./byte-reader.ts";
import { cpmmPoolOf, cpmmVaultOf } from "./cpmm-addresses.ts";
import { amountOut, type CPMMPool, type FeeRates, readFeeRates, readPool } from "./cpmm-pool.ts";
import { type Mint, readMint } from "./mint.ts";
import { type Account, type Accounts, accountsCall, type ReadAt } from "./sol-call.ts";
import { readTokenAccount } from "./token-account.ts";
import { claimsOfMint, metadataOf, readMetadata } from "./token-claims.ts";

const clock = address("SysvarC1ock11111111111111111111111111111111");

/** A pool of a token with the wrapped coin, as one slot left it. */
export type PoolView = {
  address: Address;
  pool: CPMMPool;
  rates: FeeRates;
  /** The tokens in the vaults, in the order of the pool's sides. */
  held: readonly [bigint, bigint];
};

/** Everything about a token that one slot shows. */
export type TokenView = {
  slot: number;
  /** The epoch, which decides about transfer fees. */
  epoch: bigint;
  /** In seconds since 1970. */
  time: bigint;
  mint: Mint;
  claims: TokenClaims;
  pools: readonly PoolView[];
};

type PoolPlaces = { config: Address; pool: Address; vaults: readonly [Address, Address] };

/**
 * Makes the only call that a look at a token needs: the accounts of a call are all of one slot. The value is undefined
 * if the address is not a mint.
 *
 * @param configs The configurations whose usual pools are looked at. Each has one pool of the token with the coin.
 */
export async function tokenViewCall(
  mint: Address,
  configs: readonly Address[],
  at: ReadAt,
): Promise<RpcCall<TokenView | undefined>> {
  const places = await Promise.all(configs.map((config) => placesOf(mint, config)));
  const pools = places.flatMap(({ config, pool, vaults }) => [config, pool, ...vaults]);
  const { method, params, read } = accountsCall([clock, mint, await metadataOf(mint), ...pools], at);
  return { method, params, read: (result) => viewOf(mint, places, read(result)) };
}

async function placesOf(mint: Address, config: Address): Promise<PoolPlaces> {
  const pool = await cpmmPoolOf(config, wsolMint, mint);
  return { config, pool, vaults: [await cpmmVaultOf(pool, wsolMint), await cpmmVaultOf(pool, mint)] };
}

function viewOf(
  mint: Address,
  places: readonly PoolPlaces[],
  { slot, accounts }: Accounts,
): TokenView | undefined {
  const [time, mintAccount, metadata, ...rest] = accounts;
  const found = mintAccount && readMint(mintAccount);
  if (time === undefined) throw new Error("The host shows no clock");
  if (found === undefined) return undefined;
  const reader = new ByteReader(time.data);
  return {
    slot,
    epoch: reader.skip(16).u64(),
    time: reader.skip(8).u64(),
    mint: found,
    claims: claimsOfMint(found, readMetadata(metadata, mint)),
    pools: places.flatMap((place, index) => poolViewOf(place, rest.slice(4 * index, 4 * index + 4)) ?? []),
  };
}

function poolViewOf(
  { config, pool: address, vaults: [coinVault] }: PoolPlaces,
  [configAccount, poolAccount, ...vaults]: readonly (Account | undefined)[],
): PoolView | undefined {
  const rates = configAccount && readFeeRates(configAccount.data);
  const pool = poolAccount && readPool(poolAccount.data);
  const [coins, tokens] = vaults.map((vault) => vault && readTokenAccount(vault)?.amount);
  if (rates === undefined || pool?.config !== config || coins === undefined || tokens === undefined)
    return undefined;
  const isCoinFirst = pool.sides[0].vault === coinVault;
  return { address, pool, rates, held: isCoinFirst ? [coins, tokens] : [tokens, coins] };
}

const noFee = { transferFees: [] };

/** Computes what each pool pays, the best first. Those that pay nothing, or are not yet open, are left out. */
export function paymentsOf(
  { epoch, time, mint, pools }: TokenView,
  side: Order["side"],
  amountIn: bigint,
): { pool: PoolView; amountOut: bigint }[] {
  return pools
    .filter(({ pool }) => pool.openTime <= time)
    .map((view) => {
      const { pool, held, rates } = view;
      const isCoinFirst = pool.sides[0].mint === wsolMint;
      const mints = isCoinFirst ? ([noFee, mint] as const) : ([mint, noFee] as const);
      const from = isCoinFirst === (side === "buy") ? 0 : 1;
      return { pool: view, amountOut: amountOut(pool, amountIn, { from, held, mints, rates, epoch }) };
    })
    .filter((payment) => payment.amountOut > 0n)
    .toSorted((a, b) => (a.amountOut < b.amountOut ? 1 : -1));
}
