import { DomainError } from "../../core/domain-error.ts";
import type { PlacingView } from "../../orders/effects.ts";
import type { ItemWrite } from "../../orders/table-step.ts";
import type { PlacingRefusal } from "./assess.ts";

/** A request that places at most one order for its idempotency key, ever. */
export type KeyedRequest = {
  userID: string;
  /** Id for the order, unless the key has already placed an order. */
  orderId: string;
  key: string;
  /** Fingerprint of the request without its key. */
  fingerprint: string;
};

export const useKey = ({ userID, key, orderId, fingerprint }: KeyedRequest): ItemWrite => ({
  kind: "put",
  of: "key",
  item: { userID, key, orderId, fingerprint },
  when: "absent",
});

/** Takes the turn of a request that adds resting orders, so that no other one has added any since they were counted. */
export const takeTurn = ({ resting }: Pick<PlacingView, "resting">): ItemWrite[] => {
  const { turn } = resting ?? {};
  if (turn === undefined) return [];
  const { count } = turn;
  const when = count === 0 ? ("absent" as const) : { count };
  return [{ kind: "put", of: "restingTurn", item: { ...turn, count: count + 1 }, when }];
};

/**
 * Returns the order that the key has placed, even if the order has changed since. Undefined if the key is unused. If the
 * order is missing, for example after a restore, refuses the request, because the order may have been filled.
 */
export function replayedBy<Order>(
  { fingerprint }: KeyedRequest,
  { used }: PlacingView,
  order: Order | undefined,
): { order: Order; isReplayed: true } | { refused: PlacingRefusal } | undefined {
  if (used === undefined) return undefined;
  const isSame = used.fingerprint === fingerprint;
  if (isSame && order !== undefined) return { order, isReplayed: true };
  const other = isSame ? "an order whose record is lost" : "another order, with another body";
  const message = `Idempotency-Key was used for ${other}`;
  return { refused: new DomainError("IDEMPOTENCY_KEY_REUSED", message, { orderId: used.orderId }) };
}
