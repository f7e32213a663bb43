import { isHeld } from "../../../lib/trading/core/lane-steps.ts";
import {
  type Items,
  type ItemWrite,
  isFreeLane,
  type Kind,
  type Names,
  type Step,
} from "../../../lib/trading/core/table-step.ts";

const nameOf: { [K in Kind]: (name: Names[K]) => string } = {
  lane: ({ wallet }) => wallet,
  job: ({ wallet, orderId }) => `${wallet}/${orderId}`,
  slot: ({ wallet, nonce }) => `${wallet}/${nonce}`,
  order: ({ intent }) => `${intent.userID}/${intent.orderId}`,
  ledger: ({ orderId }) => orderId,
  cancellation: ({ orderId }) => orderId,
  key: ({ userID, key }) => `${userID}/${key}`,
  book: ({ userID, wallet, token }) => `${userID}/${wallet}/${token}`,
  position: ({ userID, positionId }) => `${userID}/${positionId}`,
  wallet: ({ userID, wallet }) => `${userID}/${wallet}`,
  policy: ({ userID, wallet }) => `${userID}/${wallet}`,
  day: ({ userID, wallet, day }) => `${userID}/${wallet}/${day}`,
};

const kinds = Object.keys(nameOf) as Kind[];

type Change = { kind: Kind; name: string; before: unknown; after: unknown };

/** A table whose steps happen as a whole. Items are never changed in place. */
export class ModelTable {
  private readonly items = Object.fromEntries(kinds.map((kind) => [kind, new Map()])) as {
    [K in Kind]: Map<string, Items[K]>;
  };

  get<K extends Kind>(kind: K, name: Names[K]): Items[K] | undefined {
    return this.items[kind].get(nameOf[kind](name));
  }

  all<K extends Kind>(kind: K): Items[K][] {
    return [...this.items[kind].values()];
  }

  put<K extends Kind>(kind: K, item: Items[K]): void {
    this.items[kind].set(nameOf[kind](item as unknown as Names[K]), item);
  }

  /** The changes, or undefined if a condition fails. */
  write(step: Step): Change[] | undefined {
    const changes = step.map((write) => this.changeOf(write));
    const names = new Set(changes.map(({ kind, name }) => `${kind} ${name}`));
    if (names.size < step.length) throw new Error("a transaction names an item twice");
    if (!step.every((write, index) => holds(write, changes[index]?.before))) return undefined;
    const done = changes.filter((_, index) => !("check" in (step[index] as ItemWrite)));
    for (const { kind, name, after } of done) {
      if (after === undefined) this.items[kind].delete(name);
      else (this.items[kind] as Map<string, unknown>).set(name, after);
    }
    return done;
  }

  private changeOf(write: ItemWrite): Change {
    const kind =
      "put" in write
        ? write.put
        : "remove" in write
          ? write.remove
          : "check" in write
            ? write.check
            : write.change;
    const name = (nameOf[kind] as (item: unknown) => string)(write.item);
    const before = this.items[kind].get(name);
    if ("put" in write) return { kind, name, before, after: write.item };
    if (!("change" in write)) return { kind, name, before, after: undefined };
    const { chain, wallet } = write.item;
    const old = (before ?? { chain, wallet, jobs: 0 }) as Items["lane"];
    const { holder: _, leaseUntilMs: __, ...released } = old;
    const { set } = write;
    const after =
      set !== undefined && "released" in set ? { ...released, watch: set.released } : { ...old, ...set };
    return { kind, name, before, after: { ...after, jobs: old.jobs + (write.addJobs ?? 0) } };
  }
}

function holds({ when }: ItemWrite, item: unknown): boolean {
  if (when === undefined) return true;
  if (when === "absent") return item === undefined;
  if (item === undefined) return false;
  const found = item as Record<string, unknown>;
  if (isFreeLane(when)) return !isHeld(item as Items["lane"], when.freeAtMs);
  return Object.entries(when).every(([name, value]) => found[name] === value);
}
