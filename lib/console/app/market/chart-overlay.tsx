import type { Ref } from "preact";
import { useEffect, useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { CancelButton } from "../cancel-button.tsx";
import { amount, coinOf, day } from "../format.ts";
import type { Bar, Mark } from "./bars.ts";
import type { ChartView } from "./chart-view.ts";
import { barsUnder, type FillGroup, groupedFills, sideOf } from "./fills.ts";
import { droppedPrice, steppedPrice } from "./line-price.ts";
import { type OrderLine, spreadLabels } from "./order-lines.ts";

/** Moves all elements to where the chart has drawn their times and prices. */
export type OverlayHandle = { place: () => void };

/** Width of a marker and height of a label, in pixels, as in the style sheet. */
const [markerPixels, labelPixels] = [20, 22];

/** Maximum number of fills that a marker lists. */
const mostListed = 8;

type OverlayProps = {
  handle: Ref<OverlayHandle>;
  view: ChartView;
  bars: readonly Bar[];
  marks: readonly Mark[];
  lines: readonly OrderLine[];
  rate: number | undefined;
  onMove: (line: OrderLine, price: string) => void;
};

/** Elements above the chart: markers of fills, and lines of orders. Both can be used by keyboard. */
export function ChartOverlay({ handle, view, bars, marks, lines, rate, onMove }: OverlayProps) {
  const element = useRef<HTMLDivElement>(null);
  const [barsApart, setBarsApart] = useState(1);
  const times = useMemo(() => bars.map(({ time }) => time), [bars.length, bars[0]?.time]);
  const groups = useMemo(() => groupedFills(marks, times, barsApart), [marks, times, barsApart]);
  // Draws the markers again only with other groups, because a user may have thousands of fills.
  const markers = useMemo(() => <FillMarkers groups={groups} />, [groups]);
  const lows = useMemo(() => new Map(bars.map(({ time, low }) => [time, low])), [bars]);

  function place() {
    setBarsApart(barsUnder(markerPixels, view.barPixels()));
    const [width, height] = [view.width(), view.height()];
    let stop: HTMLElement | undefined;
    for (const marker of element.current?.querySelectorAll<HTMLElement>(".fill") ?? []) {
      marker.tabIndex = -1;
      const time = Number(marker.dataset.time);
      const [x, y] = [view.x(time), view.y(lows.get(time) ?? Number.NaN)];
      const isIn = x !== undefined && y !== undefined && x >= 0 && x <= width;
      marker.hidden = !isIn;
      if (!isIn) continue;
      stop = marker;
      const top = Math.min(y + 4, height - markerPixels);
      marker.style.transform = `translate(${x - markerPixels / 2}px, ${top}px)`;
      // Opens the list towards the middle of the chart.
      marker.classList.toggle("from-right", x > width / 2);
      marker.classList.toggle("from-below", top > height / 2);
    }
    if (stop !== undefined) stop.tabIndex = 0;
    const shown = [...(element.current?.querySelectorAll<HTMLElement>(".order-line") ?? [])];
    const heights = shown.map(({ dataset }) => view.y(Number(dataset.price)) ?? 0);
    const order = heights.map((_, index) => index).sort((a, b) => (heights[a] ?? 0) - (heights[b] ?? 0));
    const tops = spreadLabels(
      order.map((index) => (heights[index] ?? 0) - labelPixels / 2),
      labelPixels,
      height,
    );
    for (const [rank, index] of order.entries()) {
      const [line, y, top] = [shown[index], heights[index] ?? 0, tops[rank]];
      if (line === undefined) continue;
      line.hidden = top === undefined;
      if (top === undefined) continue;
      line.style.width = `${width}px`;
      line.style.transform = `translateY(${top}px)`;
      // Keeps the rule at the price, even if its label had to move. A price beyond the chart has no rule.
      line.style.setProperty("--rule", `${y - top}px`);
      line.classList.toggle("beyond", y < 0 || y > height);
    }
  }
  useImperativeHandle(handle, () => ({ place }));
  useLayoutEffect(place);

  return (
    <div ref={element} class="chart-overlay">
      {rate !== undefined &&
        lines.map((line) => (
          <LineLabel
            key={`${line.order.orderId} ${line.part}`}
            line={line}
            view={view}
            rate={rate}
            onMove={onMove}
            onDraft={place}
          />
        ))}
      {markers}
    </div>
  );
}

/** Markers of the user's fills. Tab stops at the last one in sight; arrow keys move between them. */
function FillMarkers({ groups }: { groups: readonly FillGroup[] }) {
  if (groups.length === 0) return null;
  function onKey(event: KeyboardEvent & { currentTarget: HTMLElement }) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const markers = [...event.currentTarget.querySelectorAll<HTMLElement>(".fill:not([hidden])")];
    const next = markers.indexOf(document.activeElement as HTMLElement) + step;
    markers[(next + markers.length) % markers.length]?.focus();
    event.preventDefault();
  }
  return (
    <div role="toolbar" aria-label="Your fills in the chart" onKeyDown={onKey}>
      {groups.map((group) => {
        const side = sideOf(group);
        const { length } = group.fills;
        const sign = length > 1 ? `${length}` : side === "buy" ? "B" : "S";
        const listed = group.fills.slice(-mostListed).map(({ text, at }) => `${text}, ${day(at)}`);
        const texts = length > mostListed ? [...listed, `and ${length - mostListed} before`] : listed;
        return (
          <button
            key={group.time}
            type="button"
            class={`fill ${side}`}
            data-time={group.time}
            aria-label={`${sign}: ${texts.join("; ")}`}
          >
            {sign}
            <span class="tip" aria-hidden="true">
              {texts.map((text) => (
                <span key={text}>{text}</span>
              ))}
            </span>
          </button>
        );
      })}
    </div>
  );
}

type LineProps = {
  line: OrderLine;
  view: ChartView;
  rate: number;
  onMove: (line: OrderLine, price: string) => void;
  /** Called when the line has another price than drawn. */
  onDraft: () => void;
};

/** Steps of the keys that move a line. */
const stepsOf: Readonly<Record<string, number>> = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 };

/** The line of an order. Its label and its rule can be dragged, or moved by arrow keys and Enter. Escape puts it back. */
function LineLabel({ line, view, rate, onMove, onDraft }: LineProps) {
  const [draft, setDrawnDraft] = useState<string>();
  useLayoutEffect(onDraft, [draft]);
  // Events may follow each other before the draft is drawn.
  const newest = useRef<string>(undefined);
  function setDraft(next: string | undefined) {
    newest.current = next;
    setDrawnDraft(next);
  }
  const drag = useRef<{ fromY: number; lineY: number }>(undefined);
  // If the order has changed in the meantime, its line moves to the order's current price.
  useEffect(() => setDraft(undefined), [line.price, line.canMove]);
  const { order, part, text, canMove, lack } = line;
  const price = draft ?? line.price;
  const priceText = `${amount(price)} ${coinOf[order.chain]}`;
  const shared = {
    class: `order-line ${order.side} ${part}`,
    "data-price": Number(price) * rate,
  };
  if (!canMove || lack !== undefined)
    return (
      <div {...shared}>
        <span class="label">
          {lack !== undefined && (
            <>
              <CancelButton order={order} /> {lack}:{" "}
            </>
          )}
          {text} at {priceText}
        </span>
      </div>
    );

  function finish() {
    drag.current = undefined;
    const dropped = newest.current;
    setDraft(undefined);
    if (dropped !== undefined && dropped !== line.price) onMove(line, dropped);
  }
  function onKey(event: KeyboardEvent) {
    const steps = stepsOf[event.key];
    if (steps !== undefined) setDraft(steppedPrice(newest.current ?? line.price, steps));
    else if (event.key === "Enter" || event.key === " ") finish();
    else if (event.key === "Escape" && draft !== undefined) setDraft(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
  function onDown(event: PointerEvent & { currentTarget: HTMLElement }) {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const lineY = view.y(Number(line.price) * rate) ?? 0;
    drag.current = { fromY: event.clientY, lineY: Math.min(Math.max(lineY, 0), view.height()) };
  }
  function onDrag({ clientY }: PointerEvent) {
    if (drag.current === undefined) return;
    const { fromY, lineY } = drag.current;
    const at = view.priceAt(lineY + clientY - fromY);
    setDraft(at === undefined || clientY === fromY ? undefined : droppedPrice(at / rate));
  }
  const dragging = {
    onPointerDown: onDown,
    onPointerMove: onDrag,
    onPointerUp: finish,
    onPointerCancel() {
      drag.current = undefined;
      setDraft(undefined);
    },
  };
  return (
    <div {...shared}>
      <span class="grip" aria-hidden="true" {...dragging} />
      <span
        class="label"
        role="slider"
        tabIndex={0}
        aria-label={`${text}. Arrow keys change its price, Enter moves it`}
        aria-orientation="vertical"
        aria-valuenow={Number(price)}
        aria-valuetext={priceText}
        onKeyDown={onKey}
        {...dragging}
        onBlur={() => drag.current === undefined && setDraft(undefined)}
      >
        {text} {draft === undefined ? "at" : "→"} {priceText}
      </span>
    </div>
  );
}
