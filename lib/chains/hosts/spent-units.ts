/** Units that a provider bills for each call to its hosts, whether or not the calls are batched. */
export const unitsOfCalls = {
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
} as const;

const units: ReadonlyMap<string, number> = new Map(Object.entries(unitsOfCalls));

/** Units of all other calls, such as those of sol. */
export const otherUnits = 20;

/** Number of units that are reported together, so that reports cost little compared with them. */
const reportedUnits = 1000;

let spent = 0;
let report: ((units: number) => void) | undefined;

/** Lets a function receive the units that it spends. A process that ends loses fewer than a report has. */
export function reportUnits(onUnits: (units: number) => void): void {
  report = onUnits;
}

/** Counts calls, by their methods, that are sent to a host. */
export function spendUnits(methods: readonly string[]): void {
  if (report === undefined) return;
  for (const method of methods) spent += units.get(method) ?? otherUnits;
  if (spent < reportedUnits) return;
  report(spent);
  spent = 0;
}

/** Takes the units that no line reports yet, for a line that is logged anyway. */
export function takeUnits(): number {
  const units = spent;
  spent = 0;
  return units;
}
