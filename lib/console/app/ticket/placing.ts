import { useEffect, useState } from "preact/hooks";
import type { Order, OrderRequest, RestData, RestingOrderRequest } from "trading-terminal-client";
import { type Failure, failureText } from "../format.ts";
import type { Notify } from "../notices.tsx";
import type { Session } from "../session.ts";
import { browserStore } from "../stores.ts";
import { mayBePlacedAfter } from "./verdict.ts";

export type Placed = Extract<RestData<"placeOrder">, { order: unknown }>;

/** An order that the service has not answered. It may have been placed. */
export type UnansweredOrder = {
  /** Idempotency-Key of the order. The service shows it as `clientOrderId`. */
  key: string;
  body: OrderRequest | RestingOrderRequest;
  /** Name of the order in messages, such as "The buy of MOON". */
  text: string;
  sentAtMs: number;
};

export type Outcome = "placed" | "refused" | "unanswered";

/** Places one order at a time. */
export type Placing = {
  isBusy: boolean;
  /** Last order, if it was not answered. The page places no other order until this one is settled. */
  unanswered: UnansweredOrder | undefined;
  /** Last order that this page placed. */
  placed: UnansweredOrder["body"] | undefined;
  /** Returns what became of the order. `refused` includes that it was never sent. */
  place(body: OrderRequest | RestingOrderRequest, text: string): Promise<Outcome>;
  /** Sends the unanswered order again with the same key. */
  repeat: () => Promise<unknown>;
  /** Forgets the unanswered order, whether or not it was placed. */
  leave: () => void;
};

/** Stores a user's orders before they are sent and until they are answered, so that a reload loses none. */
function store(userID: string) {
  const prefix = `unanswered-order ${userID} `;
  return {
    oldest(): UnansweredOrder | undefined {
      const names = browserStore.names().filter((name) => name.startsWith(prefix));
      const orders = names.map((name) => JSON.parse(browserStore.get(name) ?? "") as UnansweredOrder);
      return orders.toSorted((a, b) => a.sentAtMs - b.sentAtMs)[0];
    },
    has: ({ key }: UnansweredOrder) => browserStore.get(prefix + key) !== undefined,
    save: (order: UnansweredOrder) => browserStore.set(prefix + order.key, JSON.stringify(order)),
    remove: ({ key }: UnansweredOrder) => browserStore.remove(prefix + key),
  };
}

type Deps = {
  session: Session;
  /** User of the session. Undefined until known. */
  userID: string | undefined;
  orders: readonly Order[] | undefined;
  notify: Notify;
  onPlaced: (placed: Placed) => void;
};

/**
 * Places each order at most once. A newer quote would make a different request and so a second order. An unanswered
 * order is therefore sent again unchanged, or found among the user's orders.
 */
export function usePlacing({ session, userID, orders, notify, onPlaced }: Deps): Placing {
  const [isBusy, setBusy] = useState(false);
  const [unanswered, setUnanswered] = useState<UnansweredOrder>();
  const [placed, setPlaced] = useState<UnansweredOrder["body"]>();
  const stored = store(userID ?? "");

  useEffect(() => {
    setUnanswered(userID === undefined ? undefined : stored.oldest());
    // Another tab may settle the order.
    const look = () => setUnanswered((order) => (order && stored.has(order) ? order : undefined));
    addEventListener("storage", look);
    return () => removeEventListener("storage", look);
  }, [userID]);

  useEffect(() => {
    if (unanswered === undefined || isBusy) return;
    if (!orders?.some(({ clientOrderId }) => clientOrderId === unanswered.key)) return;
    forget(unanswered);
    setPlaced(unanswered.body);
    notify(`${unanswered.text} had been placed`);
  }, [orders, unanswered, isBusy]);

  function forget(order: UnansweredOrder) {
    stored.remove(order);
    setUnanswered(stored.oldest());
  }

  async function send(order: UnansweredOrder): Promise<Outcome> {
    if (isBusy || userID === undefined) return "refused";
    stored.save(order);
    setBusy(true);
    try {
      const failures: Failure[] = [];
      session.onRetry.current = ({ operation, error }) => {
        if (operation === "placeOrder") failures.push(error);
      };
      const { data, error } = await session.terminal.placeOrder({
        body: order.body,
        headers: { "Idempotency-Key": order.key },
      });
      if (error !== undefined && mayBePlacedAfter([...failures, error], order === unanswered)) {
        setUnanswered(order);
        return "unanswered";
      }
      forget(order);
      if (error !== undefined) notify(failureText(error), "bad");
      if (data === undefined || !("order" in data)) return "refused";
      onPlaced(data);
      setPlaced(order.body);
      notify(`${order.text} is placed`, "step", { about: order.key });
      return "placed";
    } finally {
      setBusy(false);
    }
  }

  return {
    isBusy: isBusy || userID === undefined,
    unanswered,
    placed,
    leave: () => unanswered && forget(unanswered),
    place(body, text) {
      // Makes a key without crypto.randomUUID, which pages without HTTPS lack.
      const key = crypto.getRandomValues(new Uint8Array(16)).toHex();
      return send({ key, body, text, sentAtMs: Date.now() });
    },
    repeat: async () => unanswered && send(unanswered),
  };
}
