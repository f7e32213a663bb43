import { type Address, address } from "@solana/web3.js";
import type { Lamports, TokenUnits } from "../../../core/units.ts";
import type { Order } from "../../../orders/execution.ts";
import type { TokenClaims } from "../../../orders/token-identity.ts";
import { type RpcCall, thenRead } from "../../hosts/rpc-call.ts";
import { programs, tokenAccountOf } from "./addresses.ts";
import { ByteReader } from "./byte-reader.ts";
import { readFeeRates } from "./cpmm-pool.ts";
import { cpmmPlaces } from "./cpmm-view.ts";
import { type Mint, readMint } from "./mint.ts";
import type { AskedPools, PoolKind, PoolPayment, PoolPlaces, PoolView, SeenToken } from "./pool-view.ts";
import { pumpPlaces } from "./pump-view.ts";
import { type Account, type Accounts, accountsCall, mostAccounts, type ReadAt } from "./rpc-call.ts";
import { hindranceOf, ownUnits, readTokenAccount, sellableUnits } from "./token-account.ts";
import { claimsOfMint, metadataOf, readMetadata } from "./token-claims.ts";

/** Account of the chain's clock, which has the time of its block. */
export const clock = address("SysvarC1ock11111111111111111111111111111111");

/** Reads the epoch and the time in seconds from the clock's account. */
export function readClock({ data }: Account): { epoch: bigint; time: bigint } {
  const reader = new ByteReader(data);
  return { epoch: reader.skip(16).u64(), time: reader.skip(8).u64() };
}

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
  /** The fee configurations that exist, among those that were looked for. */
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
  /** Reasons why the wallet's associated account of each side cannot trade. */
  hindrances: Readonly<Record<Order["side"], string | undefined>>;
};

/** The exchanges whose pools are looked for. */
const kinds: readonly PoolKind[] = [cpmmPlaces, pumpPlaces];

/** Accounts to read for a mint: the mint, its metadata, and its pools with the coin. */
export type MintPlaces = { mint: Address; metadata: Address; pools: readonly PoolPlaces[] };

/** Derives the addresses of the accounts that are read for a mint. */
export const placesOfMint = async (mint: Address, asked: AskedPools): Promise<MintPlaces> => ({
  mint,
  metadata: await metadataOf(mint),
  pools: (await Promise.all(kinds.map((placesOf) => placesOf(mint, asked)))).flat(),
});

/** Lists the accounts that must be read for several mints, each account once. */
const accountsOfMints = (mints: readonly MintPlaces[]): Address[] => [
  ...new Set([
    clock,
    ...mints.flatMap(({ mint, metadata, pools }) => [
      mint,
      metadata,
      ...pools.flatMap(({ accounts }) => accounts),
    ]),
  ]),
];

/** Splits mints into groups, so that each call has as many accounts as allowed. */
export function mintsInCalls(mints: readonly MintPlaces[]): MintPlaces[][] {
  const calls: MintPlaces[][] = [];
  for (const mint of mints) {
    const last = calls.at(-1);
    if (last && accountsOfMints([...last, mint]).length <= mostAccounts) last.push(mint);
    else calls.push([mint]);
  }
  return calls;
}

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
 * @param wallet Its balances are read, too.
 */
export async function tokenViewCall(
  mint: Address,
  pools: AskedPools,
  at: ReadAt,
  wallet?: Address,
): Promise<RpcCall<TokenView | undefined>> {
  const places = await placesOfMint(mint, pools);
  // Reads the wallet's associated account for both token programs, because the mint's program is not known yet.
  const owned = wallet === undefined ? [] : [wallet, ...(await usualAccounts(wallet, mint))];
  const asked = [...new Set([...accountsOfMints([places]), ...owned])];
  return thenRead(accountsCall(asked, at), (found) => {
    const accountAt = inOrderOf(asked, found);
    const view = viewOf(places, found.slot, accountAt);
    return view && wallet ? { ...view, holding: holdingOf(wallet, mint, view, owned.map(accountAt)) } : view;
  });
}

type AccountAt = SeenToken["accountAt"];

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

function viewOf(places: MintPlaces, slot: number, accountAt: AccountAt): TokenView | undefined {
  const { mint, metadata, pools } = places;
  const [time, mintAccount] = [accountAt(clock), accountAt(mint)];
  const found = mintAccount && readMint(mintAccount);
  if (time === undefined) throw new Error("The host shows no clock");
  if (found === undefined) return undefined;
  const configs = [...new Set(pools.flatMap((each) => each.configs ?? []))];
  const seen = { ...readClock(time), mint: found };
  return {
    slot,
    ...seen,
    claims: claimsOfMint(found, readMetadata(accountAt(metadata), mint)),
    pools: pools.flatMap((places) => places.viewIn({ ...seen, address: mint, accountAt }) ?? []),
    configs: configs.filter((config) => isFeeConfig(accountAt(config))),
  };
}

const isFeeConfig = (account: Account | undefined): boolean =>
  account !== undefined && readFeeRates(account.data) !== undefined;

/** Amount that a pool pays for a trade. */
export type Payment = PoolPayment & { pool: PoolView };

/** Computes each pool's payment, best first. Omits pools that pay nothing or are not open yet. */
export const paymentsOf = (
  { pools }: Pick<TokenView, "pools">,
  side: Order["side"],
  amountIn: bigint,
): Payment[] =>
  pools
    .filter(({ isOpen }) => isOpen)
    .map((pool): Payment => ({ pool, ...pool.pay(side, amountIn) }))
    .filter(({ amountOut }) => amountOut > 0n)
    .toSorted((a, b) => (a.amountOut < b.amountOut ? 1 : -1));
