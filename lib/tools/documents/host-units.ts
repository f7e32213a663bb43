/**
 * A provider's prices for calls to its hosts, in units per call, whether or not the calls are batched. Other providers
 * bill requests or use other weights.
 */
export const hostPrices = {
  provider: "Alchemy",
  source: "https://www.alchemy.com/docs/reference/compute-unit-costs",
  readOn: "2026-11-23",
  /** Assumed price in dollars. The real price depends on the plan. */
  perMillionUnits: 0.4,
  units: {
    eth_chainId: 0,
    eth_feeHistory: 10,
    eth_maxPriorityFeePerGas: 10,
    eth_estimateGas: 20,
    eth_gasPrice: 20,
    eth_getBalance: 20,
    eth_getBlockByHash: 20,
    eth_getBlockByNumber: 20,
    eth_getLogs: 60,
    eth_getTransactionByHash: 20,
    eth_getTransactionCount: 20,
    eth_getTransactionReceipt: 20,
    eth_call: 26,
    eth_sendRawTransaction: 40,
    eth_simulateV1: 40,
  },
} as const;

/**
 * Results of `npm run bench:watch` for a buy: requests to both hosts and their units, units of a quote from one host,
 * and the buy's share of the units for reading the chain's newest blocks. An order lives until its outcome is final.
 */
export const watchedOrders = {
  lanes: 1000,
  lifeSeconds: 1392,
  eth: { requests: 27.3, units: 2066, quoteUnits: 462, lookUnits: 22.6 },
  base: { requests: 28.2, units: 2309, quoteUnits: 488, lookUnits: 39.2 },
} as const;

/**
 * Results of `npm run bench:markets` for base: units that both hosts bill per second while a fifth of the tokens is
 * traded each second.
 */
export const followedMarkets = { tokens: 40, connections: 1000, units: 176 } as const;

const unitsOfMethod: Readonly<Record<string, number>> = hostPrices.units;

/**
 * Sums up the units of calls, given by their methods.
 *
 * @throws Error if the price list lacks a method
 */
export function unitsOf(methods: readonly string[]): number {
  return methods.reduce((sum, method) => {
    const units = unitsOfMethod[method];
    if (units === undefined)
      throw new Error(`Add the units of ${method} to lib/tools/documents/host-units.ts`);
    return sum + units;
  }, 0);
}

export const dollarsOfUnits = (units: number): number => (units / 1_000_000) * hostPrices.perMillionUnits;
