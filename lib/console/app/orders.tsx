import { useState } from "preact/hooks";
import type { Order, RestRequest } from "trading-terminal-client";
import { isSameToken } from "trading-terminal-client/markets";
import { type NetworkName, networks, Panel, Select } from "./controls.tsx";
import { useCall, useDesk } from "./desk.ts";
import { ExploredLink } from "./explored-link.tsx";
import {
  amount,
  day,
  distancesFrom,
  firesAt,
  isOpen,
  isResting,
  pairUnits,
  slicesText,
  unitsOf,
  words,
} from "./format.ts";
import { OrderDetails } from "./order-details.tsx";
import { Warnings } from "./ticket/quote-view.tsx";
import { freshSide } from "./ticket/ticket.tsx";
import { useWalletNames } from "./wallet-names.ts";

const statuses = [
  ["", "All"],
  ["open", "Open"],
  ["resting", "Resting"],
  ["filled", "Filled"],
  ["rejected", "Rejected"],
  ["cancelled", "Cancelled"],
  ["expired", "Expired"],
] as const;

const chains = [["", "All chains"], ...networks] as const;

type Status = (typeof statuses)[number][0];
type Query = NonNullable<RestRequest<"listOrders">["query"]>;

/** Maximum number of orders that are shown at first. Older orders are loaded page by page. */
const shownAtFirst = 50;
const pageSize = 50;

/** Reads pages of older orders, because the stream lacks them or they are too many to show at once. */
function useOlder(filter: { status: Status; chain: NetworkName | "" }) {
  const { terminal } = useDesk();
  const { call, isBusy } = useCall();
  const of = JSON.stringify(filter);
  const [read, setRead] = useState<{ of: string; orders: readonly Order[]; cursor: string | undefined }>();
  const current = read?.of === of ? read : undefined;
  async function more() {
    const query = {
      ...(filter.status && { status: filter.status }),
      ...(filter.chain && { chain: filter.chain }),
      ...(current?.cursor && { cursor: current.cursor }),
      limit: pageSize,
    } as unknown as Query;
    const page = await call(() => terminal.listOrders({ query }));
    if (page) setRead({ of, orders: [...(current?.orders ?? []), ...page.orders], cursor: page.cursor });
  }
  const isAll = current !== undefined && current.cursor === undefined;
  return { older: current?.orders ?? [], isAll, isBusy, more };
}

export function Orders() {
  const { state } = useDesk();
  const [status, setStatus] = useState<Status>("");
  const [chain, setChain] = useState<NetworkName | "">("");
  const { older, isAll, isBusy, more } = useOlder({ status, chain });
  const { terminal } = useDesk();
  const { call, isBusy: isCancelling } = useCall();
  const ofChain = chain === "" ? {} : { chain };
  const cancelAll = () => call(() => terminal.cancelOrders({ body: ofChain }));
  const fits = (order: Order) =>
    (status === "" || order.status === status || (status === "resting" && isResting(order))) &&
    (chain === "" || order.chain === chain);
  const streamed = (state?.orders ?? []).filter(fits);
  const known = new Set(streamed.map(({ orderId }) => orderId));
  // Prefers orders from the stream, because it has their newest versions.
  const all = [...streamed, ...older.filter((order) => !known.has(order.orderId) && fits(order))];
  const shown = all.slice(0, Math.max(shownAtFirst, older.length + shownAtFirst));
  return (
    <Panel title="Orders" area="orders" aside={state && <span class="quiet">{state.orders.length}</span>}>
      <div class="pair">
        <Select label="Status" value={status} options={statuses} onPick={setStatus} />
        <Select label="Chain" value={chain} options={chains} onPick={setChain} />
      </div>
      {state?.orders.some(isOpen) && (
        <button type="button" class="plain" disabled={isCancelling} onClick={cancelAll}>
          {chain === "" ? "Cancel all orders" : `Cancel all orders on ${chain}`}
        </button>
      )}
      {state === undefined ? (
        <p class="empty">Reading the orders …</p>
      ) : shown.length === 0 ? (
        <p class="empty">
          {status === "" && chain === "" ? "No orders yet. Place one under Trade." : "No such orders."}
        </p>
      ) : (
        <ul class="rows" aria-label="Orders">
          {shown.map((order) => (
            <OrderRow key={order.orderId} order={order} />
          ))}
        </ul>
      )}
      {state && !isAll && status !== "resting" && (
        <button type="button" class="plain" disabled={isBusy} onClick={more}>
          {isBusy ? "Reading …" : "Older orders"}
        </button>
      )}
    </Panel>
  );
}

/** Describes an order's outcome in a few words. */
function outcome({ status, stage, settled, reasonCode, reason }: Order): string {
  if (status === "partially_filled" && stage !== undefined) return `partially filled: ${stage}`;
  if (status === "open") return reasonCode ? `${stage}: ${words(reasonCode)}` : (stage ?? "open");
  const why = reasonCode === "CANCELLED_BY_USER" ? "by you" : reasonCode ? words(reasonCode) : reason;
  const end = why ? `${words(status)}: ${why}` : words(status);
  return settled === false ? `${end}, settling` : end;
}

function OrderRow({ order }: { order: Order }) {
  const { terminal, state, orderWarnings, openTicket } = useDesk();
  const { call, isBusy } = useCall();
  const nameOf = useWalletNames();
  const { orderId, side, symbol, chain, status, token } = order;
  const cancel = () => call(() => terminal.cancelOrder({ path: { orderId }, body: {} }));
  const hasStages = order.stage !== undefined && order.stage !== "done";
  const { spent, received, price } = unitsOf(order);
  const isPart = status === "partially_filled";
  const market =
    token !== undefined && isResting(order)
      ? state?.markets.find((each) => isSameToken(each, { chain, token }))
      : undefined;
  return (
    <li class="execution" data-order={orderId}>
      <span class={`side ${side}`}>{side}</span>
      <strong>{symbol}</strong>
      <span class="badge">{chain}</span>
      <span class={`outcome ${status}`}>{outcome(order)}</span>
      <Warnings about="the order" warnings={orderWarnings.get(orderId) ?? []} />
      <dl>
        <dt>Amount</dt>
        <dd>
          {amount(order.amount)} {spent}
          {isPart && `, ${amount(order.filledAmount)} filled`}
        </dd>
        {isResting(order) && (
          <>
            <dt>Fires at</dt>
            <dd>
              {firesAt(order).join(", ")} {price}
            </dd>
          </>
        )}
        {slicesText(order) !== undefined && (
          <>
            <dt>Progress</dt>
            <dd>{slicesText(order)}</dd>
          </>
        )}
        {order.trailing?.mark !== undefined && (
          <>
            <dt title="It has followed the price up to here">Mark</dt>
            <dd>
              {amount(order.trailing.mark)} {price}, trailed by {order.trailing.trailPercent} %
            </dd>
          </>
        )}
        {market?.price !== undefined && (
          <>
            <dt title="From the market's price now">Distance</dt>
            <dd>{distancesFrom(market.price, order).join(", ")}</dd>
          </>
        )}
        {order.attention !== undefined && order.attention.length > 0 && (
          <>
            <dt>Kept by</dt>
            <dd>{order.attention.map(({ code }) => words(code)).join(", ")}</dd>
          </>
        )}
        <dt>Received</dt>
        <dd>{order.receivedAmount ? `${amount(order.receivedAmount)} ${received}` : "–"}</dd>
        <dt>Price</dt>
        <dd>{order.averagePrice ? `${amount(order.averagePrice)} ${price}` : "–"}</dd>
        <dt>Wallet</dt>
        <dd>
          <ExploredLink network={chain} kind="wallet" id={order.wallet} text={nameOf(order)} />
        </dd>
        <dt>Placed</dt>
        <dd>{day(order.createdAt)}</dd>
      </dl>
      {isOpen(order) && hasStages && (
        <button type="button" disabled={isBusy || order.stage === "cancelling"} onClick={cancel}>
          Cancel
        </button>
      )}
      {token !== undefined && (
        <button
          type="button"
          class="plain"
          onClick={() => openTicket({ chain, token, wallet: order.wallet, ...freshSide(side) })}
        >
          Trade {pairUnits(order).base}
        </button>
      )}
      <OrderDetails order={order} />
    </li>
  );
}
