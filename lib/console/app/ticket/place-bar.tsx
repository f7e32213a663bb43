import { useId } from "preact/hooks";
import type { Quote } from "trading-terminal-client";
import type { Verdict } from "./verdict.ts";

type BarProps = {
  /** Id of the button, by which a shortcut finds it. */
  button?: string;
  side: Quote["side"];
  verdict: Verdict;
  onAct: () => unknown;
  /** Called instead while the order cannot be placed. */
  onRefused?: () => void;
};

/**
 * The only control that places an order. It is not a submit button, because Enter in a field would press a submit
 * button. While it cannot be used it is not disabled, because it would lose the focus.
 */
export function PlaceBar({ button, side, verdict, onAct, onRefused }: BarProps) {
  const id = useId();
  const isOff = verdict.act === "none";
  return (
    <div class="place-bar">
      <button
        id={button}
        type="button"
        class={verdict.act === "agree" ? "primary moved" : `primary ${side}`}
        aria-disabled={isOff}
        aria-describedby={id}
        // Ignores the second click of a double click, which would place a second order.
        onClick={({ detail }) => detail < 2 && (isOff ? onRefused?.() : onAct())}
      >
        {verdict.text}
      </button>
      <p id={id} class={`reason ${verdict.tone ?? "quiet"}`} role="status">
        {verdict.reason}
      </p>
    </div>
  );
}
