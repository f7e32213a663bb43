import { chainFacts } from "../core/chain-facts.ts";
import type { Network } from "../core/network.ts";
import type { CoinUnits } from "../core/units.ts";
import { isInForce, type ProgramKey } from "./program-key.ts";
import type { CheckedOrder, DaySpend } from "./wallet-policy.ts";

/** A program key as stored, and what was signed by it on one chain and day. An absent key allows nothing. */
export type ProgramFacts = { key: ProgramKey | undefined; count: DaySpend | undefined };

/** The rules for a program's order of a wallet. */
export type KeyRules = {
  key: ProgramKey | undefined;
  wallet: string;
  /** How much of the day's limit the key's other orders use. Absent for an order that rests, which uses nothing yet. */
  spent?: CoinUnits | undefined;
  nowMs: number;
};

/** The field of a program key that forbids an order. For an amount, also its limit and the amount that it would reach. */
export type KeyObjection =
  | { rule: "expiresAt" | "scopes" | "chains" | "wallets" | "tokens" }
  | { rule: "maxPerOrder" | "maxPerDay"; limit: CoinUnits; requested: CoinUnits };

/** Returns the reason why a program key forbids an order. Its amounts limit only buys, like those of policies. */
export function objectionOfKey(
  { key, wallet, spent, nowMs }: KeyRules,
  chain: Network,
  { side, token, amount = 0n, adds = 0n }: CheckedOrder,
): KeyObjection | undefined {
  if (key === undefined || !isInForce(key, nowMs)) return { rule: "expiresAt" };
  if (!key.scopes.includes("trade")) return { rule: "scopes" };
  if (key.chains?.includes(chain) === false) return { rule: "chains" };
  if (key.wallets?.includes(wallet) === false) return { rule: "wallets" };
  if (key.tokens?.includes(token) === false) return { rule: "tokens" };
  if (side === "sell") return undefined;
  const ofOrder = unitsOf(chain, key.maxPerOrder);
  if (ofOrder !== undefined && amount > ofOrder)
    return { rule: "maxPerOrder", limit: ofOrder, requested: amount };
  const ofDay = unitsOf(chain, key.maxPerDay);
  // Accepts what adds nothing, even if sales have already pushed the count above the limit.
  if (ofDay === undefined || spent === undefined || adds <= 0n || spent + adds <= ofDay) return undefined;
  return { rule: "maxPerDay", limit: ofDay, requested: spent + adds };
}

/** Reads a limit in units of a chain's coin. Leaves out decimal places that the coin does not have. */
function unitsOf(chain: Network, text: string | undefined): CoinUnits | undefined {
  if (text === undefined) return undefined;
  const { decimals } = chainFacts[chain].coin;
  const [whole, places = ""] = text.split(".");
  return BigInt(whole + places.slice(0, decimals).padEnd(decimals, "0"));
}

/** Returns a time in seconds, or the end of a program's key if that is earlier. */
export const untilEnd = (seconds: number, program: ProgramFacts | undefined): number =>
  program?.key === undefined ? seconds : Math.min(seconds, Math.floor(Date.parse(program.key.endsAt) / 1000));
