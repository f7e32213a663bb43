import { useState } from "preact/hooks";
import type { Order, RestData } from "trading-terminal-client";
import { Facts } from "./controls.tsx";
import { useCopy, useDesk, useReading } from "./desk.ts";
import { ExploredLink } from "./explored-link.tsx";
import { attemptFacts, orderFacts, reportFacts } from "./facts.ts";
import { day, pairUnits } from "./format.ts";
import { useEscape } from "./keyboard.tsx";
import { freshSide } from "./ticket/fresh.ts";

type Read = RestData<"getOrder">;

/** Shows the transactions of an order and its result. */
export function OrderDetails({ order, onClose }: { order: Order; onClose: () => void }) {
  const { terminal } = useDesk();
  useEscape(onClose);
  const [read, setRead] = useState<Read>();
  const [problem, setProblem] = useState("");
  const { orderId, version } = order;

  // Reads again with each version of the order, because a new version may have a further transaction.
  useReading(
    (signal) => {
      void terminal.getOrder({ path: { orderId }, signal }).then(({ data, error }) => {
        if (signal.aborted) return;
        if (data) setRead(data);
        setProblem(error?.message ?? "");
      });
    },
    [orderId, version],
  );

  return (
    <div class="order-details">
      {problem && <p class="notice bad">{problem}</p>}
      {read === undefined ? <p class="quiet">Reading …</p> : <Shown {...read} />}
    </div>
  );
}

function Shown({ order, attempts, report }: Read) {
  const { openTicket } = useDesk();
  const copy = useCopy();
  const { orderId, side, chain, wallet, token, txHash } = order;
  return (
    <>
      <Facts
        facts={[
          ["Wallet", <ExploredLink key="wallet" network={chain} kind="wallet" id={wallet} />],
          ...(token === undefined
            ? []
            : [["Token", <ExploredLink key="token" network={chain} kind="token" id={token} />] as const]),
          ...(txHash === undefined
            ? []
            : [
                [
                  "Transaction",
                  <ExploredLink key="hash" network={chain} kind="transaction" id={txHash} />,
                ] as const,
              ]),
          ["Placed", day(order.createdAt)],
          ...orderFacts(order),
        ]}
      />
      <div class="buttons">
        {token !== undefined && (
          <button
            type="button"
            class="plain"
            onClick={() => openTicket({ chain, token, wallet, ...freshSide(side) })}
          >
            Trade {pairUnits(order).base}
          </button>
        )}
        <button type="button" class="plain" title={orderId} onClick={() => copy(orderId, "The order's id")}>
          Copy the order's id
        </button>
        {txHash !== undefined && (
          <button type="button" class="plain" onClick={() => copy(txHash, "The transaction's hash")}>
            Copy the transaction's hash
          </button>
        )}
      </div>
      {attempts.map((each) => (
        <section key={each.txHash} aria-label={`Attempt ${each.attempt}`}>
          <h3>
            {each.purpose}, {each.outcome}{" "}
            <ExploredLink network={chain} kind="transaction" id={each.txHash} />
          </h3>
          <Facts facts={attemptFacts(chain, each)} />
        </section>
      ))}
      {report && (
        <section aria-label="Report">
          <h3>Report</h3>
          <Facts facts={reportFacts(order, report)} />
        </section>
      )}
    </>
  );
}
