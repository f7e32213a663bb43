import type { Order } from "trading-terminal-client";
import { get, post } from "./client.ts";
import type { Message } from "./inbox.ts";
import type { Stream } from "./stream.ts";
import type { User } from "./users.ts";

export const ordersPath = "/api/v2/orders";

export type Shown = Pick<Order, "status" | "exits" | "takeProfit" | "stopLoss"> & {
  orderId: string;
  settled: boolean;
  version: number;
  txHash?: string;
  amount: string;
  filledAmount: string;
  receivedAmount?: string;
};

export type Data = {
  order: Shown;
  orders: Shown[];
  positions: unknown[];
  firings?: unknown[];
  attempts: { purpose: string; txHash: string; outcome: string }[];
};

/** Places an order with an idempotency key. */
export async function placeOrder({ token }: User, body: object, key: string) {
  const headers = { "Idempotency-Key": key };
  const { status, json, headers: answered } = await post(ordersPath, { token, headers, body });
  return {
    status,
    replayed: answered.get("Idempotent-Replayed"),
    body: json as { data: Data; error: object },
  };
}

/** Reads the data of a GET below `/api/v2/`. */
export const dataFor = async (user: User, query: string): Promise<Data> =>
  ((await get(`/api/v2/${query}`, user)).json as { data: Data }).data;

/** Lists the updates of a channel, oldest first. */
export const updatesOf = (stream: Stream, channel: string): Shown[] =>
  stream.received
    .filter((message: Message) => message.type === "update" && message.channel === channel)
    .flatMap(({ data }) => data as Shown[]);

/** Finds the message that settles an order. */
export const settles = (orderId: string) => (message: Message) =>
  message.channel === "orders" &&
  message.type === "update" &&
  (message.data as Shown[]).some((order) => order.orderId === orderId && order.settled);
