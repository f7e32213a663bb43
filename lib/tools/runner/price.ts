import { requestToken, StartupError } from "cdk-local-runner";
import { Command, InvalidArgumentError, Option } from "commander";
import { type ChainName, chainNames } from "trading-terminal-devnet/chain-facts";
import { chainPorts, portsOf } from "trading-terminal-devnet/local-chains";
import { type Move, moveInSteps, type PricedPool, pushForBlock } from "trading-terminal-devnet/local-market";
import { openMarkets } from "trading-terminal-devnet/open-markets";
import { placesOfRunner } from "./demo-chains.ts";
import { port, portUpTo, runProgram, type Stdio, timeLimit } from "./run-program.ts";

type Options = { chain: ChainName; over?: number; blocks?: "1"; port: number; chainPort?: number };

/** Runs `npm run -s price`, which moves the price of a token in all its pools on a local chain. */
export function main(args: readonly string[], { stdout, stderr }: Stdio): Promise<number> {
  const command = new Command("npm run -s price --")
    .description("Moves the price of a token on a local chain, in every pool that trades it.")
    .argument("<token>", "a symbol, such as MOON, or an address")
    .argument("<change>", "percent of the price now, such as -10% or +5%", factorOf)
    .addOption(new Option("--chain <name>", "where to move it").choices(chainNames).makeOptionMandatory())
    .option("--over <seconds>", "move in steps, one each second", timeLimit)
    .addOption(
      new Option("--blocks <number>", "restore the price after this many blocks, or slots on sol")
        .choices(["1"])
        .conflicts("over"),
    )
    .option("--port <number>", "port of base_url, where `npm start` names its chains", port, 3000)
    .option(
      "--chain-port <number>",
      "port of the chain eth, as of `npm start`; the others have the next ones",
      portUpTo(65_536 - chainPorts),
    );
  // Replaces the minus of a number, which would begin an option.
  const signed = args.map((arg) => arg.replace(/^-(?=[\d.])/, minus));
  return runProgram(command, signed, { stdout, stderr }, async () => {
    const { chain, over, blocks, ...ports } = command.opts<Options>();
    const token: string = command.processedArgs[0];
    const factor: number = command.processedArgs[1];
    const markets = await openMarkets(chain);
    const address = markets.find(token);
    if (address === undefined) {
      const known = `its address, or one of ${markets.symbols.join(", ")}`;
      return command.error(`error: ${chain} has no token ${token}. Give ${known}.`);
    }
    const market = await markets.open(await urlOf(chain, ports), address);
    const moves: Move[] = [];
    for await (const move of blocks === undefined
      ? moveInSteps(market, factor, over)
      : pushForBlock(market, factor)) {
      moves.push(move);
      stdout.write(
        `${chain} ${chain === "sol" ? "slot" : "block"} ${move.block}: ${token} ${changeOf(move)}\n`,
      );
    }
    const shown = blocks === undefined ? moves.slice(-1) : moves;
    for (const [index, pool] of market.pools.entries()) stdout.write(`${lineOf(pool, index, shown)}\n`);
  });
}

const minus = "−";

/** Reads a change in percent, such as −10%. */
function factorOf(text: string): number {
  const [, sign, percent] = /^([+−])(\d+(?:\.\d+)?)%$/.exec(text) ?? [];
  const factor = 1 + ((sign === minus ? -1 : 1) * Number(percent)) / 100;
  if (!(factor >= 0.01 && factor <= 11) || factor === 1)
    throw new InvalidArgumentError("Give a change from -99% to +1000%, with its sign, such as -10% or +5%.");
  return factor;
}

/**
 * Finds a chain, by its port or as the runner names it.
 *
 * @throws StartupError if no runner answers, or it has no such chain
 */
async function urlOf(chain: ChainName, ports: Pick<Options, "port" | "chainPort">): Promise<string> {
  if (ports.chainPort !== undefined) return `http://127.0.0.1:${portsOf(chain, ports.chainPort).node}`;
  // Fails with advice if no runner is available.
  await requestToken(ports.port, { sub: "alice" });
  const { sol, ...evm } = await placesOfRunner(`http://127.0.0.1:${ports.port}`);
  const url = chain === "sol" ? sol?.url : evm[chain];
  if (url === undefined) throw new StartupError(`The runner has no chain ${chain}`);
  return url;
}

const short = (value: number): number => Number(value.toPrecision(6));

function changeOf({ factors: [factor = 1] }: Move): string {
  const percent = short(Math.round((factor - 1) * 1e5) / 1e3);
  return `${percent < 0 ? minus : "+"}${Math.abs(percent)} %`;
}

/** Lists the prices in a pool, such as `uniswap-v2 0.3 %: 0.0001 → 0.00009 WETH`. */
function lineOf({ pool, price, unit }: PricedPool, index: number, moves: readonly Move[]): string {
  const prices = [1, ...moves.map(({ factors }) => factors[index] ?? 0)].map((factor) =>
    short(price * factor),
  );
  return `${pool}: ${prices.join(" → ")} ${unit}`;
}
