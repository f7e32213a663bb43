import { scaleLinear, scaleLog } from "d3-scale";
import { short } from "../sums.ts";
import { box, caption, dot, legend, line, picture, seriesColours, widthOf } from "./svg.ts";

/** A figure as its table writes it, and its value. */
export type Figure = { text: string; value: number };

export type Chart = {
  title: string;
  /** What the axis shows, with its unit. */
  axis: string;
  /** Shows ratios, by dots: the length of a bar would depend on where the axis begins. */
  isLogarithmic: boolean;
  series: readonly string[];
  /** The figures of each row, in the order of the series. */
  rows: readonly { name: string; figures: readonly (Figure | undefined)[] }[];
};

const width = 860;
const lineHeight = 18;
const padding = 20;

/** Draws rows of horizontal bars, or of dots on a logarithmic axis, each with its figure. */
export function chart({ title, axis, isLogarithmic, series, rows }: Chart): string {
  const values = rows.flatMap(({ figures }) => figures.flatMap((figure) => figure?.value ?? []));
  const left = padding + 10 + Math.max(...rows.map(({ name }) => widthOf(name)));
  const longest = Math.max(
    ...rows.flatMap(({ figures }) => figures.map((each) => widthOf(each?.text ?? ""))),
  );
  const range = [left, width - padding - longest];
  const scale = isLogarithmic
    ? scaleLog([Math.min(...values), Math.max(...values)], range).nice()
    : scaleLinear([0, Math.max(...values)], range).nice();
  const ticks = isLogarithmic
    ? scale.ticks().filter((tick) => Number.isInteger(Math.log10(tick)))
    : scale.ticks(6);

  const hasLegend = series.length > 1;
  const top = hasLegend ? 76 : 50;
  const rowHeight = lineHeight * series.length + 8;
  const bottom = top + rowHeight * rows.length;
  const middle = (left + (range[1] ?? left)) / 2;
  const parts = [
    ...(hasLegend ? legend(series, left, 56) : []),
    ...ticks.flatMap((tick) => [
      line(
        [
          [scale(tick), top],
          [scale(tick), bottom],
        ],
        "rule-line",
      ),
      caption(short(tick), scale(tick), bottom + 18, "soft", "middle"),
    ]),
    caption(axis, middle, bottom + 40, "soft", "middle"),
    ...rows.flatMap(({ name, figures }, row) => {
      const start = top + row * rowHeight + 4;
      const marks = figures.flatMap((figure, index) => {
        if (figure === undefined) return [];
        const y = start + (index + 0.5) * lineHeight;
        const end = scale(figure.value);
        const colour = seriesColours[index] ?? "soft";
        return [
          ...(isLogarithmic
            ? [
                line(
                  [
                    [left, y],
                    [end, y],
                  ],
                  "rule-line",
                ),
                dot(end, y, colour),
              ]
            : [box({ x: left, y: y - 6, width: end - left, height: 12 }, colour)]),
          caption(figure.text, end + 9, y + 4, "ink"),
        ];
      });
      return [caption(name, left - 10, start + (lineHeight * series.length) / 2 + 4, "ink", "end"), ...marks];
    }),
  ];
  return picture(title, width, bottom + 56, parts);
}
