import type { Order } from "trading-terminal-client";
import { isOpen } from "../format.ts";

type Refusal = { code: string; message: string };

/** Steps of a move at the service. */
export type MoveSteps = {
  /** Cancels the old order. Returns it as it is then, or why it was not cancelled. */
  cancel: () => Promise<{ order: Order } | { refusal: Refusal & { status?: number } }>;
  /** Waits until the old order has ended. Undefined if that takes too long. */
  ended: () => Promise<Order | undefined>;
  /** Places the new order once. */
  place: () => Promise<"placed" | "refused" | "unanswered">;
};

/** Result of a move. `gone`: the old order is cancelled, and no new one is placed. */
export type Moved = { result: "moved" | "kept" | "gone" | "unclear"; text: string };

/**
 * Replaces an order: the service has no change of prices, so the old order is cancelled and a new one placed. The new
 * one is placed only once the old one can no longer fill, so that never both do.
 */
export async function moveOrder({ cancel, ended, place }: MoveSteps): Promise<Moved> {
  const cancelled = await cancel();
  if ("refusal" in cancelled) {
    const { code, message, status = 0 } = cancelled.refusal;
    if (code === "ORDER_NOT_CANCELLABLE")
      return { result: "kept", text: "The order has ended meanwhile. Nothing new is placed." };
    return status >= 400 && status < 500
      ? { result: "kept", text: `The order stays as it is: ${message.replace(/\.$/, "")}.` }
      : {
          result: "unclear",
          text: "The service did not answer. The order may be cancelled, and nothing new is placed: look under Orders.",
        };
  }
  const end = isOpen(cancelled.order) ? await ended() : cancelled.order;
  if (end === undefined)
    return {
      result: "unclear",
      text: "The order was just firing. It may still be filled, so nothing new is placed: look under Orders.",
    };
  if (end.status !== "cancelled")
    return { result: "kept", text: `The order ended as ${end.status} meanwhile. Nothing new is placed.` };
  switch (await place()) {
    case "placed":
      return { result: "moved", text: "The order is moved." };
    case "refused":
      return { result: "gone", text: "The old order is cancelled, but the new one was refused." };
    case "unanswered":
      return {
        result: "unclear",
        text: "The old order is cancelled, and nobody knows if the new one is placed. Settle that under Trade.",
      };
  }
}
