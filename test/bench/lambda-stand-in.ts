import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import type { MarketDelivery } from "../../lib/markets/core/market-delivery.ts";
import { now } from "./statistics.ts";

/** A delivery as deliver would have received it. */
export type DeliveryReceipt = { at: number; shard: number; bytes: number; records: number };

/** Time that deliver takes: a quarter of a millisecond for each client of a shard of 1,000. */
export const deliverMs = 250;

/** Starts a stand-in for Lambda. It records deliveries, answers each after a while, and knows no history of any token. */
export async function startLambdaStandIn() {
  const deliveries: DeliveryReceipt[] = [];
  const server = createServer(async (request, response) => {
    const at = now();
    const body = await buffer(request);
    if (request.url?.includes("/deliver/")) {
      const { shard, markets } = JSON.parse(body.toString()) as MarketDelivery;
      deliveries.push({ at, shard, bytes: body.length, records: markets.records.length });
      await pause(deliverMs);
      response.end(JSON.stringify({ isDelivered: true }));
    } else response.end(JSON.stringify("unavailable"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    deliveries,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
