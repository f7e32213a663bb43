import { DomainError } from "../core/domain-error.ts";
import { isOwnId } from "../core/record-ids.ts";
import { cancelling } from "../orders/cancelling.ts";
import type { Order } from "../orders/execution.ts";
import { shownResting } from "../orders/resting/shown.ts";
import { shownOrder } from "../orders/trade-order.ts";
import type { Table } from "../table/table.ts";
import { type Performers, runProcedure } from "./execution/run-procedure.ts";
import { tableEffects } from "./execution/table-effects.ts";
import { orderNotFound } from "./get-order.ts";
import { readExecution } from "./items/execution-records.ts";
import { readParent } from "./items/resting-records.ts";
import { writeStep } from "./items/write-step.ts";

/**
 * Maximum number of attempts to cancel, far more than conflicts with honest runs require. A compromised executor can
 * make the signer sign again and again, and each of the signer's transactions checks for the cancellation and so
 * conflicts with it.
 */
const maxAttempts = 15;

export type CancellingDeps = {
  table: Table;
  /** Wakes the lane of a wallet. */
  wake: NonNullable<Performers["wake"]>;
  nowMs?: () => number;
};

/**
 * Cancels an order, or makes an empty transaction compete with the order's swap. Repeating the request changes nothing.
 * If other writers keep changing the order, returns it unchanged: the cancellation is recorded, and the lane's next run
 * carries it out.
 *
 * @throws {DomainError} ORDER_NOT_FOUND, or ORDER_NOT_CANCELLABLE if the order has ended in another way or belongs to
 * another engine.
 */
export async function cancelOrder(deps: CancellingDeps, userID: string, orderId: string): Promise<Order> {
  const answer = isOwnId(orderId)
    ? await runProcedure(cancelling(userID, orderId), cancellingEffects(deps))
    : { refused: "ORDER_NOT_FOUND" as const };
  if ("order" in answer) return shownOrder(answer.order);
  if ("resting" in answer) return shownResting(answer.resting);
  if (answer.refused === "ORDER_NOT_CANCELLABLE") throw notCancellable(answer.status);
  const recorded = await readExecution(deps.table, userID, "order", orderId);
  if (recorded === undefined) throw orderNotFound();
  throw new DomainError("ORDER_NOT_CANCELLABLE", "The order belongs to another engine", {
    status: recorded.status as Order["status"],
  });
}

export const cancellingEffects = ({ table, wake, nowMs = Date.now }: CancellingDeps) =>
  ({
    ...tableEffects(table),
    readParent: ({ userID, orderId }) => readParent(table, userID, orderId),
    write: ({ step }) => writeStep(table, step, { attempts: maxAttempts }),
    wake,
    now: nowMs,
  }) satisfies Performers;

const notCancellable = (status: Order["status"]) =>
  new DomainError("ORDER_NOT_CANCELLABLE", `The order is ${status}`, { status });
