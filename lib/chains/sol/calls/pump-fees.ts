import { ceilDivide } from "../../../orders/bigints.ts";
import { ByteReader } from "./byte-reader.ts";

/** Rates of a trade in basis points. Curves have no fee for providers. */
export type PumpRates = { providers: bigint; protocol: bigint; creator: bigint };

/** A fee schedule: the rates from a market value on, in lamports. The first rates also apply below. */
export type PumpTiers = readonly [PumpTier, ...PumpTier[]];

type PumpTier = { from: bigint; rates: PumpRates };

export const wholeBps = 10_000n;

/** Supply by which the programs value most tokens, whatever was burned. */
export const pumpSupply = 10n ** 15n;

/** The first 8 bytes of the SHA-256 of `account:FeeConfig`. */
const scheduleName = "8f3492bbdb7b4c9b";

/** Maximum number of tiers that the program stores. */
const mostTiers = 50;

/**
 * Decodes a field-by-field account that may be shorter than its present form. The programs read missing fields as 0.
 *
 * @param name The account's first 8 bytes, in hexadecimal digits.
 * @param length The length of the present form. Undefined is returned for data that lacks even the name.
 */
export function readGrowing<Value>(
  data: Uint8Array,
  name: string,
  length: number,
  read: (reader: ByteReader) => Value,
): Value | undefined {
  if (Buffer.from(data.subarray(0, 8)).toString("hex") !== name) return undefined;
  const padded = data.length < length ? Buffer.concat([data, Buffer.alloc(length - data.length)]) : data;
  return read(new ByteReader(padded).skip(8));
}

/** Decodes the rates of markets that trade for SOL. Undefined if it is another kind of account. */
export function readPumpTiers(data: Uint8Array): PumpTiers | undefined {
  if (Buffer.from(data.subarray(0, 8)).toString("hex") !== scheduleName) return undefined;
  const reader = new ByteReader(data);
  try {
    // Skips the name, a bump, an administrator, and the rates of pools that follow no curve.
    const count = reader.skip(65).u32();
    if (count > mostTiers) return undefined;
    const [first, ...others] = Array.from({ length: count }, (): PumpTier => {
      const from = reader.u128();
      return { from, rates: { providers: reader.u64(), protocol: reader.u64(), creator: reader.u64() } };
    });
    return first && [first, ...others];
  } catch {
    // The data ended early, so it is not such an account.
    return undefined;
  }
}

/** Facts about a market that decide about its rates. */
export type RatesQuestion = {
  tiers: PumpTiers;
  /** Market value of the token's whole supply, in lamports. */
  value: bigint;
  /** False if nobody gets a creator's fee. */
  hasCreator: boolean;
  /** The market's own rate, which replaces the schedule's. 0 if it has none. */
  ownCreatorBps: bigint;
};

export function pumpRates({ tiers, value, hasCreator, ownCreatorBps }: RatesQuestion): PumpRates {
  const { rates } = tiers.findLast(({ from }) => value >= from) ?? tiers[0];
  const creator = ownCreatorBps > 0n ? ownCreatorBps : rates.creator;
  return { ...rates, creator: hasCreator ? creator : 0n };
}

export const sumOfRates = ({ providers, protocol, creator }: PumpRates): bigint =>
  providers + protocol + creator;

/** Computes the fees on an amount. Each is rounded up. */
export const feesOn = (amount: bigint, { providers, protocol, creator }: PumpRates): bigint =>
  [providers, protocol, creator].reduce((sum, rate) => sum + ceilDivide(amount * rate, wholeBps), 0n);

/** Computes how much of a payment buys tokens. The rest pays the fees. */
export function withoutFees(payment: bigint, rates: PumpRates): bigint {
  const part = (payment * wholeBps) / (wholeBps + sumOfRates(rates));
  const excess = part + feesOn(part, rates) - payment;
  return excess > 0n ? part - excess : part;
}
