import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { StartupError } from "cdk-local-runner";
import { createReaper } from "cdk-local-runner/testing";

const require = createRequire(import.meta.url);

export type Anvil = { url: string; processId: number; stop(): Promise<void> };

export type AnvilOptions = {
  chainId: number;
  /** 0 picks any free port. */
  port: number;
  /** The file that keeps the chain across restarts. Anvil reads it at start and writes it at exit. */
  statePath?: string | undefined;
  /** The default is 1: a block is final as soon as two more follow it. */
  slotsInEpoch?: number | undefined;
};

/** Coins in each of anvil's accounts. */
const balance = 100;

/** The number of blocks whose state can be read. Anvil would write older ones into the user's home folder. */
const keptStates = 256;

/**
 * Starts a chain without contracts, which mines only on demand.
 *
 * Anvil ends with this process, after it has written its state.
 *
 * @throws StartupError if it does not start
 */
export async function startAnvil(anvil: AnvilOptions): Promise<Anvil> {
  const { chainId, port, statePath, slotsInEpoch = 1 } = anvil;
  const options = {
    host: "127.0.0.1",
    port,
    "chain-id": chainId,
    balance,
    "slots-in-an-epoch": slotsInEpoch,
    "prune-history": keptStates,
    ...(statePath !== undefined && { state: statePath }),
  };
  const reaper = createReaper();
  const child = spawn(
    binary(),
    [
      "--no-mining",
      "--no-cors",
      ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]),
    ],
    // Runs in its own process group, so that Ctrl-C in a terminal reaches only the runner.
    { stdio: ["ignore", "pipe", "pipe"], detached: true },
  );
  reaper.watch(child, "TERM");
  try {
    return {
      url: `http://${await listening(child)}`,
      processId: child.pid as number,
      async stop() {
        await ended(child);
        await reaper.close();
      },
    };
  } catch (error) {
    await reaper.close();
    throw error;
  }
}

/** Finds the program itself. The package's launcher would keep another Node process for each chain. */
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

/** Resolves to host and port as soon as anvil accepts calls. */
async function listening({ stdout, stderr }: ChildProcess): Promise<string> {
  const complaints: string[] = [];
  stderr?.on("data", (text) => complaints.push(String(text)));
  // Anvil keeps printing, and would stop one day if nobody read its output.
  const output = createInterface({ input: stdout as NodeJS.ReadableStream });
  const address = await new Promise<string | undefined>((resolve) => {
    output.on("line", (line) => {
      const [, found] = /^Listening on (\S+)/.exec(line) ?? [];
      if (found !== undefined) resolve(found);
    });
    output.once("close", () => resolve(undefined));
  });
  if (address !== undefined) return address;
  const reason = complaints.join("").trim().replaceAll(/\s+/g, " ");
  throw new StartupError(`anvil did not start: ${reason || "no reason given"}`);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}
