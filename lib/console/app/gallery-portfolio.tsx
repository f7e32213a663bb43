import { Panel } from "./controls.tsx";
import { dayAt, dayMs } from "./portfolio/calendar.ts";
import { NetProfit } from "./portfolio/net-profit.tsx";
import { closeKey } from "./portfolio/periods.ts";
import { ProfitPlot } from "./portfolio/profit-plot.tsx";
import type { Profits } from "./portfolio/profits.ts";
import type { Worth } from "./portfolio/worth.ts";
import { WorthNow } from "./portfolio/worth-now.tsx";

const nowMs = Date.now();
const ignore = () => {};

const worth: Worth = {
  byChain: [
    { chain: "eth", coins: "1.5", positions: "0.2", usd: "3400" },
    { chain: "sol", positions: "12.5", usd: "2500" },
    { chain: "avax", coins: "40", positions: "0" },
  ],
  usd: "5900",
  reading: ["Base"],
  lacking: [
    "the coin in wallets on Solana: the chain cannot be reached",
    "everything on Avalanche: the price of AVAX in dollars is unknown",
  ],
  stored: { count: 2, oldest: new Date(nowMs - 240_000).toISOString() },
};

/** Profits of every third of the last 90 days. The first days have no price in dollars. */
const profits: Profits = {
  days: Array.from({ length: 30 }, (_, index) => ({
    day: dayAt(nowMs - (90 - index * 3) * dayMs),
    chain: "eth" as const,
    fills: index + 1,
    gross: `${index % 4 === 0 ? "-" : ""}0.0${index}`,
    fees: "0.0012",
  })),
  undated: new Map([["eth", "-0.0004"]]),
  leftOut: { foreign: 1, uncosted: 2, feeless: 3 },
};

const closes = new Map(
  Array.from({ length: 80 }, (_, index) => [closeKey("eth", dayAt(nowMs - index * dayMs)), "2600"] as const),
);

const read = { closes, count: 4_200, problem: undefined, today: dayAt(nowMs), onAgain: ignore };

const firstDay = { start: dayAt(nowMs), net: "0.01", text: "+0.01 ETH" };

const empty: Profits = { ...profits, days: [] };

/** Shows the parts of the portfolio in each of their states. */
export const PortfolioStates = () => (
  <Panel title="Portfolio" area="portfolio">
    <WorthNow worth={worth} onAgain={ignore} />
    <NetProfit {...read} profits={profits} />
    <ProfitPlot name="Net profit of one day" span="day" bars={[firstDay]} />
    <NetProfit {...read} profits={undefined} />
    <NetProfit {...read} profits={empty} />
    <NetProfit {...read} profits={profits} problem={{ code: "NETWORK_ERROR", message: "" }} />
  </Panel>
);
