import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import { type Cutoffs, isCutOff } from "../../../lib/orders/cutoffs.ts";
import type { FamilyTypes } from "../../../lib/orders/family.ts";
import type { IntentTerms, LaneKey } from "../../../lib/orders/intent.ts";
import type {
  CutoffScope,
  Items,
  ItemWrite,
  Kind,
  Ledger,
  Names,
  TradeStep,
} from "../../../lib/orders/table-step.ts";
import { hasEnded, type TradeOrder } from "../../../lib/orders/trade-order.ts";
import { type Condition, Test } from "../../../lib/table/step.ts";

const nameOf: { [K in Kind]: (name: Names[K]) => string } = {
  lane: ({ wallet }) => wallet,
  job: ({ wallet, orderId }) => `${wallet}/${orderId}`,
  slot: (slot) => `${slot.wallet}/${slot.place}`,
  order: ({ intent }) => `${intent.userID}/${intent.orderId}`,
  ledger: ({ orderId }) => orderId,
  bytes: ({ wallet, hash }) => `${wallet}/${hash}`,
  cancellation: ({ userID, orderId }) => `${userID}/${orderId}`,
  cutoff: ({ userID, chain, wallet }) => [userID, ...(wallet === undefined ? [] : [chain, wallet])].join("/"),
  key: ({ userID, key }) => `${userID}/${key}`,
  book: ({ userID, wallet, token }) => `${userID}/${wallet}/${token}`,
  held: ({ userID, wallet, token }) => `${userID}/${wallet}/${token}`,
  position: ({ userID, positionId }) => `${userID}/${positionId}`,
  wallet: ({ userID, wallet }) => `${userID}/${wallet}`,
  policy: ({ userID, wallet }) => `${userID}/${wallet}`,
  preset: ({ userID, chain }) => `${userID}/${chain}`,
  automaticBuy: ({ userID, token }) => `${userID}/${token}`,
  restingTurn: ({ userID, part }) => `${userID}/${part}`,
  day: ({ userID, wallet, day }) => `${userID}/${wallet}/${day}`,
  programKey: ({ userID, keyId }) => `${userID}/${keyId}`,
  keyDay: ({ userID, wallet, day }) => `${userID}/${wallet}/${day}`,
  tally: ({ orderId }) => orderId,
  ended: ({ orderId }) => orderId,
  resting: ({ mandate }) => mandate.orderId,
  trigger: ({ orderId }) => orderId,
  rested: ({ mandate }) => mandate.orderId,
  earned: ({ at, orderId }) => `${at}/${orderId}`,
};

const kinds = Object.keys(nameOf) as Kind[];

type Change = { kind: Kind; name: string; before: unknown; after: unknown };

/** Maps each kind of item to its type, for one family of chains. */
type ItemsOf<F extends FamilyTypes> = Omit<Items, "slot" | "order" | "ledger"> & {
  slot: F["slot"];
  order: TradeOrder<F>;
  ledger: Ledger<F>;
};

/** A table with atomic steps and immutable items. */
export class ModelTable<F extends FamilyTypes = Evm> {
  private readonly items = Object.fromEntries(kinds.map((kind) => [kind, new Map()])) as {
    [K in Kind]: Map<string, ItemsOf<F>[K]>;
  };

  /** Number of steps written. */
  writes = 0;

  get<K extends Kind>(kind: K, name: Names[K]): ItemsOf<F>[K] | undefined {
    return this.items[kind].get(nameOf[kind](name));
  }

  all<K extends Kind>(kind: K): ItemsOf<F>[K][] {
    return [...this.items[kind].values()];
  }

  /** Returns the cancellations of many orders that cover a user's wallet. */
  cutoffsOver = ({ userID, chain, wallet }: LaneKey & { userID: string }): Cutoffs => ({
    all: this.get("cutoff", { userID, lane: { chain, wallet } }),
    wallet: this.get("cutoff", { userID, chain, wallet }),
  });

  isCancelled = (intent: IntentTerms): boolean =>
    this.get("cancellation", intent) !== undefined || isCutOff(intent, this.cutoffsOver(intent));

  openOrders({ userID, chain, wallet }: CutoffScope): ItemsOf<F>["order"][] {
    return this.all("order").filter(
      (order) =>
        order.intent.userID === userID &&
        (chain ?? order.intent.chain) === order.intent.chain &&
        (wallet ?? order.intent.wallet) === order.intent.wallet &&
        !hasEnded(order),
    );
  }

  put<K extends Kind>(kind: K, item: ItemsOf<F>[K]): void {
    this.items[kind].set(nameOf[kind](item as unknown as Names[K]), item);
  }

  /** Returns the changes, or undefined if a condition fails. */
  write(step: TradeStep): Change[] | undefined {
    const changes = step.map((write) => this.changeOf(write));
    const names = new Set(changes.map(({ kind, name }) => `${kind} ${name}`));
    if (names.size < step.length) throw new Error("a transaction names an item twice");
    if (!step.every((write, index) => holds(write, changes[index]?.before))) return undefined;
    this.writes++;
    const done = changes.filter((_, index) => step[index]?.kind !== "check");
    for (const { kind, name, after } of done) {
      if (after === undefined) this.items[kind].delete(name);
      else (this.items[kind] as Map<string, unknown>).set(name, after);
    }
    return done;
  }

  private changeOf(write: ItemWrite): Change {
    const { kind, of, item } = write;
    const name = (nameOf[of] as (item: unknown) => string)(item);
    const before = this.items[of].get(name);
    const change = { kind: of, name, before };
    switch (kind) {
      case "put":
        return { ...change, after: item };
      case "remove":
      case "check":
        return { ...change, after: undefined };
      case "change": {
        const old = (before ?? { chain: item.chain, wallet: item.wallet, jobs: 0 }) as Items["lane"];
        const set = Object.entries({ ...old, ...write.set }).filter(([, value]) => value !== undefined);
        return { ...change, after: { ...Object.fromEntries(set), jobs: old.jobs + (write.add?.jobs ?? 0) } };
      }
      case "raise": {
        const old = (before ?? { userID: item.userID }) as Record<string, number>;
        const added = Object.entries(write.add ?? {}).map(([field, by]) => [field, (old[field] ?? 0) + by]);
        return { ...change, after: { ...old, ...write.set, ...Object.fromEntries(added) } };
      }
    }
  }
}

function holds({ when }: ItemWrite, item: unknown): boolean {
  if (when === undefined) return true;
  const conditions = (Array.isArray(when) ? when : [when]) as readonly Condition[];
  return conditions.some((condition) => {
    if (condition === "absent") return item === undefined;
    if (item === undefined) return false;
    const found = item as Record<string, unknown>;
    return Object.entries(condition).every(([name, wanted]) => fits(found[name], wanted));
  });
}

/** Evaluates a condition with "at most", the only test that the trading core uses. */
function fits(value: unknown, wanted: unknown): boolean {
  if (!(wanted instanceof Test)) return value === wanted;
  if (wanted.is !== "at most") throw new Error(`the model has no test ${wanted.is}`);
  return value !== undefined && (value as number) <= (wanted.value as number);
}

export const retired = { retiredAt: "2026-11-21T20:00:00.000Z" };

export const isRetired = (wallet: Items["wallet"] | undefined) =>
  wallet === undefined || wallet.retiredAt !== undefined;
