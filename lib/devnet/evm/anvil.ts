import { createRequire } from "node:module";
import { StartupError } from "cdk-local-runner";
import { startChainProcess } from "../chain-process.ts";

const require = createRequire(import.meta.url);

export type Anvil = { url: string; processId: number; stop: () => Promise<void> };

export type AnvilOptions = {
  chainId: number;
  /** Port to listen on. 0 picks any free port. */
  port: number;
  /** File that keeps the chain across restarts. Anvil reads it at start and writes it at exit. */
  statePath?: string | undefined;
  /** Number of slots in an epoch. With the default of 1, a block is final after two more blocks. */
  slotsInEpoch?: number | undefined;
  /** Time of the first block, in epoch seconds, from which the chain's clock continues. By default, it is now. */
  bornAt?: number | undefined;
};

/** Coins in each of anvil's test accounts. */
const balance = 100;

/** Number of recent blocks whose state anvil keeps in memory. It would write older states to the user's home folder. */
const keptStates = 256;

/**
 * Starts a chain without contracts, which mines only on demand.
 *
 * Anvil ends with this process, after writing its state.
 *
 * @throws StartupError if it fails to start
 */
export async function startAnvil(anvil: AnvilOptions): Promise<Anvil> {
  const { chainId, port, statePath, slotsInEpoch = 1, bornAt } = anvil;
  const options = {
    host: "127.0.0.1",
    port,
    "chain-id": chainId,
    balance,
    "slots-in-an-epoch": slotsInEpoch,
    "prune-history": keptStates,
    ...(statePath !== undefined && { state: statePath }),
    ...(bornAt !== undefined && { timestamp: bornAt }),
  };
  const { address, processId, stop } = await startChainProcess("anvil", binary(), [
    "--no-mining",
    "--no-cors",
    ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]),
  ]);
  return { url: `http://${address}`, processId, stop };
}

/** Finds anvil itself. The package's launcher would keep an extra Node process running for each chain. */
function binary(): string {
  const name = `@foundry-rs/anvil-${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;
  const file = process.platform === "win32" ? "anvil.exe" : "anvil";
  try {
    const near = require.resolve("@foundry-rs/anvil/package.json");
    return createRequire(near).resolve(`${name}/bin/${file}`);
  } catch {
    throw new StartupError(`The local chains need the package ${name}. Install it with: npm ci`);
  }
}
