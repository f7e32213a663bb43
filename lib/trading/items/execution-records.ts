import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { ExecutionKind } from "../../core/execution-words.ts";
import type { Key } from "../../table/keys.ts";
import { retry } from "../../table/retry.ts";
import { below } from "../../table/step.ts";
import { type Item, queryPages, type Table } from "../../table/table.ts";
import { write } from "../../table/write.ts";
import { type Execution, expiryOf, idOf, isOpen, maxShownAfterEnd, startOf } from "../core/execution.ts";
import { executionKey, executionsOf, listedExecutionKey } from "./keys.ts";

type Recorded = { userID: string; kind: ExecutionKind; execution: Execution; now: Date };

/** An order or a position as it is stored. The lane is that of an order placed here. */
type ExecutionItem = Item<Execution & { userID: string; lane?: string; expiresAt?: number | undefined }>;

/**
 * The items of an order or a position, which are written together: the one that streams show, and the one that lists show.
 * The latter is kept for good if it was placed here.
 *
 * @param lane The lane of what was placed here, which no other engine may write.
 */
export function executionItems({ userID, kind, execution, now, lane }: Recorded & { lane?: string }) {
  // The chain may still change the outcome of what was placed here, and then the record has to be there.
  const isFinal = lane === undefined || execution.settled === true;
  const expiresAt = isFinal ? expiryOf(execution, now) : undefined;
  const content = { ...execution, userID, ...(lane !== undefined && { lane }) };
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

/** Each attempt meets another writer. */
const maxAttempts = 5;

/**
 * Saves what another engine reports, unless the table has the same or a later version, or it was placed here.
 *
 * @throws {Error} if others keep changing the record.
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
        // What was placed here stays in lists when it is no longer shown.
        { kind: "put", ...listed, when: ["absent", { lane: undefined }] },
        // Its engine has corrected when it began, and so its place in lists.
        ...(isMoved ? [{ kind: "remove", key: listedKeyOf(recorded, known) } as const] : []),
      ]);
      if (isWritten) return "recorded";
      const [stored, storedInList] = await Promise.all(
        [shown, listed].map(({ key }) => readItem(table, key)),
      );
      if (stored?.lane !== undefined || storedInList?.lane !== undefined) return "not yours";
      if (stored !== undefined && stored.version >= version) return "unchanged";
      if (stored !== undefined) known = startOf(stored);
      return undefined;
    },
    { attempts: maxAttempts },
  );
  if (outcome === undefined) throw new Error("Others keep changing the record");
  return outcome;
}

/** An order or a position, until a week after its end. */
export async function readExecution(
  table: Table,
  userID: string,
  kind: ExecutionKind,
  id: string,
): Promise<ExecutionItem | undefined> {
  return await readItem(table, executionKey(userID, kind, id));
}

async function readItem(table: Table, Key: Key): Promise<ExecutionItem | undefined> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key, ConsistentRead: true }),
  );
  return Item as ExecutionItem | undefined;
}

/**
 * The user's orders or positions, by id: the open ones, and of those that ended in the last week the newest. A busy trader
 * has tens of thousands of these, so at no time are many more in memory than are returned.
 */
export async function readExecutions(
  table: Table,
  userID: string,
  kind: ExecutionKind,
): Promise<Execution[]> {
  const open: ExecutionItem[] = [];
  let ended: ExecutionItem[] = [];
  for await (const page of queryPages<ExecutionItem>(table, executionsOf(userID, kind))) {
    open.push(...page.filter(isOpen));
    ended.push(...page.filter((execution) => !isOpen(execution)));
    if (ended.length > 2 * maxShownAfterEnd) ended = newest(ended);
  }
  return [...open, ...newest(ended)].toSorted((a, b) => (a.SK < b.SK ? -1 : 1));
}

/** Those that expire last, since all of them expire the same time after their end. What is not final does not expire yet. */
function newest(ended: readonly ExecutionItem[]): ExecutionItem[] {
  const expiry = ({ expiresAt = Number.MAX_SAFE_INTEGER }: ExecutionItem) => expiresAt;
  return ended.toSorted((a, b) => expiry(b) - expiry(a)).slice(0, maxShownAfterEnd);
}
