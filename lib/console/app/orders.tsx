import { useState } from "preact/hooks";
import type { Order, RestRequest } from "trading-terminal-client";
import { isSameToken } from "trading-terminal-client/markets";
import { CancelButton } from "./cancel-button.tsx";
import { type NetworkName, networks, Panel, Select } from "./controls.tsx";
import { useCall, useDesk } from "./desk.ts";
import { ExploredLink } from "./explored-link.tsx";
import { fillsCsv, hasFill } from "./fills-csv.ts";
import {
  amount,
  coinOf,
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
import { useKept } from "./kept.ts";
import { nothingToSell } from "./nothing-to-sell.ts";
import { OrderDetails } from "./order-details.tsx";
import { allOf, nextWanted } from "./order-pages.ts";
import { Amount, PairName } from "./pair-name.tsx";
import { type Column, RecordTable } from "./record-table.tsx";
import { saveFile } from "./save-file.ts";
import { Warnings } from "./ticket/quote-view.tsx";
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

type OlderOrders = { name: string; filter?: Query; isWanted: (order: Order) => boolean };

type ReadOrders = { of: string; orders: readonly Order[]; cursor: string | undefined };

/**
 * Adds older orders to those of the stream, which lacks them or has too many to show at once.
 *
 * @param older.name Name of the list, which keeps them while another list is shown.
 */
function useOlder({ name, filter = {}, isWanted }: OlderOrders) {
  const { terminal, state } = useDesk();
  const { call, isBusy } = useCall();
  const of = JSON.stringify(filter);
  const [read, setRead] = useKept<ReadOrders | undefined>(`older ${name}`, undefined);
  const current = read?.of === of ? read : undefined;
  // The stream has the newest versions.
  const streamed = state?.orders ?? [];
  const known = new Set(streamed.map(({ orderId }) => orderId));
  const older = (current?.orders ?? []).filter(({ orderId }) => !known.has(orderId));
  async function more() {
    if (isBusy) return;
    const query = { ...filter, limit: 100, ...(current?.cursor && { cursor: current.cursor }) };
    const isNew = (order: Order) => isWanted(order) && !known.has(order.orderId);
    const page = await call(() => nextWanted(terminal.pages("listOrders", { query }), isNew));
    if (page) setRead({ of, orders: [...older, ...page.orders], cursor: page.cursor });
  }
  const isAll = current !== undefined && current.cursor === undefined;
  return { orders: [...streamed.filter(isWanted), ...older.filter(isWanted)], isAll, isBusy, more };
}

/** Shows the newest orders, whatever has become of them. */
export function Orders() {
  const { state } = useDesk();
  const [status, setStatus] = useKept<Status>("status", "");
  const [chain, setChain] = useKept<NetworkName | "">("chain", "");
  const isWanted = (order: Order) =>
    (status === "" || order.status === status || (status === "resting" && isResting(order))) &&
    (chain === "" || order.chain === chain);
  const filter = { ...(status && { status }), ...(chain && { chain }) };
  const { orders, isAll, isBusy, more } = useOlder({ name: "orders", filter, isWanted });
  return (
    <Panel title="Orders" area="orders" aside={state && <span class="quiet">{state.orders.length}</span>}>
      <div class="list-tools">
        <Select label="Status" value={status} options={statuses} onPick={setStatus} />
        <Select label="Chain" value={chain} options={chains} onPick={setChain} />
        <CancelAll chain={chain} />
      </div>
      <OrderTable
        name="Orders"
        columns={[
          "side",
          "token",
          "type",
          "amount",
          "alsoReceived",
          "price",
          "state",
          "wallet",
          "alsoPlaced",
        ]}
        orders={orders}
        empty={status === "" && chain === "" ? "No orders yet. Place one under Trade." : "No such orders."}
        onMore={state && !isAll && status !== "resting" ? more : undefined}
        moreText={isBusy ? "Reading …" : "Older orders"}
      />
    </Panel>
  );
}

/** Shows the orders that wait for a price or for their time, all of which the stream has. */
export function Resting() {
  const { state } = useDesk();
  const resting = (state?.orders ?? []).filter(isResting);
  return (
    <Panel title="Resting" area="resting">
      {resting.length > 0 && (
        <div class="list-tools">
          <CancelAll chain="" />
        </div>
      )}
      <OrderTable
        name="Resting orders"
        columns={[
          "side",
          "token",
          "type",
          "amount",
          "firesAt",
          "distance",
          "progress",
          "wallet",
          "alsoPlaced",
        ]}
        orders={resting}
        empty="Nothing rests. A limit or a stop waits here for its price."
      />
    </Panel>
  );
}

/** Shows what has been bought and sold. */
export function Fills() {
  const { state } = useDesk();
  const { orders, isAll, isBusy, more } = useOlder({ name: "fills", isWanted: hasFill });
  return (
    <Panel title="History" area="history">
      <div class="list-tools">
        <SaveFills />
      </div>
      <OrderTable
        name="Fills"
        columns={["placed", "side", "token", "filled", "received", "price", "fee", "wallet"]}
        orders={orders}
        empty="No fills yet."
        onMore={state && !isAll ? more : undefined}
        moreText={isBusy ? "Reading …" : "Older fills"}
      />
    </Panel>
  );
}

/** Saves all fills of the user as a file, such as for taxes. */
function SaveFills() {
  const { terminal } = useDesk();
  const { call, isBusy } = useCall();
  async function save() {
    const pages = terminal.pages("listOrders", { query: { limit: 100 } });
    const orders = await call(() => allOf(pages, (page) => page.orders));
    if (orders === undefined) return;
    saveFile("fills.csv", fillsCsv(orders), "text/csv");
  }
  return (
    <button type="button" class="plain" disabled={isBusy} onClick={save}>
      {isBusy ? "Reading all fills …" : "Save all fills as CSV"}
    </button>
  );
}

function CancelAll({ chain }: { chain: NetworkName | "" }) {
  const { terminal, state } = useDesk();
  const { call, isBusy } = useCall();
  if (!state?.orders.some(isOpen)) return null;
  const cancelAll = () => call(() => terminal.cancelOrders({ body: chain === "" ? {} : { chain } }));
  return (
    <button type="button" class="plain" disabled={isBusy} onClick={cancelAll}>
      {chain === "" ? "Cancel all orders" : `Cancel all orders on ${chain}`}
    </button>
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

/** Lists the prices for which a resting order waits. */
const wantedPrices = (order: Order) => `${firesAt(order).join(", ")} ${unitsOf(order).price}`;

/** Makes the columns of all tables of orders. */
function useColumns(): Record<string, Column<Order>> {
  const { state, orderWarnings, balances } = useDesk();
  const nameOf = useWalletNames();
  const marketOf = ({ chain, token }: Order) =>
    token === undefined ? undefined : state?.markets.find((each) => isSameToken(each, { chain, token }));
  const placed: Column<Order> = {
    name: "Placed",
    isNumber: true,
    by: ({ createdAt }) => Date.parse(createdAt),
    cell: ({ createdAt }) => day(createdAt),
  };
  const inUnit = (text: string | undefined, unit: string) => <Amount text={text} unit={unit} />;
  const received: Column<Order> = {
    name: "Received",
    isNumber: true,
    by: ({ receivedAmount }) => Number(receivedAmount),
    cell: (order) => inUnit(order.receivedAmount, unitsOf(order).received),
  };
  return {
    side: {
      name: "Side",
      by: ({ side }) => side,
      cell: ({ side }) => <span class={`side ${side}`}>{side}</span>,
    },
    token: {
      name: "Token",
      by: ({ symbol }) => symbol,
      cell: (order) => <PairName pair={order} />,
    },
    type: { name: "Type", from: 92, by: ({ type }) => type, cell: ({ type }) => words(type) },
    amount: {
      name: "Amount",
      isNumber: true,
      by: (order) => Number(order.amount),
      cell: (order) => (
        <>
          {inUnit(order.amount, unitsOf(order).spent)}
          {order.status === "partially_filled" && `, ${amount(order.filledAmount)} filled`}
        </>
      ),
    },
    filled: {
      name: "Paid",
      isNumber: true,
      by: ({ filledAmount }) => Number(filledAmount),
      cell: (order) => inUnit(order.filledAmount, unitsOf(order).spent),
    },
    received,
    alsoReceived: { ...received, from: 60 },
    price: {
      name: "Price",
      isNumber: true,
      by: ({ averagePrice }) => Number(averagePrice),
      cell: (order) =>
        // A resting order has no fill price yet, only the prices for which it waits.
        order.averagePrice === undefined && isResting(order)
          ? `${firesAt(order, (level) => amount(level, 4)).join(", ")} ${unitsOf(order).price}`
          : inUnit(order.averagePrice, unitsOf(order).price),
    },
    fee: {
      name: "Network fee",
      from: 60,
      isNumber: true,
      by: ({ networkFee }) => Number(networkFee),
      cell: ({ networkFee, chain }) => inUnit(networkFee, coinOf[chain]),
    },
    firesAt: {
      name: "Fires at",
      isNumber: true,
      cell: wantedPrices,
    },
    distance: {
      name: "Distance",
      isNumber: true,
      cell(order) {
        const { price } = marketOf(order) ?? {};
        return price === undefined ? "–" : distancesFrom(price, order).join(", ");
      },
    },
    progress: {
      name: "State",
      cell(order) {
        const lack = nothingToSell(order, state?.positions ?? [], balances);
        if (lack !== undefined) return <span class="badge warn">{lack}</span>;
        return [stateOfResting(order), slicesText(order)].filter(Boolean).join(", ") || "–";
      },
    },
    state: {
      name: "Status",
      by: ({ status }) => status,
      cell: (order) => (
        <>
          <span class={`outcome ${order.status}`} title={outcome(order)}>
            {outcome(order)}
          </span>
          <Warnings about="the order" warnings={orderWarnings.get(order.orderId) ?? []} />
        </>
      ),
    },
    wallet: {
      name: "Wallet",
      from: 92,
      by: nameOf,
      cell: (order) => (
        <ExploredLink network={order.chain} kind="wallet" id={order.wallet} text={nameOf(order)} />
      ),
    },
    placed,
    alsoPlaced: { ...placed, from: 92 },
  };
}

/** Says what a resting order waits for besides its price. */
const stateOfResting = ({ attention = [], stage, trailing, ...order }: Order): string =>
  [
    ...attention.map(({ code }) => words(code)),
    ...(attention.length === 0 && stage !== undefined ? [stage] : []),
    ...(trailing?.mark === undefined
      ? []
      : [`trailed by ${trailing.trailPercent} % from ${amount(trailing.mark)} ${pairUnits(order).quote}`]),
  ].join(", ");

type TableProps = {
  name: string;
  columns: readonly string[];
  orders: readonly Order[];
  empty: string;
  onMore?: (() => unknown) | undefined;
  moreText?: string;
};

/** Shows orders, and the transactions of one of them. */
function OrderTable({ columns, orders, empty, ...more }: TableProps) {
  const { state } = useDesk();
  const [opened, setOpened] = useState<string>();
  const all = useColumns();
  if (state === undefined) return <p class="empty">Reading the orders …</p>;
  if (orders.length === 0 && more.onMore === undefined) return <p class="empty">{empty}</p>;
  return (
    <>
      {orders.length === 0 && <p class="empty">{empty}</p>}
      <RecordTable
        {...more}
        rows={orders}
        columns={columns.flatMap((key) => all[key] ?? [])}
        keyOf={({ orderId }) => orderId}
        actions={(order) => (
          <OrderActions
            order={order}
            isOpened={opened === order.orderId}
            onOpen={() => setOpened(opened === order.orderId ? undefined : order.orderId)}
          />
        )}
        details={(order) =>
          opened === order.orderId && <OrderDetails order={order} onClose={() => setOpened(undefined)} />
        }
      />
    </>
  );
}

type ActionsProps = { order: Order; isOpened: boolean; onOpen: () => void };

function OrderActions({ order, isOpened, onOpen }: ActionsProps) {
  const { stage } = order;
  const hasStages = stage !== undefined && stage !== "done";
  return (
    <>
      {isOpen(order) && hasStages && <CancelButton order={order} />}
      <button type="button" class="plain" aria-expanded={isOpened} onClick={onOpen}>
        Details
      </button>
    </>
  );
}
