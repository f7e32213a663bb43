import { isDeepStrictEqual } from "node:util";
import type { Execution } from "../../../lib/orders/execution.ts";
import { idOf } from "../../../lib/orders/execution.ts";

/** Collects every version of each order and position shown to a user, over HTTP or a stream. */
export type Observations = {
  /** Records a version. Returns contradictions to earlier versions as sentences. */
  note(execution: Execution): string[];
  /** Returns all versions of a record. */
  versionsOf(id: string): readonly Execution[];
  /** Returns each record's latest version by id. */
  newest(): ReadonlyMap<string, Execution>;
  /** Forgets records whose versions start over. */
  forget(is: (execution: Execution) => boolean): void;
};

/** Fields of a record that never change, unless the chain reverts a fill and with it a position's opening time. */
const fixed = [
  "wallet",
  "chain",
  "symbol",
  "token",
  "side",
  "clientOrderId",
  "minAmountOut",
  "slippage",
  "validUntil",
  "createdAt",
];

export function createObservations(): Observations {
  const versions = new Map<string, Map<number, Execution>>();
  const newest = new Map<string, Execution>();

  return {
    note(execution) {
      const id = idOf(execution);
      const { version } = execution;
      const own = versions.get(id) ?? new Map<number, Execution>();
      versions.set(id, own);
      const same = own.get(version);
      const last = newest.get(id);
      own.set(version, same ?? execution);
      if (last === undefined || last.version < version) newest.set(id, execution);
      if (same !== undefined)
        return isDeepStrictEqual(same, execution) ? [] : [`version ${version} of ${id} has two contents`];
      if (last === undefined) return [];
      const [older, newer] = last.version < version ? [last, execution] : [execution, last];
      return [
        ...problemsOfChange(older, newer).map((problem) => `${problem} of ${id}`),
        ...(isFinal(older)
          ? [`${id} was final in version ${older.version}, and has version ${newer.version}`]
          : []),
      ];
    },
    versionsOf: (id) => [...(versions.get(id)?.values() ?? [])],
    newest: () => newest,
    forget(is) {
      for (const [id, execution] of newest) {
        if (!is(execution)) continue;
        newest.delete(id);
        versions.delete(id);
      }
    },
  };
}

/** True if the record must not change again. An open position continues with the next order. */
const isFinal = ({ settled, status }: Execution) => settled === true && status !== "open";

function problemsOfChange(older: Execution, newer: Execution): string[] {
  const fieldOf = (execution: Execution, field: string) => execution[field as keyof Execution];
  return [
    ...fixed
      .filter((field) => fieldOf(older, field) !== fieldOf(newer, field))
      .map((field) => `${field} changes from ${fieldOf(older, field)} to ${fieldOf(newer, field)}`),
    ...(older.updatedAt > newer.updatedAt
      ? [`updatedAt falls from version ${older.version} to ${newer.version}`]
      : []),
  ];
}
