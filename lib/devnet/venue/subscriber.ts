import * as v from "valibot";
import { failure, subscriptions } from "./messages.ts";

const Products = v.array(v.string());

/** A channel is either a name, which applies to `product_ids`, or an object with its own products. */
const Request = v.object({
  type: v.literal("subscribe"),
  product_ids: v.optional(Products, []),
  channels: v.array(v.union([v.string(), v.object({ name: v.string(), product_ids: Products })])),
});

const channels = ["ticker", "heartbeat"] as const;

type Channel = (typeof channels)[number];

/** Subscriptions of one connection. */
export type Subscriber = ReturnType<typeof createSubscriber>;

export function createSubscriber(hasProduct: (product: string) => boolean) {
  const subscribed = new Map<string, Set<string>>(channels.map((channel) => [channel, new Set()]));

  /** Returns a reason to reject the whole request, or undefined. */
  function objection(name: string, products: readonly string[]): string | undefined {
    if (!subscribed.has(name)) return `${name} is not a valid channel`;
    if (products.length === 0) return `You need to specify at least one product ID for channel ${name}`;
    const unknown = products.find((product) => !hasProduct(product));
    return unknown === undefined ? undefined : `${unknown} is not a valid product`;
  }

  return {
    isSubscribed: () => [...subscribed.values()].some((products) => products.size > 0),

    has: (channel: Channel, product: string) => subscribed.get(channel)?.has(product) ?? false,

    /** Handles a message. Returns the answer, and the products whose tickers it added. */
    request(text: string): { answer: object; added: readonly string[] } {
      const request = parse(text);
      if (request === undefined) return { answer: failure("Malformed JSON"), added: [] };
      const { product_ids } = request;
      const named = request.channels.map((channel) =>
        typeof channel === "string" ? { name: channel, product_ids } : channel,
      );
      for (const channel of named) {
        const reason = objection(channel.name, channel.product_ids);
        if (reason !== undefined) return { answer: failure("Failed to subscribe", reason), added: [] };
      }
      const added = new Set<string>();
      for (const { name, product_ids } of named) {
        for (const product of product_ids) {
          subscribed.get(name)?.add(product);
          if (name === "ticker") added.add(product);
        }
      }
      return { answer: subscriptions(subscribed), added: [...added] };
    },
  };
}

function parse(text: string): v.InferOutput<typeof Request> | undefined {
  try {
    return v.parse(Request, JSON.parse(text));
  } catch {
    return undefined;
  }
}
