import type { GatewayRequest, GatewayResponse, Handle } from "../http/messages.ts";
import type { Random } from "../random.ts";
import { canConflict, conditionCheck, type ItemCall, itemNameOf, partsOf, tableOf } from "./calls.ts";
import {
  type CancellationReason,
  conditionalCheckFailed,
  conflict,
  none,
  transactionCanceled,
  transactionConflict,
  transactionInProgress,
} from "./errors.ts";
import { ask, type Forward, operationOf, parsed } from "./forward.ts";
import { createInFlight, type ItemName } from "./in-flight.ts";
import { databaseOf, keySchemas } from "./key-schemas.ts";

export type ConflictsOptions = {
  forward: Forward;
  random: Random;
  /** Called before and after each transaction, while its items are in flight. */
  hold: () => Promise<unknown>;
};

/**
 * Adds conflicts to a database.
 *
 * Documented: an item that a TransactWriteItems names, even in a ConditionCheck, is in flight until the call is
 * answered. During that time, another TransactWriteItems on it is cancelled and single writes fail. Single writes in
 * flight also cancel a TransactGetItems. GetItem, Query, Scan and BatchGetItem never conflict.
 *
 * Undocumented: what happens to a transaction that meets a single write (here it waits), and whether a failed condition
 * or the conflict is reported (here chance decides).
 */
export function createConflicts({ forward, random, hold }: ConflictsOptions): Handle {
  const inFlight = createInFlight();
  const tokens = new Set<string>();
  const keyNamesOf = keySchemas(forward);

  return async (request) => {
    const operation = operationOf(request);
    if (!canConflict(operation)) return forward(request);
    const body = parsed(request.body);
    const calls = await callsIn(request, partsOf(operation, body));
    if (calls === undefined) return forward(request);
    const items = calls.map(({ item }) => item);
    switch (operation) {
      case "TransactGetItems": {
        const taken = inFlight.written(items);
        return taken.size > 0 ? transactionCanceled(reasonsOf(items, taken)) : forward(request);
      }
      case "BatchWriteItem":
        return inFlight.write(items, () => forward(request));
      case "TransactWriteItems":
        return transact(request, calls, tokenOf(request, body));
      default:
        return write(request, calls);
    }
  };

  /** Names the items of a call. Undefined if it has no parts, or if a table has no known key. */
  async function callsIn(
    request: GatewayRequest,
    parts: readonly ItemCall[] | undefined,
  ): Promise<Call[] | undefined> {
    if (parts === undefined) return undefined;
    const database = databaseOf(request);
    const keyNames = await Promise.all(parts.map((part) => keyNamesOf(request, tableOf(part))));
    if (keyNames.includes(undefined)) return undefined;
    return parts.map((part, index) => {
      const names = keyNames[index] as string[];
      return { part, keyNames: names, item: `${database} ${itemNameOf(part, names)}` };
    });
  }

  async function transact(
    request: GatewayRequest,
    calls: readonly Call[],
    token: string | undefined,
  ): Promise<GatewayResponse> {
    if (token !== undefined && tokens.has(token)) return transactionInProgress;
    const items = calls.map(({ item }) => item);
    const taken = inFlight.inTransaction(items);
    if (taken.size > 0) return transactionCanceled(await refusals(request, calls, taken));
    if (token !== undefined) tokens.add(token);
    try {
      return await inFlight.transact(items, () => forwardHeld(request));
    } finally {
      if (token !== undefined) tokens.delete(token);
    }
  }

  async function forwardHeld(request: GatewayRequest): Promise<GatewayResponse> {
    await hold();
    const answer = await forward(request);
    await hold();
    return answer;
  }

  async function write(request: GatewayRequest, calls: readonly Call[]): Promise<GatewayResponse> {
    const items = calls.map(({ item }) => item);
    const taken = inFlight.inTransaction(items);
    if (taken.size === 0) return inFlight.write(items, () => forward(request));
    const [reason = conflict] = await refusals(request, calls, taken);
    return reason.Code === conflict.Code ? transactionConflict : conditionalCheckFailed(reason);
  }

  /**
   * Lists the reasons for refusing each part of a call that meets a transaction. In half of all cases, failed
   * conditions come first.
   */
  async function refusals(
    request: GatewayRequest,
    calls: readonly Call[],
    taken: ReadonlySet<ItemName>,
  ): Promise<CancellationReason[]> {
    const conflicts = reasonsOf(
      calls.map(({ item }) => item),
      taken,
    );
    if (random() < 0.5) return conflicts;
    const failed = await failedConditions(request, calls);
    return conflicts.map((reason, index) => failed.get(index) ?? reason);
  }

  /** Finds the conditions that fail, by index of their part. */
  async function failedConditions(
    request: GatewayRequest,
    calls: readonly Call[],
  ): Promise<Map<number, CancellationReason>> {
    const checks = calls.flatMap(({ part, keyNames }, index) => {
      const check = conditionCheck(part, keyNames);
      return check === undefined ? [] : [{ index, check }];
    });
    if (checks.length === 0) return new Map();
    const answer = await ask(forward, request, "TransactWriteItems", {
      TransactItems: checks.map(({ check }) => check),
    });
    const { CancellationReasons = [] } = answer as { CancellationReasons?: CancellationReason[] };
    const reasons = checks.map(({ index }, at) => [index, CancellationReasons[at] ?? none] as const);
    return new Map(reasons.filter(([, { Code }]) => Code === "ConditionalCheckFailed"));
  }
}

type Call = { part: ItemCall; keyNames: readonly string[]; item: ItemName };

function reasonsOf(items: readonly ItemName[], taken: ReadonlySet<ItemName>): CancellationReason[] {
  return items.map((item) => (taken.has(item) ? conflict : none));
}

/** Returns the token that makes a call happen only once. Each database has separate tokens. */
function tokenOf(request: GatewayRequest, body: unknown): string | undefined {
  const { ClientRequestToken: token } = body as { ClientRequestToken?: string };
  return token === undefined ? undefined : `${databaseOf(request)} ${token}`;
}
