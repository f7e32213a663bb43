import { scaleLinear } from "d3-scale";
import type { CostTemplate } from "../billed-resources.ts";
import { short } from "../sums.ts";
import { box, caption, legend, line, picture, seriesColours, widthOf } from "./svg.ts";

type Options = { label?: string; stat?: string; visible?: boolean };

type Widget = {
  x: number;
  y: number;
  width: number;
  height: number;
  /** Each metric is its namespace, its name and its dimensions, then its options. Expressions have only options. */
  properties: { title: string; metrics: (string | Options)[][] };
};

/** Invented figures of a quiet day, by metric. All other metrics count failures, and stay at 0. */
const usual: Record<string, number> = {
  Count: 1400,
  "4XXError": 30,
  Latency: 45,
  Duration: 60,
  ConnectCount: 15,
  MessageCount: 9000,
  IteratorAge: 350,
  Invocations: 600,
  ConsumedReadCapacityUnits: 2600,
  ConsumedWriteCapacityUnits: 900,
  TimeToBroadcast: 180,
  HostUnits: 42_000,
};

const column = 46;
const row = 31;
const top = 66;
const points = 36;

/** Draws the dashboard of these templates as an operator sees it, with invented figures. */
export function dashboardPicture(templates: readonly CostTemplate[]): string {
  const widgets = widgetsOf(templates);
  const height = top + row * Math.max(...widgets.map(({ y, height }) => y + height)) + 16;
  const note =
    "Graphs, titles and metrics are those of TerminalWatch. All figures are invented: an example of a quiet day.";
  return picture("The dashboard, with example figures", 24 * column + 32, height, [
    caption(note, 20, 50, "soft"),
    ...widgets.flatMap(graph),
  ]);
}

function graph({ x, y, width, height, properties: { title, metrics } }: Widget): string[] {
  const area = {
    x: 16 + x * column + 4,
    y: top + y * row + 4,
    width: width * column - 8,
    height: height * row - 8,
  };
  const all = metrics.flatMap(readMetric);
  const shown = fitting(all, area.width - 100);
  const series = shown.map(({ label, level }) => exampleOf(`${title} ${label}`, level));
  const [left, right] = [area.x + 52, area.x + area.width - 14];
  const [high, low] = [area.y + 36, area.y + area.height - 44];
  const values = scaleLinear([0, Math.max(1, ...series.flat())], [low, high]).nice(3);
  const times = scaleLinear([0, points - 1], [left, right]);
  const end = area.y + area.height - 10;
  const more = all.length > shown.length ? `and ${all.length - shown.length} more` : "";
  return [
    box(area, "area", 4),
    caption(title.length > 54 ? `${title.slice(0, 53)}…` : title, area.x + 12, area.y + 21, "ink"),
    ...values.ticks(3).flatMap((tick) => [
      line(
        [
          [left, values(tick)],
          [right, values(tick)],
        ],
        "rule-line",
      ),
      caption(short(tick), left - 6, values(tick) + 4, "soft small", "end"),
    ]),
    caption("3 hours ago", left, low + 16, "soft small"),
    caption("now", right, low + 16, "soft small", "end"),
    ...series.map((figures, index) =>
      line(
        figures.map((figure, place) => [times(place), values(figure)]),
        `${seriesColours[index]}-line`,
      ),
    ),
    ...legend(
      shown.map(({ label }) => label),
      area.x + 12,
      end,
      true,
    ),
    caption(more, area.x + area.width - 14, end, "soft small", "end"),
  ];
}

function widgetsOf(templates: readonly CostTemplate[]): Widget[] {
  const dashboard = templates
    .flatMap(({ Resources }) => Object.values(Resources))
    .find(({ Type }) => Type === "AWS::CloudWatch::Dashboard");
  const { "Fn::Join": [, parts] = ["", []] } = (dashboard?.Properties?.DashboardBody ?? {}) as {
    "Fn::Join"?: [string, unknown[]];
  };
  // Names of functions and of the table are known only after a deploy, and no picture shows them.
  return JSON.parse(parts.map((part) => (typeof part === "string" ? part : "name")).join("")).widgets;
}

/** Reads a metric that is shown. A hidden one is part of an expression. */
function readMetric(metric: (string | Options)[]): { label: string; level: number }[] {
  const { label = "", stat = "", visible = true } = metric.at(-1) as Options;
  const level = (usual[String(metric[1])] ?? 0) * (/^p9/.test(stat) ? 3 : 1);
  return visible ? [{ label, level }] : [];
}

/** Returns the first metrics, as many as have a colour and room for their names. */
function fitting<Metric extends { label: string }>(metrics: readonly Metric[], width: number): Metric[] {
  let used = 0;
  return metrics.slice(0, seriesColours.length).filter(({ label }, index) => {
    used += 34 + widthOf(label, true);
    return index === 0 || used <= width;
  });
}

/** Invents figures around a level, the same ones for the same name. */
function exampleOf(name: string, level: number): number[] {
  let state = [...name].reduce((sum, sign) => Math.imul(sum, 31) + sign.charCodeAt(0), 7);
  return Array.from({ length: points }, () => {
    state = Math.imul(state, 1_664_525) + 1_013_904_223;
    return level * (0.75 + (state >>> 0) / 2 ** 33);
  });
}
