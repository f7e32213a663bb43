import { DomainError } from "../core/domain-error.ts";
import { formatAmount } from "./decimal-text.ts";

/**
 * An amount of a coin or token that an order needs, and the available balance: what the wallet holds minus what its
 * open orders will spend.
 */
export type Need = {
  /** Address of the token, or `native` for the chain's coin. */
  token: string;
  symbol: string;
  decimals: number;
  needed: bigint;
  available: bigint;
  /** The part of `needed` that the sales of exits may cost. */
  forExits?: bigint | undefined;
};

export const isEnough = ({ needed, available }: Need): boolean => available >= needed;

/** Names the first coin or token whose balance is too low. */
export function shortage(needs: readonly Need[]): DomainError<"INSUFFICIENT_BALANCE"> | undefined {
  const short = needs.find((need) => !isEnough(need));
  if (short === undefined) return undefined;
  const { token, symbol, decimals, forExits = 0n } = short;
  const [needed, available] = [formatAmount(short.needed, decimals), formatAmount(short.available, decimals)];
  const message = `The wallet needs ${needed} ${symbol} and has ${available} available`;
  return new DomainError("INSUFFICIENT_BALANCE", message, {
    token,
    symbol,
    needed,
    available,
    ...(forExits > 0n && { forExits: formatAmount(forExits, decimals) }),
  });
}
