import type { Notice } from "../aws/notice-bus.ts";
import type { OrderStatus } from "../core/execution-words.ts";
import type { Order } from "../orders/execution.ts";
import type { PublishedChange } from "./change-messages.ts";

/** Age after which a change is a repeated one, for example of a new mapping to an old stream, or of a restored order. */
export const longestNoticeMs = 3_600_000;

/** Builds the notice that a guard will become looser, or that a private key could leave the service. */
export function custodyNoticeOf(change: PublishedChange): Notice | undefined {
  switch (change.of) {
    case "export": {
      const { userID, walletId, availableAt, thumbprint } = change;
      return { type: "WalletExportRequested", detail: { userID, walletId, availableAt, thumbprint } };
    }
    case "exportLock": {
      const { userID, lock } = change;
      if (lock.status === "unlocked") return { type: "ExportsUnlocked", detail: { userID } };
      const { unlocksAt } = lock;
      return unlocksAt === undefined
        ? undefined
        : { type: "ExportUnlockRequested", detail: { userID, unlocksAt } };
    }
    case "policy": {
      const { userID, walletId, pending } = change;
      if (change.change === "loosened") return { type: "PolicyLoosened", detail: { userID, walletId } };
      if (change.change === "tightened" || pending === undefined) return undefined;
      const { effectiveAt } = pending;
      return { type: "LooserPolicyRequested", detail: { userID, walletId, effectiveAt } };
    }
    case "programKey": {
      const { userID, keyId, name, scopes, revokedAt } = change.key;
      return revokedAt === undefined
        ? { type: "ProgramKeyAdded", detail: { userID, keyId, name, scopes } }
        : { type: "ProgramKeyRevoked", detail: { userID, keyId, name } };
    }
    case "device": {
      const { userID, deviceId, type: kind, name, leavesAt } = change.device;
      return leavesAt === undefined
        ? { type: "DeviceAdded", detail: { userID, deviceId, kind, name } }
        : { type: "DeviceRemoved", detail: { userID, deviceId, kind, name, leavesAt } };
    }
    default:
      return undefined;
  }
}

/** Builds the notice of an order for a user who has a device: it has filled, or has ended without the user's doing. */
export function orderNoticeOf(change: PublishedChange, now: Date): Notice | undefined {
  if (change.of !== "execution" || change.kind !== "order") return undefined;
  if (now.getTime() - Date.parse(change.execution.updatedAt) > longestNoticeMs) return undefined;
  const { userID, execution, statusBefore } = change;
  const order = execution as Order;
  const type = order.status === statusBefore ? undefined : orderNoticeTypeOf(order);
  return type && { type, detail: { userID, ...factsOf(order) } };
}

const failed: readonly OrderStatus[] = ["rejected", "expired", "cancelled"];

/**
 * Returns the type of the notice about an order's new status. A resting order fills by its children, and a child that
 * fails is no end of the order that rests.
 */
function orderNoticeTypeOf(order: Order): "OrderFilled" | "OrderRejected" | "RestingOrderEnded" | undefined {
  const { status, type, childOrderId, parentOrderId, reasonCode } = order;
  if (status === "filled") return childOrderId === undefined ? "OrderFilled" : undefined;
  if (!failed.includes(status) || reasonCode === "CANCELLED_BY_USER") return undefined;
  if (type !== "market") return "RestingOrderEnded";
  return parentOrderId === undefined && status !== "cancelled" ? "OrderRejected" : undefined;
}

const factsOf = ({ orderId, chain, wallet, symbol, token, side, type, status, ...order }: Order) => ({
  orderId,
  chain,
  wallet,
  symbol,
  token,
  side,
  type,
  status,
  amount: order.amount,
  filledAmount: order.filledAmount,
  receivedAmount: order.receivedAmount,
  averagePrice: order.averagePrice,
  txHash: order.txHash,
  reasonCode: order.reasonCode,
  parentOrderId: order.parentOrderId,
});
