import {
  type ChartOptions,
  ColorType,
  createChart,
  type DeepPartial,
  type IChartApi,
} from "lightweight-charts";

/** Colours of the page. A canvas cannot take them from a style sheet. */
export type ChartColours = { line: string; up: string; down: string; warn: string };

/** Makes a colour of the page transparent. */
export const faded = (colour: string, share: number) =>
  colour.replace("rgb(", "rgba(").replace(")", `, ${share})`);

/**
 * Opens a chart that keeps the page's colours when the theme changes.
 *
 * @param paint Applies the colours to the series.
 * @returns the chart, and a function that removes it
 */
export function openChart(
  container: HTMLElement,
  options: DeepPartial<ChartOptions>,
  paint: (chart: IChartApi, colours: ChartColours) => void,
): { chart: IChartApi; repaint: () => void; close: () => void } {
  const chart = createChart(container, {
    autoSize: true,
    // Hides the chart's logo, which would add a style sheet to the page. The footer has the link instead.
    layout: { attributionLogo: false, fontSize: 11 },
    localization: { locale: "en" },
    handleScroll: { vertTouchDrag: false },
    ...options,
  });
  function repaint() {
    const { color: line, borderTopColor: grid, outlineColor: text } = getComputedStyle(container);
    chart.applyOptions({
      layout: { background: { type: ColorType.Solid, color: "transparent" }, textColor: text },
      grid: { vertLines: { color: grid }, horzLines: { color: grid } },
      timeScale: { borderColor: grid },
      rightPriceScale: { borderColor: grid },
    });
    const {
      borderRightColor: up,
      borderBottomColor: down,
      borderLeftColor: warn,
    } = getComputedStyle(container);
    paint(chart, { line, up, down, warn });
  }
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  scheme.addEventListener("change", repaint);
  addEventListener("themechange", repaint);
  return {
    chart,
    repaint,
    close() {
      scheme.removeEventListener("change", repaint);
      removeEventListener("themechange", repaint);
      chart.remove();
    },
  };
}
