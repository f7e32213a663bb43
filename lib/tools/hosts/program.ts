import { setTimeout as delay } from "node:timers/promises";
import { Command, InvalidArgumentError, Option } from "commander";
import { solAddresses } from "../../chains/sol/address.ts";
import { evmChains, type TradingChain, tradingChains } from "../../core/chain-facts.ts";
import { showSteps } from "../progress.ts";
import { type Context, port, runProgram, type Stdio, withContext } from "../runner/run-program.ts";
import { factAges } from "./fact-age.ts";
import { lookAtChain, openHosts } from "./look-at-chain.ts";
import { lookAtSolHosts, openSolHosts } from "./look-at-sol.ts";
import { keepRecordings, type Recording } from "./record.ts";
import { findingsOf, tableOf, verdictOf } from "./report.ts";
import { tradingFor } from "./trading-for.ts";
import { watchHosts } from "./watched.ts";

type Options = {
  chain?: readonly TradingChain[];
  context: Context;
  facts?: true;
  local?: number;
  record?: string;
  token: readonly string[];
  watch?: true;
};

export type WatchTimes = {
  nowMs: () => number;
  pause: (ms: number) => Promise<unknown>;
};

/** Pause between two looks of a watch. */
const pauseMs = 10_000;

/**
 * A watch makes all calls only once in this many looks, because making them more often would use up the hosts' limits.
 */
const looksPerCall = 6;

/**
 * Runs `npm run hosts`, which checks the hosts of chains before trading is enabled there. The exit status is 1 if
 * trading would fail.
 *
 * @param stopped Ends a watch.
 */
export async function main(
  args: readonly string[],
  { stdout, stderr }: Stdio,
  stopped: AbortSignal,
  { nowMs, pause }: WatchTimes = {
    nowMs: Date.now,
    pause: (ms) => delay(ms, undefined, { signal: stopped }).catch(() => undefined),
  },
): Promise<number> {
  const print = (lines: readonly string[]) => void stdout.write(lines.map((line) => `${line}\n`).join(""));
  const command = new Command("npm run hosts --")
    .description(
      "Makes each of trading's calls to each host of the chains, and lists what would fail. Sends no transaction. " +
        "Prints only the names of hosts, because URLs may contain keys.",
    )
    .addOption(
      new Option("--chain <name...>", "the chains; by default, those of the context trading").choices(
        tradingChains,
      ),
    )
    .option("-c, --context <key=value...>", "context, as for a deploy", withContext, {})
    .option("--local <port>", "check the chains of the service that runs on this machine at this port", port)
    .option("--token <mint>", "a token to try Jupiter's routes with; may be repeated", withMint, [])
    .option("--record <folder>", "keep answers of Jupiter and landed transactions of sol, for tests")
    .option("--facts", "only list when each fact about a network was seen; fails if one is too old")
    .option("--watch", "check again every 10 seconds until Ctrl-C, and print what changes");
  let hasFailed = false;
  const status = await runProgram<Options>(command, args, { stdout, stderr }, async (options) => {
    if (options.facts) {
      const { lines, areTooOld } = factAges(nowMs());
      print(lines);
      hasFailed = areTooOld;
      return;
    }
    const trading = await tradingFor(options);
    const evm = evmChains.flatMap((chain) => {
      const configuration = trading[chain];
      return configuration === undefined ? [] : [openHosts({ chain, configuration })];
    });
    const chains = [...evm, ...(trading.sol === undefined ? [] : [openSolHosts(trading.sol, options.token)])];
    const watched = watchHosts();
    const recordings: Recording[] = [];
    const onRecording = options.record === undefined ? undefined : (each: Recording) => recordings.push(each);

    async function look(round: number, onAnswers = () => {}): Promise<void> {
      const isFirst = round === 0;
      const hasCalls = round % looksPerCall === 0;
      const looks = await Promise.all(
        chains.map((chain) => {
          const scope = { symbols: symbolsFor(chain, round), hasCalls };
          return chain.chain === "sol"
            ? lookAtSolHosts(chain, scope, isFirst ? onRecording : undefined)
            : lookAtChain(chain, scope);
        }),
      );
      onAnswers();
      const changes = looks.flatMap((each) => watched.note(each));
      if (isFirst) print([...looks.flatMap(tableOf), ...verdictOf(looks.flatMap(findingsOf))]);
      else print(changes.map((line) => `${new Date(nowMs()).toISOString()} ${line}`));
    }

    const progress = showSteps(stderr);
    const count = chains.reduce((sum, { hosts }) => sum + hosts.length, 0);
    progress.step(`Asking ${count} hosts of ${chains.map(({ chain }) => chain).join(", ")}`);
    await look(0, progress.end).finally(progress.end);
    if (options.record !== undefined) print(keepRecordings(options.record, recordings));
    if (options.watch) {
      for (let round = 1; ; round++) {
        await pause(pauseMs);
        if (stopped.aborted) break;
        await look(round);
      }
      print(watched.summary());
    }
    hasFailed = watched.hasFailed();
  });
  return status === 0 && hasFailed ? 1 : status;
}

/** Names all listed tokens for the first look, and for each later look only one of them, in turn. */
export function symbolsFor(
  { configuration }: { configuration: { tokens: readonly { symbol: string }[] } },
  round: number,
): string[] {
  const symbols = configuration.tokens.map(({ symbol }) => symbol);
  return round === 0 ? symbols : symbols.filter((_, index) => index === round % symbols.length);
}

function withMint(text: string, before: readonly string[]): readonly string[] {
  const problem = solAddresses.problem(text);
  if (problem !== undefined) throw new InvalidArgumentError(`It ${problem}.`);
  return [...before, text];
}
