import { ceilDivide } from "../../../orders/bigints.ts";
import { ByteReader } from "./byte-reader.ts";
import { type Mint, withheldFrom } from "./mint.ts";

/** A side of a pool. Its vault also holds fees that the pool owes to others. */
export type PoolSide = { mint: string; program: string; vault: string; owed: bigint };

/** A Raydium CPMM pool. Source: the accounts in the repository raydium-io/raydium-cp-swap. */
export type CPMMPool = {
  config: string;
  observation: string;
  /** The pool's sides, sorted by the bytes of their mints' addresses. */
  sides: readonly [PoolSide, PoolSide];
  /** False if an administrator has stopped swaps. */
  allowsSwaps: boolean;
  /** Time from which swaps are possible, in seconds since 1970. Earlier swaps fail. */
  openTime: bigint;
  /**
   * The side whose token pays the creator's fee, or `paid in` for the token that the trade pays in. Absent if the pool
   * has no such fee.
   */
  creatorFeeOn?: "paid in" | 0 | 1;
};

/** The fees of a fee configuration, in millionths. */
export type FeeRates = { trade: bigint; creator: bigint };

/**
 * Anchor's identifiers of the account types: the first 8 bytes of the SHA-256 of `account:PoolState` and
 * `account:AmmConfig`.
 */
const poolName = "f7ede3f5d7c3de46";
const configName = "daf42168cbcb2b6f";

const swapsAreStopped = 0b100;
const creatorFeeSides = ["paid in", 0, 1] as const;

/** Decodes a pool's account. Undefined if it is a different kind of account, or has an unknown fee mode. */
export const readPool = (data: Uint8Array): CPMMPool | undefined => decoded(data, poolName, poolFrom);

/** Decodes the fees in a fee configuration's account. Undefined if it is a different kind of account. */
export const readFeeRates = (data: Uint8Array): FeeRates | undefined =>
  decoded(data, configName, (reader) => {
    // Skips a bump, a switch and an index at the start, and two rates, a fee and two owners in between.
    const trade = reader.skip(4).u64();
    return { trade, creator: reader.skip(88).u64() };
  });

function decoded<Value>(
  data: Uint8Array,
  name: string,
  read: (reader: ByteReader) => Value,
): Value | undefined {
  const reader = new ByteReader(data);
  try {
    return Buffer.from(reader.bytes(8)).toString("hex") === name ? read(reader) : undefined;
  } catch {
    // The data ended early, so it is not such an account.
    return undefined;
  }
}

function poolFrom(reader: ByteReader): CPMMPool | undefined {
  const two = <Value>(read: () => Value): readonly [Value, Value] => [read(), read()];
  const [address, amount] = [() => reader.address(), () => reader.u64()];
  const config = address();
  // Skips the creator.
  reader.skip(32);
  const vaults = two(address);
  // Skips the mint of the pool's shares.
  reader.skip(32);
  const [mints, programs, observation] = [two(address), two(address), address()];
  const status = reader.skip(1).u8();
  // Skips the decimals of three mints and the number of shares.
  reader.skip(11);
  const [protocolFees, fundFees, openTime] = [two(amount), two(amount), amount()];
  // Skips an epoch. Only padding follows it.
  const [feeMode, hasCreatorFee] = [reader.skip(8).u8(), reader.u8() === 1];
  reader.skip(6);
  const creatorFees = two(amount);
  const creatorFeeOn = creatorFeeSides[feeMode];
  if (creatorFeeOn === undefined) return undefined;
  const sideAt = (side: 0 | 1): PoolSide => ({
    mint: mints[side],
    program: programs[side],
    vault: vaults[side],
    owed: protocolFees[side] + fundFees[side] + creatorFees[side],
  });
  return {
    config,
    observation,
    sides: [sideAt(0), sideAt(1)],
    allowsSwaps: (status & swapsAreStopped) === 0,
    openTime,
    ...(hasCreatorFee && { creatorFeeOn }),
  };
}

/** A trade in a pool: the tokens that its vaults hold and their mints, both in the order of the pool's sides. */
export type CPMMTrade = {
  from: 0 | 1;
  held: readonly [bigint, bigint];
  mints: readonly [Pick<Mint, "transferFees">, Pick<Mint, "transferFees">];
  rates: FeeRates;
  epoch: bigint;
};

/** Denominator of the program's fees. */
export const millionths = 1_000_000n;
const feeOn = (amount: bigint, rate: bigint) => ceilDivide(amount * rate, millionths);

/**
 * Computes the exact amount that reaches a wallet when it pays a given amount. Fees are rounded up and payments down,
 * and a token's transfer fee is deducted. 0 if the pool cannot make the trade.
 */
export function amountOut(
  pool: CPMMPool,
  amountIn: bigint,
  { from, held, mints, rates, epoch }: CPMMTrade,
): bigint {
  const to = from === 0 ? 1 : 0;
  const [reserveIn, reserveOut] = [held[from] - pool.sides[from].owed, held[to] - pool.sides[to].owed];
  if (!pool.allowsSwaps || reserveIn <= 0n || reserveOut <= 0n) return 0n;
  const creatorFee = pool.creatorFeeOn === undefined ? 0n : rates.creator;
  const isPaidIn = pool.creatorFeeOn === "paid in" || pool.creatorFeeOn === from;
  const arrived = amountIn - withheldFrom(amountIn, mints[from], epoch);
  const traded = arrived - feeOn(arrived, rates.trade + (isPaidIn ? creatorFee : 0n));
  if (traded <= 0n) return 0n;
  const paid = (reserveOut * traded) / (reserveIn + traded);
  const out = paid - (isPaidIn ? 0n : feeOn(paid, creatorFee));
  return out - withheldFrom(out, mints[to], epoch);
}
