import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { newKey } from "../support/keys.ts";
import type { OrderChain } from "./order-chain.ts";
import type { Service } from "./service.ts";

type Order = {
  orderId: string;
  status: string;
  stage: string;
  settled: boolean;
  updatedAt: string;
  txHash?: string;
  exits?: { orderId: string }[];
};

/** A user who trades through the service. */
export async function openTrader(
  service: Service,
  { chain, token: bought, amount, fund }: OrderChain,
  user = "trader",
) {
  const token = await service.token(user);

  async function ask<Data>(path: string, body?: object, key?: string): Promise<Data> {
    const response = await fetch(`${service.baseUrl}${path}`, {
      headers: {
        Authorization: `Bearer ${token}`,
        ...(body && { "Content-Type": "application/json" }),
        ...(key && { "Idempotency-Key": key }),
      },
      ...(body && { method: "POST", body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
    return (JSON.parse(text) as { data: Data }).data;
  }

  const place = (terms: object) =>
    ask<{ order: Order }>(
      "/api/v2/orders",
      { ...terms, chain, side: "buy", token: bought, amount },
      randomUUID(),
    );

  return {
    async newWallet(): Promise<string> {
      const { address, privateKey } = newKey(chain);
      await ask("/storeWallet_v2", { network: chain, privateKey });
      await fund(address);
      return address;
    },
    buy: (wallet: string, terms: object = {}) => place({ wallet, type: "market", ...terms }),
    read: async (orderId: string) => (await ask<{ order: Order }>(`/api/v2/orders/${orderId}`)).order,
    /** Cancels all resting orders, so that their limit is not reached. */
    cancelAll: () => ask("/api/v2/orders/cancel", {}),
    /** Places a limit to buy at this price. */
    placeLimit: (wallet: string, price: string) =>
      place({ wallet, type: "limit", price, maxNetworkFee: "0.01" }),
    /** Waits until all of the user's newest orders meet the condition. */
    async untilAll(is: (order: Order) => boolean): Promise<void> {
      for (;;) {
        const { orders } = await ask<{ orders: Order[] }>("/api/v2/orders?limit=100");
        if (orders.every(is)) return;
        await delay(200);
      }
    },
  };
}
