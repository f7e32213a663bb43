import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import type { EvmIntent } from "../../../lib/chains/evm/rules/intent.ts";
import type { EvmSlot } from "../../../lib/chains/evm/rules/slot.ts";
import type { Items, Ledger } from "../../../lib/orders/table-step.ts";
import type { ModelTable } from "./table.ts";
import { must } from "./violation.ts";

type Facts = { table: ModelTable; seen: Set<string> };

/** The signer's ledger before and after a signature, and the items written with it. */
type LedgerChange = {
  before: Ledger<Evm> | undefined;
  after: Ledger<Evm>;
  slot: EvmSlot | undefined;
  day: Items["day"] | undefined;
};

/** Checks that each signature counts once, and that the policy in force allows it. */
export class PolicyChecks {
  /** Maps user, wallet and day to the total signed. */
  private readonly spent = new Map<string, bigint>();
  private readonly networkFees = new Map<string, bigint>();
  private readonly counted = new Set<string>();
  private readonly facts: Facts;

  constructor(facts: Facts) {
    this.facts = facts;
  }

  check(change: LedgerChange, intent: EvmIntent): void {
    const { after, slot, day } = change;
    const { spent, isSecondBuy } = this.count(change, intent);
    const networkFees = this.countFees(change, intent);
    const purpose = slot?.attempts.at(-1)?.purpose;
    if (purpose === "clear") return;
    const { table, seen } = this.facts;
    const { policy, pending } = table.get("policy", intent) ?? { policy: undefined };
    const {
      maxPerOrder,
      maxPerDay,
      maxNetworkFeesPerDay,
      tokens = "any",
      maxSlippage = 1_000_000n,
      tradingEnabled = true,
    } = policy ?? {};
    must(tradingEnabled, "signed for a wallet that may not trade");
    if (day !== undefined && maxNetworkFeesPerDay !== undefined) {
      must(networkFees <= maxNetworkFeesPerDay, "signed more network fees than a day allows");
      if (intent.side === "sell") seen.add("a sale within a day's network fees");
    }
    must(
      intent.minAmountOut >= (intent.quotedOut * (1_000_000n - maxSlippage)) / 1_000_000n,
      "signed for less than the policy's minimum",
    );
    if (after.swap === undefined || intent.side === "sell" || purpose !== "swap") return;
    const { token, amountIn } = after.swap.call;
    must(tokens === "any" || tokens.includes(token), "signed a buy of a token that the policy forbids");
    must(maxPerOrder === undefined || amountIn <= maxPerOrder, "signed a buy above the limit of an order");
    if (pending !== undefined) seen.add("a looser policy waits");
    if (day === undefined || maxPerDay === undefined) return;
    must(spent <= maxPerDay, "signed a buy above the limit of a day");
    if (isSecondBuy) seen.add("a second buy of a limited day");
  }

  /**
   * Checks the day's count. A buy counts once, with its first swap signature. A fee counts by the amount by which it
   * raises its nonce's highest fee.
   */
  private count({ before, after, day }: LedgerChange, { side, userID, wallet }: EvmIntent) {
    const { orderId, swap } = after;
    const isFirstSwap = side === "buy" && swap !== undefined && !this.counted.has(orderId);
    if (isFirstSwap) this.counted.add(orderId);
    const adds = (isFirstSwap ? swap.call.amountIn : 0n) + feesOf(after) - feesOf(before);
    must((day !== undefined) === adds > 0n, "a signature does not count exactly once");
    const key = [userID, wallet, day?.day].join();
    const spent = (this.spent.get(key) ?? 0n) + adds;
    if (day !== undefined) {
      must(day.spent === spent, "a day's count is not what was signed");
      this.spent.set(key, spent);
    }
    return { spent, isSecondBuy: isFirstSwap && spent > adds };
  }

  /** Adds up how much each signature raises the highest fee of its nonce. */
  private countFees({ before, after, day }: LedgerChange, { userID, wallet }: EvmIntent): bigint {
    if (day === undefined) return 0n;
    const key = [userID, wallet, day.day].join();
    const sum = (this.networkFees.get(key) ?? 0n) + feesOf(after) - feesOf(before);
    must(day.networkFees === sum, "a day's network fees are not what was signed");
    this.networkFees.set(key, sum);
    return sum;
  }
}

const feesOf = (ledger: Ledger<Evm> | undefined) =>
  Object.values(ledger?.fees ?? {}).reduce((sum, { most }) => sum + most, 0n);
