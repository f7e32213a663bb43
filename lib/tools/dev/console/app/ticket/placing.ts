import { useEffect, useState } from "preact/hooks";
import type { Order, OrderRequest, RestData } from "trading-terminal-client";
import { failureText } from "../format.ts";
import type { Session } from "../session.ts";

export type Placed = Extract<RestData<"placeOrder">, { order: unknown }>;

/** An order whose answer was lost. It may have been placed. */
export type UnansweredOrder = {
  /** Its Idempotency-Key, which the service shows as `clientOrderId`. */
  key: string;
  body: OrderRequest;
  /** Names the order for people, such as "The buy of MOON". */
  text: string;
};

/** Places orders, one after another. */
export type Placing = {
  isBusy: boolean;
  /** Undefined unless the last order was not answered. No other order is placed until that is settled. */
  unanswered: UnansweredOrder | undefined;
  /** @returns true if the order is placed */
  place(body: OrderRequest, text: string): Promise<boolean>;
  /** Sends the unanswered order again, with the same key. */
  repeat(): Promise<boolean>;
  /** Forgets the unanswered order, whatever became of it. */
  leave(): void;
};

/** Stores the order before it is sent, so that it is known after a reload. */
const store = (userID: string) => {
  const name = `unanswered-order ${userID}`;
  return {
    read: () => JSON.parse(localStorage.getItem(name) ?? "null") as UnansweredOrder | null,
    save: (order: UnansweredOrder) => localStorage.setItem(name, JSON.stringify(order)),
    remove: () => localStorage.removeItem(name),
  };
};

/** True for an answer that the service gives without having looked for the order. */
const isOfGateway = (status: number) => [401, 403, 429].includes(status);

const isRefusal = (status: number) => status >= 400 && status < 500;

type Deps = {
  session: Session;
  /** Undefined until the user is known. */
  userID: string | undefined;
  orders: readonly Order[] | undefined;
  notify: (text: string, kind?: "good" | "bad") => void;
  onPlaced: (placed: Placed) => void;
};

/**
 * Places orders at most once. A later quote makes another request, and another request would be another order. So an order
 * that was not answered is sent again as it was, or found among the user's orders.
 */
export function usePlacing({ session, userID, orders, notify, onPlaced }: Deps): Placing {
  const [isBusy, setBusy] = useState(false);
  const [unanswered, setUnanswered] = useState<UnansweredOrder>();
  const stored = store(userID ?? "");

  useEffect(() => setUnanswered(stored.read() ?? undefined), [userID]);

  useEffect(() => {
    if (unanswered === undefined || isBusy) return;
    if (!orders?.some(({ clientOrderId }) => clientOrderId === unanswered.key)) return;
    leave();
    notify(`${unanswered.text} had been placed`);
  }, [orders, unanswered, isBusy]);

  function leave() {
    stored.remove();
    setUnanswered(undefined);
  }

  async function send(order: UnansweredOrder): Promise<boolean> {
    setBusy(true);
    stored.save(order);
    let mayBePlaced = order === unanswered;
    session.onRetry.current = ({ operation, error }) => {
      if (operation === "placeOrder" && !isRefusal(error.status)) mayBePlaced = true;
    };
    const { data, error } = await session.terminal.placeOrder({
      body: order.body,
      headers: { "Idempotency-Key": order.key },
    });
    setBusy(false);
    if (error !== undefined && (!isRefusal(error.status) || (mayBePlaced && isOfGateway(error.status)))) {
      setUnanswered(order);
      return false;
    }
    leave();
    if (error !== undefined) notify(failureText(error), "bad");
    if (data === undefined || !("order" in data)) return false;
    onPlaced(data);
    notify(`${order.text} is placed`);
    return true;
  }

  return {
    ...{ isBusy, unanswered, leave },
    place: (body, text) => send({ key: crypto.randomUUID(), body, text }),
    repeat: async () => unanswered !== undefined && send(unanswered),
  };
}
