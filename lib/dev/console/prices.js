const shown = { milliseconds: 2 * 60 * 1000, width: 600, height: 120 };

/** The prices of each asset that were received, oldest first, as [time, price]. */
const history = new Map();

/** Shows the latest prices in a table and their history in a chart. Late arrivals are dropped from the chart. */
export function showPrices(prices, table, chart) {
  for (const { symbol, price, asOf } of prices) remember(symbol, Date.parse(asOf), Number(price));
  table.replaceChildren(...prices.map(row));
  chart.replaceChildren(...[...history].map(([, points], index) => line(points, index)));
}

function remember(symbol, time, price) {
  const points = history.get(symbol) ?? [];
  history.set(symbol, points);
  if (time <= (points.at(-1)?.[0] ?? 0)) return;
  points.push([time, price]);
  while (points[0][0] < time - shown.milliseconds) points.shift();
}

function row({ chain, symbol, price, source, asOf }) {
  const cells = [chain, symbol, price, source, new Date(asOf).toLocaleTimeString()];
  const element = document.createElement("tr");
  element.append(...cells.map((text) => Object.assign(document.createElement("td"), { textContent: text })));
  element.children[1].className = `asset-${[...history.keys()].indexOf(symbol) % 4}`;
  return element;
}

function line(points, index) {
  const end = points.at(-1)[0];
  const values = points.map(([, price]) => price);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const { width, height, milliseconds } = shown;
  const element = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
  element.setAttribute("class", `asset-${index % 4}`);
  element.setAttribute(
    "points",
    points
      .map(([time, price]) => {
        const x = width - ((end - time) / milliseconds) * width;
        const y = high === low ? height / 2 : height - 8 - ((price - low) / (high - low)) * (height - 16);
        return `${x.toFixed(1)},${y.toFixed(1)}`;
      })
      .join(" "),
  );
  return element;
}
