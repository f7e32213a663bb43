import type { Order } from "trading-terminal-client";
import { describe, expect, it, vi } from "vitest";
import { type MoveSteps, moveOrder } from "../app/market/move-order.ts";

const order = (status: Order["status"]) => ({ status }) as Order;

const steps = (change: Partial<MoveSteps> = {}): MoveSteps & { place: ReturnType<typeof vi.fn> } => ({
  cancel: async () => ({ order: order("cancelled") }),
  ended: async () => order("cancelled"),
  place: vi.fn(async () => "placed" as const),
  ...(change as object),
});

describe("moving an order", () => {
  it("places the new order after the old one is cancelled", async () => {
    const all = steps();
    expect(await moveOrder(all)).toMatchObject({ result: "moved" });
    expect(all.place).toHaveBeenCalledTimes(1);
  });

  it.each<[string, Partial<MoveSteps>, string]>([
    [
      "the old order has ended",
      { cancel: async () => ({ refusal: { code: "ORDER_NOT_CANCELLABLE", message: "", status: 409 } }) },
      "kept",
    ],
    [
      "the cancellation is refused",
      { cancel: async () => ({ refusal: { code: "RATE_LIMITED", message: "Wait.", status: 429 } }) },
      "kept",
    ],
    [
      "the cancellation is not answered",
      { cancel: async () => ({ refusal: { code: "NETWORK_ERROR", message: "", status: 0 } }) },
      "unclear",
    ],
    [
      "the service fails",
      { cancel: async () => ({ refusal: { code: "INTERNAL_ERROR", message: "", status: 500 } }) },
      "unclear",
    ],
    [
      "the old order fills after all",
      { cancel: async () => ({ order: order("open") }), ended: async () => order("filled") },
      "kept",
    ],
    ["the old order fills at once", { cancel: async () => ({ order: order("filled") }) }, "kept"],
    [
      "nobody knows whether the old order fills",
      { cancel: async () => ({ order: order("open") }), ended: async () => undefined },
      "unclear",
    ],
  ])("places nothing if %s", async (_, change, result) => {
    const all = steps(change);
    expect(await moveOrder(all)).toMatchObject({ result });
    expect(all.place).not.toHaveBeenCalled();
  });

  it("waits until an order that was firing is cancelled", async () => {
    const all = steps({ cancel: async () => ({ order: order("open") }) });
    expect(await moveOrder(all)).toMatchObject({ result: "moved" });
  });

  it("tells that the old order is gone if the new one is refused or not answered", async () => {
    const refused = await moveOrder(steps({ place: async () => "refused" }));
    expect(refused).toMatchObject({ result: "gone", text: expect.stringContaining("is cancelled") });
    const lost = await moveOrder(steps({ place: async () => "unanswered" }));
    expect(lost).toMatchObject({ result: "unclear", text: expect.stringContaining("is cancelled") });
  });
});
