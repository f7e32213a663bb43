import type { EvmIntent } from "../../../lib/chains/evm/rules/intent.ts";
import { unitsFrom } from "../../../lib/orders/decimal-text.ts";
import type { Items } from "../../../lib/orders/table-step.ts";
import type { ModelTable } from "./table.ts";
import { must } from "./violation.ts";

/** A signature for an order of a program, with the counts that were written with it. */
type Counted = {
  purpose: string | undefined;
  isSwapOfBuy: boolean;
  day: Items["day"] | undefined;
  keyDay: Items["keyDay"] | undefined;
};

/** Checks that each signature that can fill an order of a program counts once for its key, and that the key allows it. */
export class ProgramChecks {
  /** Maps a key and a day to what was signed by it. */
  private readonly spent = new Map<string, bigint>();
  private readonly spentOfWallets = new Map<string, bigint>();
  private readonly facts: { table: ModelTable; seen: Set<string>; nowMs: number };

  constructor(facts: ProgramChecks["facts"]) {
    this.facts = facts;
  }

  check({ purpose, isSwapOfBuy, day, keyDay }: Counted, { userID, wallet, token, by }: EvmIntent): void {
    const adds = this.risenBy(this.spentOfWallets, [userID, wallet, day?.day], day?.spent);
    const mustCount = by !== undefined && purpose !== "clear";
    must(mustCount === (keyDay !== undefined), "a signature does not count for its program alone");
    if (!mustCount || keyDay === undefined) return;
    const key = this.facts.table.get("programKey", { userID, keyId: by });
    must(key !== undefined && key.revokedAt === undefined, "signed by a key that was revoked");
    must(key.tokens?.includes(token) !== false, "signed an order of a token that its key forbids");
    const added = this.risenBy(this.spent, [userID, by, keyDay.day], keyDay.spent);
    must(added === adds, "a key's day is not what was signed by it");
    if (!isSwapOfBuy || key.maxPerDay === undefined) return;
    must(keyDay.spent <= unitsFrom(key.maxPerDay, 18, "maxPerDay"), "signed above the limit of a key's day");
    if (keyDay.spent > added) this.facts.seen.add("a second buy of a key's day");
  }

  /** Notes a sum, and returns by how much it has risen. */
  private risenBy(sums: Map<string, bigint>, of: readonly unknown[], sum: bigint | undefined): bigint {
    if (sum === undefined) return 0n;
    const before = sums.get(of.join()) ?? 0n;
    sums.set(of.join(), sum);
    return sum - before;
  }
}
