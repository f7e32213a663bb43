import { dayText, periodText, type Span } from "./calendar.ts";

/** Height of the plot in its own units. Its width is the number of bars. */
const height = 100;

/** Minimum height of a bar that is not 0. */
const leastHeight = 1;

export type ProfitBar = {
  /** First day of the period. */
  start: string;
  /** Net profit, as decimal text. */
  net: string;
  /** Net profit as people read it. */
  text: string;
};

/** Draws the net profit of periods as bars above and below a line. The table next to it has the same numbers. */
export function ProfitPlot({ name, span, bars }: { name: string; span: Span; bars: readonly ProfitBar[] }) {
  // Only places on the screen: amounts stay text.
  const values = bars.map(({ net }) => Number(net));
  const [top, bottom] = [Math.max(0, ...values), Math.min(0, ...values)];
  const scale = top === bottom ? 0 : height / (top - bottom);
  const zero = top === bottom ? height / 2 : top * scale;
  return (
    <figure class="plot" style={{ "--bars": bars.length }}>
      <svg viewBox={`0 0 ${bars.length} ${height}`} preserveAspectRatio="none" role="img" aria-label={name}>
        {bars.map(({ start, text }, place) => {
          const value = values[place] ?? 0;
          const tall = value === 0 ? 0 : Math.max(leastHeight, Math.abs(value) * scale);
          return (
            <g key={start}>
              {/* Shows the text wherever the pointer is above or below the bar. */}
              <title>{`${periodText(start, span)}: ${text}`}</title>
              <rect class="ground" x={place} y={0} width={1} height={height} />
              <rect
                class={value < 0 ? "down" : "up"}
                x={place + 0.1}
                y={value < 0 ? zero : zero - tall}
                width={0.8}
                height={tall}
              />
            </g>
          );
        })}
        <line x1={0} x2={bars.length} y1={zero} y2={zero} />
      </svg>
      <figcaption class="quiet">
        <span>{dayText(bars[0]?.start ?? "")}</span>
        {bars.length > 1 && <span>{dayText(bars.at(-1)?.start ?? "")}</span>}
      </figcaption>
    </figure>
  );
}
