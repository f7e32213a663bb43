import type { Address } from "@solana/web3.js";
import type { Order } from "../../../orders/execution.ts";
import { priceImpact } from "../../../orders/price-impact.ts";
import { programs, wsolMint } from "./addresses.ts";
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
import { withheldFrom } from "./mint.ts";
import type { PoolKind, PoolPlaces, PoolView, SeenToken } from "./pool-view.ts";
import { readTokenAccount } from "./token-account.ts";

/** A Raydium CPMM pool, as its accounts show it. */
export type CpmmState = {
  address: Address;
  /** True if it is the only pool of its configuration that is found without its address. */
  isUsual: boolean;
  pool: CPMMPool;
  rates: FeeRates;
  /** The tokens in the vaults, in the order of the pool's sides. */
  held: readonly [bigint, bigint];
};

/** Finds the standard pools of Raydium CPMM, and pools that somebody has named. */
export const cpmmPlaces: PoolKind = async (mint, { cpmmConfigs = [], named = [] }) => {
  const usual = await Promise.all(
    cpmmConfigs.map(async (config) => ({
      address: await cpmmPoolOf(config, wsolMint, mint),
      configs: [config],
    })),
  );
  const others = named.filter((address) => usual.every((each) => each.address !== address));
  return Promise.all([
    ...usual.map((each) => placesOf(mint, { ...each, isUsual: true })),
    ...others.map((address) =>
      placesOf(mint, { address: address as Address, configs: cpmmConfigs, isUsual: false }),
    ),
  ]);
};

type Place = { address: Address; configs: readonly Address[]; isUsual: boolean };
type Expected = { coinVault: Address; tokenVault: Address; observation: Address };

async function placesOf(mint: Address, place: Place): Promise<PoolPlaces> {
  const { address, configs } = place;
  const [coinVault, tokenVault, observation] = await Promise.all([
    cpmmVaultOf(address, wsolMint),
    cpmmVaultOf(address, mint),
    cpmmObservationOf(address),
  ]);
  return {
    pools: [address],
    configs,
    accounts: [...configs, address, coinVault, tokenVault],
    viewIn(seen) {
      const state = stateIn(seen, place, { coinVault, tokenVault, observation });
      return state && cpmmView(state, seen);
    },
  };
}

/**
 * Reads a pool. Anybody can name an account, so it must belong to Raydium's program and have one of the configurations,
 * the token and the coin as its sides, and the vaults and the observation that the swap will name.
 */
function stateIn(
  { address: mint, mint: { program }, accountAt }: SeenToken,
  { address, configs, isUsual }: Place,
  { coinVault, tokenVault, observation }: Expected,
): CpmmState | undefined {
  const account = accountAt(address);
  const pool = account?.owner === cpmmProgram ? readPool(account.data) : undefined;
  const configAccount = accountAt(configs.find((each) => each === pool?.config) ?? address);
  const rates = configAccount && readFeeRates(configAccount.data);
  const [coins, tokens] = [coinVault, tokenVault].map((vault) => {
    const held = accountAt(vault);
    return held && readTokenAccount(held)?.amount;
  });
  if (pool === undefined || rates === undefined || coins === undefined || tokens === undefined)
    return undefined;
  const isCoinFirst = pool.sides[0].mint === wsolMint;
  const [ofCoin, ofToken] = isCoinFirst ? pool.sides : ([pool.sides[1], pool.sides[0]] as const);
  const isExpected = (side: PoolSide, ...[own, owner, vault]: readonly [string, string, string]) =>
    side.mint === own && side.program === owner && side.vault === vault;
  if (
    !isExpected(ofCoin, wsolMint, programs.token, coinVault) ||
    !isExpected(ofToken, mint, program, tokenVault) ||
    pool.observation !== observation
  )
    return undefined;
  return { address, isUsual, pool, rates, held: isCoinFirst ? [coins, tokens] : [tokens, coins] };
}

/** Describes a pool in the form that all exchanges share. */
export function cpmmView(
  state: CpmmState,
  { mint, epoch, time }: Pick<SeenToken, "mint" | "epoch" | "time">,
): PoolView {
  const { address, isUsual, pool, rates } = state;
  const isCoinFirst = pool.sides[0].mint === wsolMint;
  const mints = isCoinFirst ? ([noFee, mint] as const) : ([mint, noFee] as const);
  const vaults = pool.sides.map(({ vault }) => vault as Address);
  const [first, second] = ownReserves(state);
  const reserves = isCoinFirst ? { coins: first, tokens: second } : { coins: second, tokens: first };
  const feeRate = feeRateOf(state);
  const route = { venue: "raydium-cpmm", pool: address, config: pool.config } as const;
  const tradeOf = (side: Order["side"]): CPMMTrade => {
    const from = isCoinFirst === (side === "buy") ? 0 : 1;
    return { from, held: state.held, mints, rates, epoch };
  };
  return {
    address,
    isUsual,
    feeRate,
    reserves,
    coins: reserves.coins,
    held: state.held[isCoinFirst ? 0 : 1],
    isOpen: pool.allowsSwaps && pool.openTime <= time,
    written: [address, ...(isCoinFirst ? vaults : vaults.toReversed())],
    pay(side, amountIn) {
      const trade = tradeOf(side);
      const arrived = side === "buy" ? amountIn : amountIn - withheldFrom(amountIn, mint, epoch);
      return { amountOut: amountOut(pool, amountIn, trade), priceImpact: impactOf(state, arrived, trade) };
    },
    route,
    routeFor: async () => ({ route }),
    opened: async () => [],
  };
}

const noFee = { transferFees: [] };

/** Computes how much of the vaults belongs to the pool itself. */
const ownReserves = ({ pool, held }: CpmmState): readonly [bigint, bigint] => [
  held[0] - pool.sides[0].owed,
  held[1] - pool.sides[1].owed,
];

/** Returns the sum of a pool's fees, in millionths. */
const feeRateOf = ({ pool, rates }: Pick<CpmmState, "pool" | "rates">): bigint =>
  rates.trade + (pool.creatorFeeOn === undefined ? 0n : rates.creator);

/**
 * Compares the price of a payment with the pool's price before the swap. Both include the pool's fees but not the
 * token's.
 */
function impactOf(state: CpmmState, arrived: bigint, trade: CPMMTrade): number {
  const { from } = trade;
  const reserves = ownReserves(state);
  const left = millionths - feeRateOf(state);
  const price = { in: reserves[from] * millionths, out: reserves[from === 0 ? 1 : 0] * left };
  const paid = amountOut(state.pool, arrived, { ...trade, mints: [noFee, noFee] });
  return priceImpact(price, { amountIn: arrived, amountOut: paid, fees: [] });
}
