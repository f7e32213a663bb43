import { type Command, Option } from "commander";
import { type TradingChain, tradingChains } from "../../../core/chain-facts.ts";
import { readStops, startTrading, stopTrading } from "../../../trading/items/stops.ts";
import { targeted } from "../options.ts";
import type { AdminDeps, TargetOptions } from "../target.ts";
import { print } from "../terminal.ts";

type TradingOptions = TargetOptions & { stop?: true; start?: true; chain?: TradingChain };

export function trading(program: Command, deps: AdminDeps): void {
  targeted(
    program
      .command("trading")
      .description(
        "Show where trading is stopped, or stop and start it, within seconds. A stop rejects new orders, and ends " +
          "unsigned ones; sent transactions are followed to their end. Without --chain, the command applies to every " +
          "chain, including those that do not trade yet.",
      )
      .option("--stop", "stop placing and signing orders")
      .addOption(new Option("--start", "undo --stop").conflicts("stop"))
      .addOption(new Option("--chain <chain>", "only this chain").choices(tradingChains)),
  ).action(async ({ stop, start, chain, ...options }: TradingOptions) => {
    const { table } = await deps.openTarget(options);
    const named = chain === undefined ? tradingChains : [chain];
    if (stop) await stopTrading(table, named, deps.now());
    if (start) await startTrading(table, named);
    const stops = await readStops(table, tradingChains);
    for (const each of tradingChains) {
      const stoppedAt = stops.get(each);
      const state = stoppedAt === undefined ? "not stopped" : `stopped since ${stoppedAt}`;
      print(deps.stdout, `${each.padEnd(5)} ${state}`);
    }
  });
}
