import { execFile } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "cdk-local-runner";
import { type ChainName, chainNames, type EvmChain, evmChains } from "./chain-facts.ts";
import { type NoteBook, openNotes } from "./chain-notes.ts";
import { type ChainTimes, usualTimes } from "./evm/chain-times.ts";
import { localContracts } from "./evm/deployment.ts";
import { openServedChain, type ServedChain } from "./evm/served-chain.ts";
import { openServedSol, type ServedSol } from "./sol/served-sol.ts";
import { hasSurfpool, surfpoolPackage } from "./sol/surfnet.ts";

export type LocalChainsOptions = {
  /**
   * Port of eth. The other chains use the next four ports, followed by second hosts, relays and first hosts. 0 picks
   * free ports.
   */
  port: number;
  /** Data folder. If undefined, nothing is kept. */
  folder: string | undefined;
  /** Starts new chains even if the folder already has some. */
  reset?: boolean;
  /** Adds hosts in front of the chains, and serves `/_local/faults` on all hosts and relays. */
  faults?: boolean;
  /** Seed of random faults. */
  seed?: number;
  /** Prints a warning while the chains run. */
  warn?: (line: string) => void;
  /** Block times of the chains on which they differ from the usual ones. */
  times?: { [Chain in EvmChain]?: ChainTimes };
  /** Chains that begin with two hours of trades when they are new. */
  withPast?: readonly EvmChain[];
};

export type LocalChains = AsyncDisposable & {
  chains: readonly ServedChain[];
  /** The local Solana chain. Undefined if Surfpool has no package for this machine. */
  sol: ServedSol | undefined;
  book: NoteBook;
  /** Context for the stacks: the trading chains and their addresses. */
  context: { trading: readonly ChainName[]; chains: object };
  /**
   * Resolves once every chain has its contracts.
   *
   * @throws StartupError if a chain fails to start, or is not the one that the service's table knows
   */
  start(): Promise<void>;
};

/** Chains with a local relay: those for which public relays exist. */
const relayed: readonly ChainName[] = ["eth", "bsc", "sol"];

/** Number of ports for chains, hosts and relays. The last port belongs to Jupiter's stand-in. */
export const chainPorts = 3 * chainNames.length + relayed.length + 1;

/**
 * Lists the ports of a chain. `port` is the first port of all chains, or 0 for any. The port of the node is that of
 * anvil, or of the honest host of sol.
 */
export function portsOf(
  chain: ChainName,
  port: number,
): { node: number; firstHost: number; secondHost: number; relay?: number; jupiter?: number } {
  const index = chainNames.indexOf(chain);
  const at = (offset: number) => (port === 0 ? 0 : port + offset);
  return {
    node: at(index),
    secondHost: at(chainNames.length + index),
    firstHost: at(2 * chainNames.length + relayed.length + index),
    ...(relayed.includes(chain) && { relay: at(2 * chainNames.length + relayed.indexOf(chain)) }),
    ...(chain === "sol" && { jupiter: at(chainPorts - 1) }),
  };
}

/**
 * Opens the chains of this machine. Their addresses stay the same in every run, because the stacks contain them and
 * could not be reused otherwise.
 *
 * @throws StartupError if a port is in use
 */
export async function openLocalChains(options: LocalChainsOptions): Promise<LocalChains> {
  const {
    port,
    folder,
    reset = false,
    faults = false,
    seed = 1,
    warn = () => {},
    times = {},
    withPast = [],
  } = options;
  const states = folder === undefined ? undefined : join(folder, "chains");
  const book = openNotes(folder);
  await ended(book.notes.processes);
  book.notes.processes = [];
  if (reset) {
    // Saves the notes first, so that even after a crash the events of the old chains are deleted from the service's
    // table.
    Object.assign(book.notes, { newest: {}, toForget: [...evmChains] });
    book.save();
    await book.saved();
    if (states !== undefined) rmSync(states, { recursive: true, force: true });
  }
  // Surfpool stores no state, so its chain is new at each start.
  book.notes.toForget = [...new Set([...(book.notes.toForget ?? []), "sol" as const])];
  // Creates the folder, because anvil would lose its state without it.
  if (states !== undefined) mkdirSync(states, { recursive: true, mode: 0o700 });

  await using undo = new AsyncDisposableStack();
  undo.defer(() => book.saved());
  const chains: ServedChain[] = [];
  undo.defer(async () => {
    await Promise.all(chains.map((chain) => chain.close()));
  });
  for (const chain of evmChains) {
    const { node, ...ports } = portsOf(chain, port);
    const served = await openServedChain({
      chain,
      book,
      faults,
      seed,
      warn,
      times: times[chain] ?? usualTimes,
      past: withPast.includes(chain),
      ports: { ...ports, anvil: node === 0 ? await freePort() : node },
      statePath: states && join(states, `${chain}.json`),
    });
    chains.push(served);
  }
  const sol = hasSurfpool() ? await openServedSol({ ports: portsOf("sol", port), faults, seed }) : undefined;
  undo.defer(() => sol?.close());
  if (sol === undefined)
    warn(`The chain sol does not run: the package ${surfpoolPackage()} does not exist, or is not installed.`);

  const opened = undo.move();
  return {
    chains,
    sol,
    book,
    context: {
      trading: [...evmChains, ...(sol === undefined ? [] : (["sol"] as const))],
      chains: {
        ...Object.fromEntries(
          chains.map(({ chain, hosts, relay = null }) => [chain, { ...localContracts(chain), hosts, relay }]),
        ),
        ...(sol !== undefined && { sol: sol.context }),
      },
    },
    async start() {
      await Promise.all([...chains, ...(sol === undefined ? [] : [sol])].map((chain) => chain.start()));
      // Saves the process ids. If this runner is killed, the next one must wait for these processes.
      await book.saved();
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Longest wait in milliseconds. It exceeds the time that processes get to save their state before they are killed. */
const patienceMs = 6000;

/** Waits for the EVM chains of a killed runner, which may still be saving their states. */
async function ended(processIds: readonly number[]): Promise<void> {
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += 20) {
    const running = await Promise.all(processIds.map(isAnvil));
    if (!running.includes(true)) return;
    await pause(20);
  }
}

/** True if the process is anvil. Another process may have the same id by now. */
async function isAnvil(processId: number): Promise<boolean> {
  try {
    process.kill(processId, 0);
    const { stdout } = await promisify(execFile)("ps", ["-o", "stat=,comm=", "-p", `${processId}`]);
    return /^[^Z].*anvil/.test(stdout.trim());
  } catch {
    return false;
  }
}
