import { useEffect, useState } from "preact/hooks";
import type { RestingOrderRequest } from "trading-terminal-client";
import { Dialog, Facts } from "../controls.tsx";
import { useDesk } from "../desk.ts";
import { amount, coinOf, failureText, percentText } from "../format.ts";
import { type Moved, moveOrder } from "./move-order.ts";
import { movedOrder, type OrderLine } from "./order-lines.ts";

/** A line that the user has dragged, and where to. */
export type Move = { line: OrderLine; price: string };

/** Time for an order that was just firing to end. */
const endsWithinMs = 60_000;

/** A trial counts the old order, too. Its place is free once the old order is cancelled. */
const isOfTrialOnly = ({ code }: { code: string }) => code === "TOO_MANY_RESTING";

/** Tries the new order without placing it. Undefined until the answer arrives. */
function useTrial({ line, price }: Move) {
  const { terminal } = useDesk();
  const [trial, setTrial] = useState<{ problem?: string; firesNow?: boolean }>();
  useEffect(() => {
    const trying = new AbortController();
    const { signal } = trying;
    async function tryOut() {
      const body = { ...movedOrder(line, price, Date.now()), dryRun: true as const };
      const { data, error } = await terminal.placeOrder<true, RestingOrderRequest["type"]>({ body, signal });
      if (signal.aborted) return;
      if (data) setTrial({ firesNow: data.resting.wouldFireNow });
      else setTrial(isOfTrialOnly(error) ? {} : { problem: failureText(error) });
    }
    void tryOut();
    return () => trying.abort();
  }, []);
  return trial;
}

type DialogProps = { move: Move; onLeave: () => void; onMoved: (moved: Moved) => void };

/** Shows what a move changes, and asks once. */
export function MoveDialog({ move, onLeave, onMoved }: DialogProps) {
  const { terminal, placing, isStale } = useDesk();
  const [isBusy, setBusy] = useState(false);
  const trial = useTrial(move);
  const { line, price } = move;
  const { order } = line;
  const coin = coinOf[order.chain];
  const change = percentText((Number(price) / Number(line.price) - 1) * 100);
  const isBlocked = isStale || placing.isBusy || placing.unanswered !== undefined;

  async function confirm() {
    setBusy(true);
    const { orderId } = order;
    const text = `The order at ${amount(price)} ${coin}`;
    const moved = await moveOrder({
      cancel: async () => {
        const { data, error } = await terminal.cancelOrder({ path: { orderId }, body: {} });
        return data ? { order: data.order } : { refusal: error };
      },
      ended: () =>
        terminal.waitForOrder(orderId, { until: "filled", timeoutMs: endsWithinMs }).catch(() => undefined),
      place: () => placing.place(movedOrder(line, price, Date.now()), text),
    });
    onMoved(moved);
  }

  return (
    <Dialog title="Move this order?" {...(!isBusy && { onClose: onLeave })}>
      <Facts
        facts={[
          ["Order", line.text],
          ["Fires at", `${amount(line.price)} ${coin}`],
          ["then at", `${amount(price)} ${coin} (${change})`],
        ]}
      />
      <p class="quiet">
        The order is cancelled, and a new one placed as soon as it can no longer fill. Gas is as in the
        settings.
        {order.maxAmount !== undefined && " The new order no longer belongs to its buy."}
      </p>
      {trial?.firesNow && <p class="notice">At this price, it fires at once.</p>}
      {trial?.problem !== undefined && (
        <p class="notice bad" role="alert">
          Nothing has changed: {trial.problem}
        </p>
      )}
      {isBlocked && !isBusy && <p class="notice bad">Another order is not settled yet, under Trade.</p>}
      <div class="buttons">
        <button
          type="button"
          class="primary"
          disabled={isBusy || isBlocked || trial === undefined || trial.problem !== undefined}
          onClick={confirm}
        >
          {isBusy ? "Moving …" : trial === undefined ? "Checking …" : "Move it"}
        </button>
        <button type="button" disabled={isBusy} onClick={onLeave}>
          Leave it
        </button>
      </div>
    </Dialog>
  );
}

type NewsProps = { moved: Moved; onPlace: (() => void) | undefined; onClose: () => void };

/** Says how a move has ended, until the user closes the message. */
export function MoveNews({ moved, onPlace, onClose }: NewsProps) {
  return (
    <p class={moved.result === "moved" ? "notice" : "notice bad"} role="alert">
      {moved.text}{" "}
      {onPlace && (
        <button type="button" class="plain" onClick={onPlace}>
          Place it again
        </button>
      )}{" "}
      <button type="button" class="plain" onClick={onClose}>
        Close
      </button>
    </p>
  );
}
