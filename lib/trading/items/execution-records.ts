import { foldedAddress } from "../../chains/families/address.ts";
import type { ExecutionKind } from "../../core/execution-words.ts";
import {
  type Execution,
  executionIn,
  expiryOf,
  idOf,
  isOpen,
  maxShownAfterEnd,
  type StoredExecution,
  startOf,
} from "../../orders/execution.ts";
import { retry } from "../../table/retry.ts";
import { below, type Write } from "../../table/step.ts";
import { type Item, queryPages, readItem, type Table, withoutKey } from "../../table/table.ts";
import { write } from "../../table/write.ts";
import { executionKey, executionsOf, listedExecutionKey, openExecutionKey } from "./keys.ts";

type Recorded = { userID: string; kind: ExecutionKind; execution: Execution; now: Date };

/** An order or a position as it is stored. Only records of orders placed through this API name a lane. */
type ExecutionItem = Item<StoredExecution & { userID: string; lane?: string }>;

/**
 * Builds the items of an order or a position, which are written together: one for streams, one for lists. Lists keep
 * orders placed through this API for good.
 *
 * @param lane The lane of an order placed through this API. No other engine may write such an order.
 */
export function executionItems({ userID, kind, execution, now, lane }: Recorded & { lane?: string }) {
  // Keeps orders placed through this API until they settle, because the chain may still change their outcome.
  const isFinal = lane === undefined || execution.settled === true;
  const expiresAt = isFinal ? expiryOf(execution, now) : undefined;
  const restsUntil = "orderId" in execution ? execution.expiresAt : undefined;
  const content = {
    ...execution,
    ...(restsUntil !== undefined && { restsUntil }),
    userID,
    ...(lane !== undefined && { lane }),
  };
  return {
    shown: { key: executionKey(userID, kind, idOf(execution)), item: { ...content, expiresAt } },
    listed: {
      key: listedKeyOf({ userID, kind, execution }, startOf(execution)),
      item: { ...content, expiresAt: lane === undefined ? expiresAt : undefined },
    },
  };
}

const listedKeyOf = ({ userID, kind, execution }: Omit<Recorded, "now">, start: string) =>
  listedExecutionKey(userID, kind, new Date(start), idOf(execution));

/** Builds the write that lists another engine's execution by its token while it is open. */
function openExecutionWrite({ userID, kind, execution }: Recorded): Write[] {
  const { chain, token } = execution;
  if (token === undefined) return [];
  const item = { userID, chain, token: foldedAddress(chain, token), kind, id: idOf(execution) };
  const key = openExecutionKey(item);
  return [isOpen(execution) ? { kind: "put", key, item } : { kind: "remove", key }];
}

/** Maximum number of attempts to write. Each may conflict with another writer. */
const maxAttempts = 5;

/**
 * Saves an order or a position of another engine. Skips it if the table has the same or a later version, or if it was
 * placed through this API.
 *
 * @throws {Error} if the record changes during each attempt.
 */
export async function saveExecution(
  table: Table,
  recorded: Recorded,
): Promise<"recorded" | "unchanged" | "not yours"> {
  const { execution } = recorded;
  const { version } = execution;
  const { shown, listed } = executionItems(recorded);
  const start = "orderId" in execution ? "createdAt" : "openedAt";
  let known = startOf(execution);
  const outcome = await retry(
    async () => {
      const isMoved = known !== startOf(execution);
      const isWritten = await write(table, [
        {
          kind: "put",
          ...shown,
          when: ["absent", { version: below(version), [start]: known, lane: undefined }],
        },
        // Lists keep orders placed through this API even when streams no longer show them.
        { kind: "put", ...listed, when: ["absent", { lane: undefined }] },
        // Removes the old list entry if the engine has corrected the start time, which decides the place in lists.
        ...(isMoved ? [{ kind: "remove", key: listedKeyOf(recorded, known) } as const] : []),
        ...openExecutionWrite(recorded),
      ]);
      if (isWritten) return "recorded";
      const [stored, storedInList] = await Promise.all(
        [shown, listed].map(({ key }) => readItem<ExecutionItem>(table, key)),
      );
      if (stored?.lane !== undefined || storedInList?.lane !== undefined) return "not yours";
      if (stored !== undefined && stored.version >= version) return "unchanged";
      if (stored !== undefined) known = startOf(executionIn(stored));
      return undefined;
    },
    { attempts: maxAttempts },
  );
  if (outcome === undefined) throw new Error("Others keep changing the record");
  return outcome;
}

/** Reads an order or a position, which is kept until a week after its end. */
export async function readExecution(
  table: Table,
  userID: string,
  kind: ExecutionKind,
  id: string,
): Promise<(Execution & { userID: string; lane?: string }) | undefined> {
  const item = await readItem<ExecutionItem>(table, executionKey(userID, kind, id));
  return item && executionIn(withoutKey(item));
}

/**
 * Reads the user's orders or positions by id: all open ones, and the newest of those that ended in the last week. A
 * busy trader has tens of thousands, so the function keeps only slightly more than the result in memory.
 */
export async function readExecutions(
  table: Table,
  userID: string,
  kind: ExecutionKind,
): Promise<Execution[]> {
  const open: ExecutionItem[] = [];
  let ended: ExecutionItem[] = [];
  for await (const page of queryPages<ExecutionItem>(table, executionsOf(userID, kind))) {
    for (const item of page) (isOpen(item) ? open : ended).push(item);
    if (ended.length > 2 * maxShownAfterEnd) ended = newest(ended);
  }
  const shown = [...open, ...newest(ended)].toSorted((a, b) => (a.SK < b.SK ? -1 : 1));
  return shown.map(executionIn);
}

/**
 * Selects the executions that expire last. All executions expire the same time after their end, except those that are
 * not final.
 */
function newest(ended: readonly ExecutionItem[]): ExecutionItem[] {
  const expiry = ({ expiresAt = Number.MAX_SAFE_INTEGER }: ExecutionItem) => expiresAt;
  return ended.toSorted((a, b) => expiry(b) - expiry(a)).slice(0, maxShownAfterEnd);
}
