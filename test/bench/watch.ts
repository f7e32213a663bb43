/**
 * `npm run bench:watch` counts an order's requests to hosts from the quote until its outcome is final, in virtual time,
 * with many lanes on a chain with late finality. It also measures how much a jump of the final block, which makes many
 * lanes due at once, delays fills.
 */
import { parseArgs } from "node:util";
import { hostPrices } from "../../lib/tools/documents/assumptions.ts";
import { dollarsOfUnits } from "../../lib/tools/documents/host-units.ts";
import type { HostCounts } from "./host-requests.ts";
import { orderCalls } from "./order-calls.ts";
import { spreadOf } from "./statistics.ts";
import { figure, textTable } from "./text-table.ts";
import { askers, type WatchReport, watchOrders } from "./watched-orders.ts";

const { values } = parseArgs({
  options: {
    lanes: { type: "string", default: "1000" },
    // Finality in seconds. The final blocks of eth and base jump with each Ethereum epoch.
    late: { type: "string", default: "1200" },
    jump: { type: "string", default: "384" },
  },
});
const lanes = Number(values.lanes);
const finality = { lateSeconds: Number(values.late), jumpSeconds: Number(values.jump) };

function countTable({ orders, perOrder, shared, ordersPerMinute }: WatchReport): string {
  const share: HostCounts = {
    requests: shared.requests / ordersPerMinute,
    calls: shared.calls / ordersPerMinute,
    units: shared.units / ordersPerMinute,
  };
  const rows = [
    ...askers.map((asker) => [asker, perOrder[asker]] as const),
    ["looks of all lanes", share] as const,
  ];
  const all = (name: keyof HostCounts) => rows.reduce((sum, [, counts]) => sum + counts[name], 0);
  const sum = { requests: all("requests"), calls: all("calls"), units: all("units") };
  return textTable(
    [`mean of ${orders} orders`, "requests", "calls", "units", "1,000 orders"],
    [...rows, ["all", sum] as const].map(([name, counts]) => [
      name,
      ...[counts.requests, counts.calls, counts.units].map(figure),
      `$${(1000 * dollarsOfUnits(counts.units)).toFixed(2)}`,
    ]),
  );
}

function fillTable({ fills, mostDue }: WatchReport): string {
  const row = (name: string, ms: readonly number[]) => {
    const { p50, p99, max } = spreadOf(ms);
    return [name, `${ms.length}`, ...[p50, p99, max].map(figure)];
  };
  return `${textTable(
    ["from the block to the recorded fill", "fills", "p50 ms", "p99 ms", "max ms"],
    [row("usual", fills.usual), row("within 15 s after a jump", fills.afterJump)],
  )}
at a jump, up to ${mostDue} lanes were due at once`;
}

const { provider, source, readOn, perMillionUnits } = hostPrices;
console.log(`${lanes} lanes, final blocks ${finality.lateSeconds} s old when they jump, every ${finality.jumpSeconds} s
units of ${provider} (${source}, ${readOn}), at $${perMillionUnits} a million`);
for (const chain of ["eth", "base"] as const) {
  const report = await watchOrders({ chain, lanes, finality, calls: await orderCalls(chain) });
  const runs = Object.entries(report.runs).map(([what, count]) => `${what} ${figure(count)}`);
  console.log(
    `\n${chain}\n${countTable(report)}\nruns of executeOrders: ${runs.join(", ")}\n\n${fillTable(report)}`,
  );
}
