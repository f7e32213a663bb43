import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { localAddresses } from "../../lib/tools/dev/chains/deployment.ts";
import type { LocalChain } from "../../lib/tools/dev/chains/local-chain.ts";
import { newEvmKey } from "../support/keys.ts";
import type { Service } from "./service.ts";

type Order = { orderId: string; status: string; settled: boolean };

const funds = `0x${(10n ** 20n).toString(16)}`;

/** A user who trades on the service. */
export async function openTrader(service: Service, chain: LocalChain, user = "trader") {
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

  const fund = (address: string) => chain.request("anvil_setBalance", [address, funds]);

  return {
    fund,
    async newWallet(): Promise<string> {
      const { address, privateKey } = newEvmKey();
      await ask("/storeWallet_v2", { network: chain.chain, privateKey });
      await fund(address);
      return address;
    },
    buy: (wallet: string) =>
      ask<{ order: Order }>(
        "/api/v2/orders",
        {
          ...{ chain: chain.chain, wallet, side: "buy", type: "market" },
          ...{ token: localAddresses.moon, amount: "0.001" },
        },
        randomUUID(),
      ),
    /** Waits until all newest orders of the user match. */
    async untilAll(is: (order: Order) => boolean): Promise<void> {
      for (;;) {
        const { orders } = await ask<{ orders: Order[] }>("/api/v2/orders?limit=100");
        if (orders.every(is)) return;
        await delay(200);
      }
    },
  };
}
