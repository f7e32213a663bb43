import { useState } from "preact/hooks";
import type { Order, Position } from "trading-terminal-client";
import { Choice, Panel } from "./controls.tsx";
import { useCall, useDesk } from "./desk.ts";
import { ExploredLink } from "./explored-link.tsx";
import { amount, clock, shortened, words } from "./format.ts";
import { OrderDetails } from "./order-details.tsx";
import { Warnings } from "./quote-view.tsx";

export function Executions() {
  const { orders, positions } = useDesk().state;
  const [shown, setShown] = useState<"orders" | "positions">("orders");
  const open = positions.filter(({ status }) => status === "open");
  const tabs = [
    ["orders", `Orders ${orders.length || ""}`],
    ["positions", `Positions ${open.length || ""}`],
  ] as const;
  return (
    <Panel title="Orders and positions" area="executions">
      <Choice label="Show" name="executions" value={shown} options={tabs} onPick={setShown} />
      {shown === "orders" ? (
        <Orders orders={orders} />
      ) : (
        <Positions positions={[...open, ...positions.filter(({ status }) => status !== "open")]} />
      )}
    </Panel>
  );
}

/** Names the user's wallet of an order or a position, or else its address. */
function useWalletNames() {
  const { wallets } = useDesk().state;
  return ({ wallet, chain }: Pick<Order, "wallet" | "chain">) =>
    wallets.find(({ generatedWalletAddress: address, network }) => address === wallet && network === chain)
      ?.slotName ?? shortened(wallet);
}

function Orders({ orders }: { orders: readonly Order[] }) {
  if (orders.length === 0) return <p class="empty">No orders yet. Place one under Trade.</p>;
  return (
    <ul class="rows" aria-label="Orders">
      {orders.map((order) => (
        <OrderRow key={order.orderId} order={order} />
      ))}
    </ul>
  );
}

/** Describes the outcome of an order in a word or two. */
function outcome({ status, stage, settled, reasonCode }: Order): string {
  if (status === "open") return reasonCode ? `${stage}: ${words(reasonCode)}` : (stage ?? "open");
  const end = reasonCode ? `${words(status)}: ${words(reasonCode)}` : words(status);
  return settled === false ? `${end}, settling` : end;
}

function OrderRow({ order }: { order: Order }) {
  const { terminal, orderWarnings } = useDesk();
  const { call, isBusy } = useCall();
  const nameOf = useWalletNames();
  const { orderId, side, symbol, chain, status } = order;
  const cancel = () => call(() => terminal.cancelOrder({ path: { orderId }, body: {} }));
  const hasStages = order.stage !== undefined && order.stage !== "done";
  return (
    <li class="execution" data-order={orderId}>
      <span class={`side ${side}`}>{side}</span>
      <strong>{symbol}</strong>
      <span class="badge">{chain}</span>
      <span class={`outcome ${status}`}>{outcome(order)}</span>
      <Warnings about="the order" warnings={orderWarnings.get(orderId) ?? []} />
      <dl>
        <dt>Amount</dt>
        <dd>{amount(order.amount)}</dd>
        <dt>Received</dt>
        <dd>{amount(order.receivedAmount)}</dd>
        <dt>Price</dt>
        <dd>{amount(order.averagePrice)}</dd>
        <dt>Wallet</dt>
        <dd>
          <ExploredLink network={chain} kind="wallet" id={order.wallet} text={nameOf(order)} />
        </dd>
        <dt>Placed</dt>
        <dd>{clock(order.createdAt)}</dd>
      </dl>
      {status === "open" && hasStages && (
        <button type="button" disabled={isBusy || order.stage === "cancelling"} onClick={cancel}>
          Cancel
        </button>
      )}
      <OrderDetails order={order} />
    </li>
  );
}

function Positions({ positions }: { positions: readonly Position[] }) {
  const nameOf = useWalletNames();
  if (positions.length === 0) return <p class="empty">No positions yet.</p>;
  return (
    <ul class="rows" aria-label="Positions">
      {positions.map((position) => (
        <li key={position.positionId} class="execution">
          <span class={`side ${position.status}`}>{position.status}</span>
          <strong>{position.symbol}</strong>
          <span class="badge">{position.chain}</span>
          <span class={position.realizedPnl.startsWith("-") ? "outcome down" : "outcome up"}>
            PnL {amount(position.realizedPnl)}
          </span>
          <dl>
            <dt>Amount</dt>
            <dd>{amount(position.amount)}</dd>
            <dt>Entry</dt>
            <dd>{amount(position.averageEntryPrice)}</dd>
            <dt>Cost</dt>
            <dd>{amount(position.cost)}</dd>
            <dt>Wallet</dt>
            <dd>
              <ExploredLink
                network={position.chain}
                kind="wallet"
                id={position.wallet}
                text={nameOf(position)}
              />
            </dd>
            <dt>Opened</dt>
            <dd>{clock(position.openedAt)}</dd>
          </dl>
        </li>
      ))}
    </ul>
  );
}
