import { type Address, address } from "@solana/web3.js";
import type { Lamports, TokenUnits } from "../../../core/units.ts";
import type { Order } from "../../../orders/execution.ts";
import { priceImpact } from "../../../orders/price-impact.ts";
import type { TokenClaims } from "../../../orders/token-identity.ts";
import { type RpcCall, thenRead } from "../../hosts/rpc-call.ts";
import { programs, tokenAccountOf, wsolMint } from "./addresses.ts";
import { ByteReader } from "./byte-reader.ts";
import { cpmmObservationOf, cpmmPoolOf, cpmmProgram, cpmmVaultOf } from "./cpmm-addresses.ts";
import {
  amountOut,
  type CPMMPool,
  type CPMMTrade,
  type FeeRates,
  millionths,
  type PoolSide,
  readFeeRates,
  readPool,
} from "./cpmm-pool.ts";
import { type Mint, readMint, withheldFrom } from "./mint.ts";
import { type Account, type Accounts, accountsCall, type ReadAt } from "./rpc-call.ts";
import { hindranceOf, ownUnits, readTokenAccount, sellableUnits } from "./token-account.ts";
import { claimsOfMint, metadataOf, readMetadata } from "./token-claims.ts";

const clock = address("SysvarC1ock11111111111111111111111111111111");

/** A pool that trades a token for wrapped coin, as seen at one slot. */
export type PoolView = {
  address: Address;
  /** True if it is the only pool of its configuration that is found without its address. */
  isUsual: boolean;
  pool: CPMMPool;
  rates: FeeRates;
  /** The tokens in the vaults, in the order of the pool's sides. */
  held: readonly [bigint, bigint];
};

/** All data about a token, from one slot. */
export type TokenView = {
  slot: number;
  /** The epoch, which determines transfer fees. */
  epoch: bigint;
  /** Time in seconds since 1970. */
  time: bigint;
  mint: Mint;
  claims: TokenClaims;
  pools: readonly PoolView[];
  /** Those of the fee configurations that were looked for which exist. */
  configs: readonly Address[];
  /** Absent if no wallet is given. */
  holding?: WalletHolding;
};

/** A wallet's balances of the coin and a token. */
export type WalletHolding = {
  lamports: Lamports;
  /** The tokens that the wallet can sell from its associated account. */
  units: TokenUnits;
  /** The tokens in that associated account, including frozen tokens. */
  owned: TokenUnits;
  /** True if the wallet's associated account exists. A purchase then does not pay its rent. */
  hasAccount: boolean;
  /** For each side, the reason why the wallet's associated account cannot trade. */
  hindrances: Readonly<Record<Order["side"], string | undefined>>;
};

type PoolPlaces = {
  pool: Address;
  /** The configurations that the pool may have: its own, or any for a pool that somebody has named. */
  configs: readonly Address[];
  isUsual: boolean;
  /** Vaults of the coin and the token. */
  vaults: readonly [Address, Address];
  observation: Address;
};

/** Accounts to read for a mint: the mint, its metadata, and its pools with the coin. */
export type MintPlaces = { mint: Address; metadata: Address; pools: readonly PoolPlaces[] };

/**
 * Derives the addresses of the accounts that are read for a mint.
 *
 * @param configs The fee configurations whose standard pools are read. Each has one standard pool of the token with the
 * coin.
 * @param named Addresses of further pools with these configurations.
 */
export async function placesOfMint(
  mint: Address,
  configs: readonly Address[],
  named: readonly string[] = [],
): Promise<MintPlaces> {
  const usual = await Promise.all(
    configs.map(async (config) => ({ pool: await cpmmPoolOf(config, wsolMint, mint), configs: [config] })),
  );
  const others = named.filter((address) => usual.every(({ pool }) => pool !== address));
  const pools = [
    ...usual.map((each) => ({ ...each, isUsual: true })),
    ...others.map((pool) => ({ pool: pool as Address, configs, isUsual: false })),
  ];
  return {
    mint,
    metadata: await metadataOf(mint),
    pools: await Promise.all(pools.map((each) => placesOf(mint, each))),
  };
}

/** Lists the accounts that must be read for several mints, each account once. */
export const accountsOfMints = (mints: readonly MintPlaces[]): Address[] => [
  ...new Set([
    clock,
    ...mints.flatMap(({ mint, metadata, pools }) => [
      mint,
      metadata,
      ...pools.flatMap(({ configs, pool, vaults }) => [...configs, pool, ...vaults]),
    ]),
  ]),
];

/**
 * Makes one call for several tokens, because only the accounts of a single call are read at the same slot. The value
 * for an address that is not a mint is undefined.
 *
 * @throws RangeError for more than {@link accountsOfMints} allows in a call
 */
export function tokenViewsCall(mints: readonly MintPlaces[], at: ReadAt): RpcCall<(TokenView | undefined)[]> {
  const asked = accountsOfMints(mints);
  return thenRead(accountsCall(asked, at), (found) => {
    const accountAt = inOrderOf(asked, found);
    return mints.map((places) => viewOf(places, found.slot, accountAt));
  });
}

/**
 * Makes the single call that reads everything about a token. Its value is undefined if the address is not a mint.
 *
 * @param configs The fee configurations whose standard pools are read. Each has one standard pool of the token with the
 * coin.
 * @param wallet Its balances are read, too.
 * @param named Addresses of further pools with these configurations.
 */
export async function tokenViewCall(
  mint: Address,
  configs: readonly Address[],
  at: ReadAt,
  wallet?: Address,
  named: readonly string[] = [],
): Promise<RpcCall<TokenView | undefined>> {
  const places = await placesOfMint(mint, configs, named);
  // Reads the wallet's associated account for both token programs, because the mint's program is not known yet.
  const owned = wallet === undefined ? [] : [wallet, ...(await usualAccounts(wallet, mint))];
  const asked = [...new Set([...accountsOfMints([places]), ...owned])];
  return thenRead(accountsCall(asked, at), (found) => {
    const accountAt = inOrderOf(asked, found);
    const view = viewOf(places, found.slot, accountAt);
    return view && wallet ? { ...view, holding: holdingOf(wallet, mint, view, owned.map(accountAt)) } : view;
  });
}

type AccountAt = (address: Address) => Account | undefined;

const inOrderOf =
  (asked: readonly Address[], { accounts }: Accounts): AccountAt =>
  (address) =>
    accounts[asked.indexOf(address)];

const tokenPrograms = [programs.token, programs.token2022];

const usualAccounts = (wallet: Address, mint: Address): Promise<Address[]> =>
  Promise.all(tokenPrograms.map((program) => tokenAccountOf(wallet, mint, program)));

function holdingOf(
  wallet: Address,
  mint: Address,
  { mint: { program } }: TokenView,
  [own, ...usual]: readonly (Account | undefined)[],
): WalletHolding {
  const account = usual[program === programs.token ? 0 : 1];
  const held = account && readTokenAccount(account);
  return {
    lamports: own?.lamports ?? 0n,
    units: sellableUnits(held, wallet, mint),
    owned: ownUnits(held, wallet, mint),
    hasAccount: held !== undefined,
    hindrances: { buy: hindranceOf(held, wallet, "buy"), sell: hindranceOf(held, wallet, "sell") },
  };
}

async function placesOf(
  mint: Address,
  place: Pick<PoolPlaces, "pool" | "configs" | "isUsual">,
): Promise<PoolPlaces> {
  const { pool } = place;
  return {
    ...place,
    vaults: [await cpmmVaultOf(pool, wsolMint), await cpmmVaultOf(pool, mint)],
    observation: await cpmmObservationOf(pool),
  };
}

function viewOf(places: MintPlaces, slot: number, accountAt: AccountAt): TokenView | undefined {
  const { mint, metadata, pools } = places;
  const [time, mintAccount] = [accountAt(clock), accountAt(mint)];
  const found = mintAccount && readMint(mintAccount);
  if (time === undefined) throw new Error("The host shows no clock");
  if (found === undefined) return undefined;
  const reader = new ByteReader(time.data);
  const configs = [...new Set(pools.flatMap((each) => each.configs))];
  return {
    slot,
    epoch: reader.skip(16).u64(),
    time: reader.skip(8).u64(),
    mint: found,
    claims: claimsOfMint(found, readMetadata(accountAt(metadata), mint)),
    pools: pools.flatMap((place) => poolViewOf(place, { mint, program: found.program }, accountAt) ?? []),
    configs: configs.filter((config) => ratesAt(config, accountAt) !== undefined),
  };
}

function ratesAt(config: Address, accountAt: AccountAt): FeeRates | undefined {
  const account = accountAt(config);
  return account && readFeeRates(account.data);
}

/**
 * Reads a pool. Anybody can name an account, so it must belong to Raydium's program and have one of the configurations,
 * the token and the coin as its sides, and the vaults and the observation that the swap will name.
 */
function poolViewOf(
  { configs, pool: address, isUsual, vaults, observation }: PoolPlaces,
  token: { mint: Address; program: string },
  accountAt: AccountAt,
): PoolView | undefined {
  const account = accountAt(address);
  const pool = account?.owner === cpmmProgram ? readPool(account.data) : undefined;
  const config = configs.find((each) => each === pool?.config);
  const rates = config && ratesAt(config, accountAt);
  const [coins, tokens] = vaults.map((vault) => {
    const account = accountAt(vault);
    return account && readTokenAccount(account)?.amount;
  });
  if (pool === undefined || rates === undefined || coins === undefined || tokens === undefined)
    return undefined;
  const isCoinFirst = isFirst(pool, wsolMint);
  const [ofCoin, ofToken] = isCoinFirst ? pool.sides : ([pool.sides[1], pool.sides[0]] as const);
  const isExpected = (side: PoolSide, mint: string, program: string, vault: string) =>
    side.mint === mint && side.program === program && side.vault === vault;
  if (
    !isExpected(ofCoin, wsolMint, programs.token, vaults[0]) ||
    !isExpected(ofToken, token.mint, token.program, vaults[1]) ||
    pool.observation !== observation
  )
    return undefined;
  return { address, isUsual, pool, rates, held: isCoinFirst ? [coins, tokens] : [tokens, coins] };
}

const noFee = { transferFees: [] };

/** A pool's payment, and the percentage by which its price is worse than the pool's price before the swap. */
export type Payment = { pool: PoolView; amountOut: bigint; priceImpact: number };

/** Computes each pool's payment, best first. Omits pools that pay nothing or are not open yet. */
export function paymentsOf(
  { epoch, time, mint, pools }: TokenView,
  side: Order["side"],
  amountIn: bigint,
): Payment[] {
  return pools
    .filter(({ pool }) => pool.openTime <= time)
    .map((view): Payment => {
      const { pool, held, rates } = view;
      const isCoinFirst = isFirst(pool, wsolMint);
      const mints = isCoinFirst ? ([noFee, mint] as const) : ([mint, noFee] as const);
      const from = isCoinFirst === (side === "buy") ? 0 : 1;
      const trade = { from, held, mints, rates, epoch } as const;
      const arrived = side === "buy" ? amountIn : amountIn - withheldFrom(amountIn, mint, epoch);
      return {
        pool: view,
        amountOut: amountOut(pool, amountIn, trade),
        priceImpact: impactOf(pool, arrived, trade),
      };
    })
    .filter((payment) => payment.amountOut > 0n)
    .toSorted((a, b) => (a.amountOut < b.amountOut ? 1 : -1));
}

const isFirst = ({ sides }: CPMMPool, mint: string): boolean => sides[0].mint === mint;

/**
 * Compares the price of a payment with the pool's price before the swap. Both include the pool's fees but not the
 * token's.
 */
function impactOf(pool: CPMMPool, arrived: bigint, trade: CPMMTrade): number {
  const { from, held, rates } = trade;
  const to = from === 0 ? 1 : 0;
  const [reserveIn, reserveOut] = [held[from] - pool.sides[from].owed, held[to] - pool.sides[to].owed];
  const left = millionths - feeRateOf({ pool, rates });
  const price = { in: reserveIn * millionths, out: reserveOut * left };
  const paid = amountOut(pool, arrived, { ...trade, mints: [noFee, noFee] });
  return priceImpact(price, { amountIn: arrived, amountOut: paid, fees: [] });
}

/** Returns the sum of a pool's fees, in millionths. */
export const feeRateOf = ({ pool, rates }: Pick<PoolView, "pool" | "rates">): bigint =>
  rates.trade + (pool.creatorFeeOn === undefined ? 0n : rates.creator);

/** Computes a pool's reserves: how much of its vaults belongs to the pool itself. */
export function reservesIn({ pool, held }: PoolView): { coins: Lamports; tokens: TokenUnits } {
  const [first, second] = [held[0] - pool.sides[0].owed, held[1] - pool.sides[1].owed];
  return isFirst(pool, wsolMint) ? { coins: first, tokens: second } : { coins: second, tokens: first };
}

/** Computes how many coins belong to the pool itself. */
export const liquidityOf = (view: PoolView): Lamports => reservesIn(view).coins;

/** True if the pool is open for swaps at the time when it was read. */
export const hasOpened = ({ pool }: PoolView, { time }: Pick<TokenView, "time">): boolean =>
  pool.allowsSwaps && pool.openTime <= time;
