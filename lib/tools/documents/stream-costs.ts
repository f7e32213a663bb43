import { defaults } from "../../infra/config.ts";
import { defaultChannelShards } from "../../infra/market-context.ts";
import { mostHistoryCalls } from "../../markets/evm/read-history.ts";
import type { OperationName } from "../../operations/operations.ts";
import { dollarsOfUnits, followedMarkets, unitsOf } from "./host-units.ts";
import {
  deliveryMs,
  followedTokens,
  needlessReaders,
  priceMessageBytes,
  prices,
  readToken,
  runs,
  subscriberBytes,
} from "./price-table.ts";
import {
  type Cost,
  dollars,
  type Functions,
  grouped,
  million,
  monthMinutes,
  monthSeconds,
  perMillion,
  readBytes,
  rowOf,
  runCost,
  sum,
  table,
  tableCost,
  timeCost,
} from "./run-costs.ts";

/** Number of price updates in a month with subscribers at all times. */
const monthUpdates = monthSeconds / defaults.pricesEverySeconds;

/** Computes the costs of prices while somebody subscribes, which do not depend on the number of clients. */
export function priceCosts(functions: Functions): Cost[] {
  const shards = functions.publishChanges?.shards ?? 0;
  const cost = (name: OperationName, times: number): Cost => ({
    item: `${name}, for all clients`,
    calculation: `${(times / million).toFixed(2)} M × ${grouped(runs[name].ms)} ms of ${functions[name]?.gigabytes} GB, and the table`,
    cost: times * runCost(name, functions),
  });
  return [
    cost("feedPrices", monthMinutes),
    cost("publishChanges", monthUpdates),
    cost("deliver", shards * monthUpdates),
  ];
}

/** Computes the costs of clients that subscribe to prices for a month. */
export function clientCosts(count: number, functions: Functions): Cost[] {
  const gigabytes = (monthUpdates * priceMessageBytes) / 1e9;
  const updates = `${(monthUpdates / million).toFixed(3)} M`;
  const each = [
    {
      item: `Messages, one in ${defaults.pricesEverySeconds} seconds`,
      calculation: `${updates} × ${dollars(perMillion.streamMessages)} / M each`,
      cost: monthUpdates * (perMillion.streamMessages / million),
    },
    {
      item: "Traffic",
      calculation: `${gigabytes.toFixed(2)} GB × $${prices.edgeGigabyte} each`,
      cost: gigabytes * prices.edgeGigabyte,
    },
    {
      item: "Connections",
      calculation: `${grouped(monthMinutes)} minutes × ${dollars(perMillion.connectionMinutes)} / M each`,
      cost: monthMinutes * (perMillion.connectionMinutes / million),
    },
    {
      item: "deliver, for each message",
      calculation: `${updates} × ${deliveryMs} ms each`,
      cost: monthUpdates * timeCost(functions.deliver?.gigabytes ?? 0, deliveryMs),
    },
    {
      item: "deliver, reads",
      calculation: `${updates} × ${subscriberBytes} bytes × $0.125 / M for 4 KB each`,
      cost: tableCost({ reads: monthUpdates * (subscriberBytes / readBytes) }),
    },
  ];
  return each.map((one) => ({ ...one, cost: count * one.cost }));
}

export function clientTable(functions: Functions): string[] {
  const costs = [...priceCosts(functions), ...clientCosts(1000, functions)];
  return table(["Item", "Calculation", "A month"], costs.map(rowOf), [
    "**Total, about**",
    "",
    `**$${Math.round(sum(costs))}**`,
  ]);
}

/** Computes the costs of markets while somebody follows a token, which do not depend on the number of clients. */
export function marketCosts(functions: Functions): Cost[] {
  const { count, run } = needlessReaders;
  const shards = functions.publishChanges?.shards || defaultChannelShards;
  const minutes = grouped(monthMinutes);
  return [
    {
      item: "readMarkets",
      calculation: `${minutes} × ${grouped(runs.readMarkets.ms)} ms of ${functions.readMarkets?.gigabytes} GB, and the table`,
      cost: monthMinutes * runCost("readMarkets", functions),
    },
    {
      item: "readMarkets, runs that find another one",
      calculation: `${grouped(count * monthMinutes)} × ${run.ms} ms, and the table`,
      cost: count * monthMinutes * runCost("readMarkets", functions, run),
    },
    {
      item: `Table, for ${followedTokens} tokens`,
      calculation: `${minutes} × ${followedTokens} × ${readToken.writes} writes and ${readToken.reads} reads`,
      cost: monthMinutes * followedTokens * tableCost(readToken),
    },
    {
      item: "deliver, at most once a second for each shard",
      calculation: `${((shards * monthSeconds) / million).toFixed(2)} M × ${runs.deliver.ms} ms of ${functions.deliver?.gigabytes} GB, and the table`,
      cost: shards * monthSeconds * runCost("deliver", functions),
    },
  ];
}

export function marketPart(functions: Functions): string[] {
  const costs = marketCosts(functions);
  const { tokens, connections, units } = followedMarkets;
  const ofHosts = (each: number) => dollars(monthSeconds * dollarsOfUnits(each));
  const historyUnits = mostHistoryCalls * unitsOf(["eth_getLogs"]);
  return [
    "While nobody follows a token or asks for a market, this costs nothing: readMarkets has no schedule, and it asks no host.",
    "A run ends five minutes after the last client has gone.",
    "",
    ...table(["Watched all day", "Calculation", "A month"], costs.map(rowOf), [
      "**Total, about**",
      "",
      `**$${Math.round(sum(costs))}**`,
    ]),
    "",
    `- Hosts of a chain that is looked at each second cost at least ${ofHosts(unitsOf(["eth_call"]))} a month, by the [prices](#hosts) above: one call for all pools.`,
    `  In \`npm run bench:markets\`, they cost ${ofHosts(units)}, because a fifth of ${tokens} tokens was traded in each second: logs are asked for only where a price has changed, and once more from another host.`,
    "  eth is looked at each two seconds, and a chain without followed tokens never.",
    `- A client that follows tokens gets up to a message a second, twice as many as for [coins](#a-thousand-clients-on-prices-for-a-month): ${dollars(monthSeconds * (perMillion.streamMessages / million))} a month if it is always connected, and a fifth with \`every\` 5.`,
    `- A token that nobody has wanted before costs a run of loadHistory, $${runCost("loadHistory", functions).toFixed(5)}, and at most ${grouped(historyUnits)} units of hosts, $${dollarsOfUnits(historyUnits).toFixed(5)}.`,
    `- The durations and calls to the table are estimates; the benchmark had ${grouped(connections)} connections.`,
  ];
}
