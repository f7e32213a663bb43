import type { LaneView } from "./effects.ts";
import type { AskedChild } from "./resting/firing.ts";
import { type DeadChild, type Ended, keptAfterEndSeconds } from "./resting/mandate.ts";
import { mostOwed } from "./resting/schemas.ts";
import { fillIdOf } from "./resting/slices.ts";
import type { DeathProof, SlotRules } from "./slot-rules.ts";
import type { ItemWrite } from "./table-step.ts";
import { type AnyOrder, hasEnded, slotsOf } from "./trade-order.ts";

/** A child's signed swap, as hosts are asked about it. */
export type AskedSwap = AskedChild & { signed: { deadline: number } };

/** Returns the record that a child can never fill. */
const deadOf = ({ children }: LaneView, { intent: { orderId } }: AnyOrder): DeadChild | undefined =>
  children?.get(orderId)?.ended?.dead.find(({ child }) => child === orderId);

/**
 * Returns what the signer has signed for a child of this wallet.
 *
 * fireOrders writes orders and could give the child another wallet, where anybody's transactions would prove a
 * false death. Only the signer's ledger knows the wallet that signed.
 */
function ownLedger({ children }: LaneView, { intent }: AnyOrder) {
  const ledger = children?.get(intent.orderId)?.ledger;
  return ledger?.chain === intent.chain && ledger.wallet === intent.wallet ? ledger : undefined;
}

/** Returns the swap of a child that has not filled. Undefined for other orders, and if no swap is signed. */
function unfilledSwap(view: LaneView, { deaths }: SlotRules, order: AnyOrder) {
  const ledger = ownLedger(view, order);
  return ledger === undefined || order.life.status === "filled" ? undefined : deaths.signedIn(ledger);
}

/** Lists the children that have no proof yet, although they have ended or their deadline is past. */
export const unprovenIn = (
  view: LaneView,
  rules: SlotRules,
  nowMs: number,
): { order: AnyOrder; asked: AskedSwap }[] =>
  rules.deaths.proofIn === undefined
    ? []
    : view.orders.flatMap((order) => {
        const { wallet, parent } = order.intent;
        const signed = unfilledSwap(view, rules, order);
        if (parent === undefined || signed === undefined || deadOf(view, order) !== undefined) return [];
        const isOver = hasEnded(order) || nowMs > signed.deadline * 1000;
        return isOver ? [{ order, asked: { wallet, fillId: fillIdOf(parent), signed } }] : [];
      });

/** True unless an ended order must not settle yet, because its child's death is not proved. */
export const isProvenEnd = (view: LaneView, rules: SlotRules, order: AnyOrder): boolean =>
  rules.deaths.proofIn === undefined ||
  unfilledSwap(view, rules, order) === undefined ||
  deadOf(view, order) !== undefined;

/** Writes that a child can never fill. Later records replace the oldest ones. */
export const endedWrite = (
  view: LaneView,
  order: AnyOrder,
  found: Omit<DeadChild, "child">,
  nowMs: number,
): ItemWrite[] => writeOf(view, order, (old) => ({ dead: withLast(old?.dead, order, found) }), nowMs);

const withLast = <Found>(
  list: readonly (Found & { child: string })[] = [],
  { intent: { orderId: child } }: AnyOrder,
  found: Found,
) => [...list.filter((each) => each.child !== child), { child, ...found }].slice(-mostOwed);

/** The item expires once no child of the order is signed any more; one that is written late stays for a day, too. */
function writeOf(
  { children }: LaneView,
  { intent: { orderId: child, parent }, mandate }: AnyOrder,
  changes: (old: Ended | undefined) => Partial<Ended>,
  nowMs: number,
): ItemWrite[] {
  if (parent === undefined) return [];
  const old = children?.get(child)?.ended;
  const item: Ended = {
    dead: [],
    ...old,
    orderId: parent.orderId,
    ...changes(old),
    revision: (old?.revision ?? 0) + 1,
    expiresAt: Math.max(
      old?.expiresAt ?? 0,
      Math.max(mandate?.expiresAt ?? 0, Math.ceil(nowMs / 1000)) + keptAfterEndSeconds,
    ),
  };
  const when = old === undefined ? ("absent" as const) : { revision: old.revision };
  return [{ kind: "put", of: "ended", item, when }];
}

/**
 * Writes what a settled child has paid the network, unless its fill has ended its resting order. Writes nothing if
 * slots lack something that was signed, so that the signer still counts the most that the child could pay.
 */
export function settledWrites(view: LaneView, rules: SlotRules, order: AnyOrder, nowMs: number): ItemWrite[] {
  const ledger = ownLedger(view, order);
  if (ledger === undefined || rules.deaths.signedIn(ledger) === undefined) return [];
  const slots = slotsOf(order, view.slots);
  const seen = new Set(slots.flatMap(({ attempts }) => attempts.map(({ hash }) => hash)));
  if (!rules.deaths.hashesIn(ledger).every((hash) => seen.has(hash))) return [];
  const { status, networkFee: paid } = order.life;
  if (status === "filled")
    return order.intent.parent?.slice === undefined
      ? []
      : writeOf(view, order, (old) => ({ filled: withLast(old?.filled, order, { paid }) }), nowMs);
  const death: DeathProof | undefined = deadOf(view, order) ?? rules.deaths.endOf?.(slots);
  if (death === undefined) return [];
  const { how, block } = death;
  return endedWrite(view, order, { how, block, final: true, paid }, nowMs);
}
