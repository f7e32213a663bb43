import { requestToken, StartupError } from "cdk-local-runner";
import { Command } from "commander";
import { chainFacts, type TradingChain, tradingChains } from "../../domain/trading/trading-chain.ts";
import { localAddresses } from "../chains/deployment.ts";
import { portsOf } from "../chains/local-chains.ts";
import { port, runProgram, type Stdio, timeLimit } from "../run-program.ts";
import { exampleWallet } from "../seed-data.ts";
import { readHoldings } from "./demo-chain.ts";
import { DemoService } from "./demo-service.ts";
import { patienceOf } from "./patience.ts";
import { type ChainTrade, type Traded, tradeOnChain } from "./trade-chain.ts";

type Options = { port: number; chainPort: number; user: string; patience: number };

/**
 * `npm run -s trade:demo`: buys and sells on all chains of the service that runs on this machine, and compares. Goes on where
 * it was if the runner is killed and started again meanwhile.
 */
export async function main(args: readonly string[], stdio: Stdio): Promise<number> {
  const command = new Command("npm run -s trade:demo --")
    .description("Buys and sells MOON on each local chain, and compares chain, orders and position.")
    .option("--port <number>", "port of base_url", port, 3000)
    .option("--chain-port <number>", "port of the chain eth; the others have the next ones", port, 8545)
    .option("--user <id>", "whose example wallet trades", "alice")
    .option("--patience <seconds>", "how long the runner may be away", timeLimit, 120);

  let agrees = true;
  const status = await runProgram<Options>(command, args, stdio, async (options) => {
    const token = () => requestToken(options.port, { sub: options.user, expiresIn: 900 });
    const baseUrl = `http://127.0.0.1:${options.port}`;
    await expectRunner(baseUrl);
    const patience = patienceOf(options.patience * 1000);
    const service = new DemoService({ baseUrl, token, patience });
    const [wallet, moon] = [exampleWallet.address, localAddresses.moon];
    const holdings = (chain: TradingChain) => {
      const url = `http://127.0.0.1:${portsOf(chain, options.chainPort).anvil}`;
      return readHoldings(url, wallet, moon, patience);
    };
    const deps = { service, holdings, patience, wallet, token: moon };
    await Promise.all(
      tradingChains.map(async (chain) => {
        const trade = await tradeOnChain(deps, chain);
        agrees &&= trade.problems.length === 0;
        stdio.stdout.write(`${tradeLine(trade)}\n`);
      }),
    );
  });
  return status === 0 && !agrees ? 1 : status;
}

/** @throws StartupError if nothing listens there: waiting would not help. */
async function expectRunner(baseUrl: string): Promise<void> {
  try {
    await fetch(baseUrl);
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { code?: string };
    if (code === "ECONNREFUSED")
      throw new StartupError(
        `No runner answers at ${baseUrl}. Start one with \`npm start\`, or give its --port.`,
      );
  }
}

/** For example `buy 0.5 ETH → 4960.27 MOON  filled 1.1 s  settled 3.2 s | sell 100 % → 0.497 ETH | PnL −0.00298 | chain agrees`. */
export function tradeLine({ chain, buy, sell, pnl, problems }: ChainTrade): string {
  const { symbol } = chainFacts[chain].coin;
  const bought = `buy ${buy.order.filledAmount} ${symbol} → ${shortened(buy.order.receivedAmount)} MOON`;
  return [
    `${chain.padEnd(5)}${bought}  ${timesOf(buy)}`,
    `sell 100 % → ${shortened(sell.order.receivedAmount)} ${symbol}`,
    `PnL ${shortened(pnl)}`,
    problems.length === 0 ? "chain agrees" : `chain disagrees: ${problems.join("; ")}`,
  ].join(" | ");
}

const timesOf = ({ filledMs, settledMs }: Traded) =>
  `filled ${(filledMs / 1000).toFixed(1)} s  settled ${(settledMs / 1000).toFixed(1)} s`;

/** For people: two places of what is large, and three digits of the rest. */
function shortened(text = "0"): string {
  const number = Number(text);
  const short = Math.abs(number) >= 100 ? number.toFixed(2) : `${Number(number.toPrecision(3))}`;
  return short.replace("-", "−");
}
