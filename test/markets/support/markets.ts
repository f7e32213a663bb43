import { openChains } from "../../../lib/chains/families/open-chains.ts";
import { type Decimal, parseDecimal } from "../../../lib/core/decimal.ts";
import { defaultChains, defaultSol } from "../../../lib/infra/default-chains.ts";
import type { Market } from "../../../lib/markets/core/market.ts";

export const decimal = (text: string): Decimal => {
  const value = parseDecimal(text);
  if (value === undefined) throw new Error(`${text} is no decimal`);
  return value;
};

/** Opens chains whose hosts do not answer. */
export const silentChains = () =>
  openChains({
    base: { ...defaultChains.base, hosts: ["http://127.0.0.1:1"] },
    eth: { ...defaultChains.eth, hosts: ["http://127.0.0.1:1"] },
    sol: { ...defaultSol, hosts: ["http://127.0.0.1:1"] },
  });

/** Address of an unlisted token, in EIP-55 form. */
export const moon = "0x5409e03Dda8614EFE68ACFB5d2DaD1A351Cb5094";
export const otherToken = "0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0";

/** Creates a market of MOON on base, as read at the given time. */
export const marketAt = (asOf: Date, changes: Partial<Market> = {}): Market => ({
  chain: "base",
  token: moon,
  symbol: "MOON",
  name: "Moon",
  decimals: 18,
  supply: decimal("1000000"),
  pool: { pool: "0x01", quote: "native", venue: "uniswap-v2", feeBps: 30, depth: decimal("12") },
  pools: 2,
  price: decimal("0.0001"),
  block: 57,
  blockTime: asOf.getTime() / 1000 - 1,
  asOf: asOf.toISOString(),
  revision: 3,
  hasGaps: false,
  history: "complete",
  day: {
    hourAgo: decimal("0.00008"),
    dayAgo: decimal("0.0002"),
    high: decimal("0.00025"),
    low: decimal("0.00007"),
    volume: decimal("812.4"),
    trades: 1204,
  },
  firstSeenAt: new Date(asOf.getTime() - 3_600_000).toISOString(),
  ...changes,
});
