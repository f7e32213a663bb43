import type { Address } from "@solana/web3.js";
import type { Order } from "../../../orders/execution.ts";
import { priceImpact } from "../../../orders/price-impact.ts";
import { programs, tokenAccountOf, wsolMint } from "./addresses.ts";
import { millionths } from "./cpmm-pool.ts";
import type { PoolKind, PoolView, SeenToken } from "./pool-view.ts";
import {
  bondingCurveOf,
  coinAccount,
  pumpConfigOf,
  pumpCreatorVaultOf,
  pumpFeeConfigOf,
  pumpPoolOf,
  pumpVolumeOfUser,
  volumeAccount,
} from "./pump-addresses.ts";
import {
  type BondingCurve,
  curveBuys,
  curvePays,
  ratesOfCurve,
  readCurve,
  readCurveConfig,
} from "./pump-curve.ts";
import { type PumpRates, readPumpTiers, sumOfRates, wholeBps } from "./pump-fees.ts";
import {
  type PumpPool,
  type PumpReserves,
  pumpPoolBuys,
  pumpPoolPays,
  ratesOfPumpPool,
  readPumpPool,
  readPumpPoolConfig,
} from "./pump-pool.ts";
import { fixedPumpAccounts, isPumpTable, readLookupTable } from "./pump-table.ts";
import { readTokenAccount } from "./token-account.ts";

/** Finds a token's bonding curve and, once the curve is complete, the pool to which the token has moved. */
export const pumpPlaces: PoolKind = async (mint, { pumpTable: table }) => {
  if (table === undefined) return [];
  const [curve, pool] = await Promise.all([bondingCurveOf(mint), pumpPoolOf(mint)]);
  const [curveConfig, curveFees] = await Promise.all([pumpConfigOf("curve"), pumpFeeConfigOf("curve")]);
  const [poolConfig, poolFees] = await Promise.all([pumpConfigOf("pool"), pumpFeeConfigOf("pool")]);
  const fixed = await fixedPumpAccounts();
  const coinVault = await tokenAccountOf(pool, wsolMint, programs.token);
  // Reads the vault for both token programs, because the mint's program is not known yet.
  const vaults = {
    token: await tokenAccountOf(pool, mint, programs.token),
    token2022: await tokenAccountOf(pool, mint, programs.token2022),
  };
  const places = { curve, curveConfig, curveFees, pool, poolConfig, poolFees, coinVault };
  return [
    {
      pools: [curve, pool],
      accounts: [table, ...Object.values(places), ...Object.values(vaults)],
      viewIn(seen) {
        const found = seen.accountAt(table);
        const held = found && readLookupTable(found);
        // Pump's own mints withhold nothing, so what the programs would do with others is unknown.
        if (held === undefined || seen.mint.transferFees.length > 0) return undefined;
        const tokenVault = seen.mint.program === programs.token ? vaults.token : vaults.token2022;
        return (
          curveIn(seen, { ...places, table, fixed, held }) ??
          poolIn(seen, { ...places, table, fixed, held, tokenVault })
        );
      },
    },
  ];
};

type Table = { table: Address; fixed: readonly Address[]; held: readonly string[] };
type CurvePlaces = Table & Record<"curve" | "curveConfig" | "curveFees" | "pool", Address>;
type PoolAt = Table & Record<"pool" | "poolConfig" | "poolFees" | "coinVault" | "tokenVault", Address>;

function readAt<Value>(
  { accountAt }: SeenToken,
  address: Address,
  read: (data: Uint8Array) => Value | undefined,
): Value | undefined {
  const account = accountAt(address);
  return account && read(account.data);
}

function curveIn(
  seen: SeenToken,
  { curve: address, curveConfig, curveFees, pool, table, fixed, held }: CurvePlaces,
): PoolView | undefined {
  const curve = readAt(seen, address, readCurve);
  const config = readAt(seen, curveConfig, readCurveConfig);
  const tiers = readAt(seen, curveFees, readPumpTiers);
  if (curve === undefined || config === undefined || tiers === undefined) return undefined;
  if (curve.isComplete || !curve.isForCoin || !isPumpTable(held, fixed, config)) return undefined;
  const rates = ratesOfCurve(curve, config, tiers, seen.mint.supply);
  return curveView({ address, table, pool, curve, rates });
}

/** A bonding curve, as its accounts show it. */
export type CurveState = {
  address: Address;
  table: Address;
  /** The pool to which the token moves. */
  pool: Address;
  curve: BondingCurve;
  rates: PumpRates;
};

/** Describes a curve in the form that all exchanges share. */
export function curveView({ address, table, pool, curve, rates }: CurveState): PoolView {
  const { virtual, real, isMayhem } = curve;
  const creator = curve.creator as Address;
  const route = { venue: "pump", pool: address } as const;
  return {
    ...sharedView(virtual, rates, (side, amountIn) =>
      side === "buy" ? curveBuys(curve, rates, amountIn).tokens : curvePays(curve, rates, amountIn),
    ),
    address,
    coins: real.coins,
    held: real.coins,
    isUsual: true,
    isOpen: true,
    written: [address],
    route,
    next: { venue: "pumpswap", pool },
    async routeFor(side, amountIn) {
      const { tokens, isRest } = side === "buy" ? curveBuys(curve, rates, amountIn) : notAll;
      return {
        route,
        curve: {
          table,
          vault: await pumpCreatorVaultOf("curve", creator),
          isMayhem,
          ...(isRest && { rest: tokens }),
        },
      };
    },
    async opened(_, wallet) {
      const [volume, vault] = await Promise.all([
        pumpVolumeOfUser("curve", wallet),
        pumpCreatorVaultOf("curve", creator),
      ]);
      // A creator's vault has no data. The first trader fills it up to its rent.
      return [volumeAccount(volume), ...(rates.creator > 0n ? [{ address: vault, bytes: 0 }] : [])];
    },
  };
}

const notAll = { tokens: 0n, isRest: false };

function poolIn(
  seen: SeenToken,
  { pool: address, poolConfig, poolFees, coinVault, tokenVault, table, fixed, held }: PoolAt,
): PoolView | undefined {
  const pool = readAt(seen, address, readPumpPool);
  const config = readAt(seen, poolConfig, readPumpPoolConfig);
  const tiers = readAt(seen, poolFees, readPumpTiers);
  const [coins, tokens] = [coinVault, tokenVault].map((vault) => {
    const account = seen.accountAt(vault);
    return account && readTokenAccount(account)?.amount;
  });
  if (pool === undefined || config === undefined || tiers === undefined) return undefined;
  if (coins === undefined || tokens === undefined || !isPumpTable(held, fixed, config)) return undefined;
  const reserves = { coins, tokens };
  const rates = ratesOfPumpPool(pool, config, tiers, { reserves, supply: seen.mint.supply });
  return pumpPoolView({
    address,
    table,
    pool,
    rates,
    reserves,
    allows: config,
    vaults: [coinVault, tokenVault],
  });
}

/** A pool of PumpSwap, as its accounts show it. */
export type PumpPoolState = {
  address: Address;
  table: Address;
  pool: PumpPool;
  rates: PumpRates;
  reserves: PumpReserves;
  allows: { allowsBuys: boolean; allowsSales: boolean };
  vaults: readonly [Address, Address];
};

/** Describes a pool in the form that all exchanges share. */
export function pumpPoolView({
  address,
  table,
  pool,
  rates,
  reserves,
  allows,
  vaults,
}: PumpPoolState): PoolView {
  const { isMayhem, hasCashback } = pool;
  const creator = pool.coinCreator as Address;
  const hasCreator = creator !== programs.system;
  const route = { venue: "pumpswap", pool: address } as const;
  const priced = { ...reserves, coins: reserves.coins + pool.virtualCoins };
  return {
    ...sharedView(priced, rates, (side, amountIn) => {
      if (side === "buy") return allows.allowsBuys ? pumpPoolBuys(pool, rates, reserves, amountIn) : 0n;
      return allows.allowsSales ? pumpPoolPays(pool, rates, reserves, amountIn) : 0n;
    }),
    address,
    coins: reserves.coins,
    held: reserves.coins,
    isUsual: true,
    isOpen: allows.allowsBuys || allows.allowsSales,
    written: [address, ...vaults],
    route,
    async routeFor() {
      const vault = await pumpCreatorVaultOf("pool", creator);
      return { route, pumpPool: { table, vault, isMayhem, hasCreator, hasCashback } };
    },
    async opened(side, wallet) {
      const [volume, vault] = await Promise.all([
        pumpVolumeOfUser("pool", wallet),
        pumpCreatorVaultOf("pool", creator),
      ]);
      const owners = [...(hasCreator ? [vault] : []), ...(hasCashback ? [volume] : [])];
      const accounts = await Promise.all(
        owners.map((owner) => tokenAccountOf(owner, wsolMint, programs.token)),
      );
      return [
        ...(side === "buy" || hasCashback ? [volumeAccount(volume)] : []),
        ...accounts.map(coinAccount),
      ];
    },
  };
}

/** Computes what curves and pools have in common. Buyers pay fees on top, and sellers out of what they get. */
function sharedView(
  reserves: PumpReserves,
  rates: PumpRates,
  amountOut: (side: Order["side"], amountIn: bigint) => bigint,
): Pick<PoolView, "feeRate" | "reserves" | "pay"> {
  const { coins, tokens } = reserves;
  const bps = sumOfRates(rates);
  return {
    feeRate: (bps * millionths) / wholeBps,
    reserves,
    pay(side, amountIn) {
      const out = amountOut(side, amountIn);
      if (out === 0n) return { amountOut: 0n, priceImpact: 0 };
      const price =
        side === "buy"
          ? { in: coins * (wholeBps + bps), out: tokens * wholeBps }
          : { in: tokens * wholeBps, out: coins * (wholeBps - bps) };
      return { amountOut: out, priceImpact: priceImpact(price, { amountIn, amountOut: out, fees: [] }) };
    },
  };
}
