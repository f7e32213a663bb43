import { useId } from "preact/hooks";
import type { Quote } from "trading-terminal-client";
import type { Verdict } from "./verdict.ts";

type BarProps = { side: Quote["side"]; verdict: Verdict; onAct: () => unknown };

/**
 * The only control that places an order. It is not a submit button, because Enter in a field would press a submit
 * button.
 */
export function PlaceBar({ side, verdict, onAct }: BarProps) {
  const id = useId();
  return (
    <div class="place-bar">
      <button
        type="button"
        class={verdict.act === "agree" ? "primary moved" : `primary ${side}`}
        disabled={verdict.act === "none"}
        aria-describedby={id}
        // Ignores the second click of a double click, which would place a second order.
        onClick={({ detail }) => detail < 2 && onAct()}
      >
        {verdict.text}
      </button>
      <p id={id} class={verdict.act === "none" ? "reason" : "reason moved"} role="status">
        {verdict.reason}
      </p>
    </div>
  );
}
