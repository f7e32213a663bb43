/**
 * `npm run bench:lag` asks for quotes in virtual time while one of two hosts lags, and prints the share that fails with
 * CHAIN_UNAVAILABLE by chain and lag.
 */
import { chainFacts, evmChains } from "../../lib/trading/core/trading-chain.ts";
import { shareUnavailable } from "./lagging-hosts.ts";
import { textTable } from "./text-table.ts";

const quotes = 1000;
const lags = [0, 0.3, 0.6, 1, 3];

const rows = [];
for (const chain of evmChains) {
  const cells = [];
  for (const lagSeconds of lags) {
    const share = await shareUnavailable({ chain, lagSeconds, quotes });
    cells.push(`${(share * 100).toFixed(1)} %`);
  }
  rows.push([chain, `${chainFacts[chain].blockSeconds} s`, ...cells]);
}
console.log(textTable(["Chain", "Block", ...lags.map((lag) => `${lag} s`)], rows));
