import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "cdk-local-runner/testing";

const root = resolve(import.meta.dirname, "../../..");

/** A local runner in its own process. */
export type Runner = {
  baseUrl: string;
  streamUrl: string;
  pid: number;
  /** Makes the runner end. Rejects if the runner or one of its processes does not end. */
  stop(): Promise<void>;
  /** Kills the runner, like a crash. */
  kill(): Promise<void>;
};

/**
 * Options of a runner. All its files, even temporary ones, stay in the folder. By default it takes free ports; without
 * `chainPort` it has no chains. Nobody trades at random on the chains, because tests need them idle.
 */
type Options = {
  folder: string;
  port?: number;
  streamPort?: number;
  chainPort?: number;
  options?: readonly string[];
};

/** Starts a local runner and waits until it serves. */
export async function startRunner({ folder, chainPort, options = [], ...ports }: Options): Promise<Runner> {
  const { port = await freePort(), streamPort = await freePort() } = ports;
  const temporary = join(folder, "tmp");
  mkdirSync(temporary, { recursive: true });
  const output = join(folder, "output.log");
  const file = openSync(output, "a");
  const all = [
    ...options,
    ...(chainPort === undefined ? ["--no-chains"] : ["--chain-port", `${chainPort}`, "--no-trader"]),
    "--conflicts",
    "--port",
    `${port}`,
    "--stream-port",
    `${streamPort}`,
    "--data-dir",
    join(folder, "data"),
  ];
  const child = spawn(process.execPath, ["bin/local.ts", ...all], {
    cwd: root,
    env: { ...process.env, TMPDIR: temporary },
    stdio: ["ignore", file, file],
  });
  closeSync(file);
  const baseUrl = `http://127.0.0.1:${port}`;
  await serving(baseUrl, child, output);
  return {
    baseUrl,
    streamUrl: `ws://127.0.0.1:${streamPort}`,
    pid: child.pid as number,
    stop: () => end(child, "SIGTERM"),
    kill: () => end(child, "SIGKILL"),
  };
}

/**
 * Starts a runner that the test files control by HTTP from their own processes: GET waits until it serves, POST crashes
 * and restarts it on the same data and ports, and DELETE stops it. All return its process id.
 */
export async function serveControl(
  start: () => Promise<Runner>,
): Promise<{ url: string; stop(): Promise<void> }> {
  let runner = start();
  // A failed start is reported to the tests that wait for the runner.
  runner.catch(() => {});
  const change = (act: (running: Runner) => Promise<Runner>) => {
    runner = runner.then(act);
  };
  const server = createServer(({ method }, response) => {
    if (method === "POST") {
      change(async (running) => {
        await running.kill();
        return start();
      });
    }
    if (method === "DELETE") {
      change(async (running) => {
        await running.stop();
        return running;
      });
    }
    runner.then(
      ({ pid }) => response.end(`${pid}`),
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      const started = await runner.catch(() => undefined);
      await started?.stop();
    },
  };
}

async function serving(baseUrl: string, child: ChildProcess, output: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < 110_000; waitedMs += 250) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`The runner ended while starting:\n${readFileSync(output, "utf8")}`);
    const answer = await fetch(`${baseUrl}/listWallets`).catch(() => undefined);
    if (answer?.status === 401) return;
    await pause(250);
  }
  child.kill("SIGKILL");
  throw new Error(`The runner does not serve:\n${readFileSync(output, "utf8")}`);
}

async function end(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  const family = descendantsOf(child.pid as number);
  if (child.exitCode === null && child.signalCode === null) {
    child.kill(signal);
    await Promise.race([once(child, "exit"), pause(20_000, undefined, { ref: false })]);
  }
  if (child.exitCode === null && child.signalCode === null) {
    child.kill("SIGKILL");
    throw new Error(`The runner did not end within 20 seconds of ${signal}`);
  }
  for (let waitedMs = 0; waitedMs < 10_000; waitedMs += 100) {
    if (!family.some(isAlive)) return;
    await pause(100);
  }
  throw new Error(`The runner left processes behind: ${family.filter(isAlive).join(", ")}`);
}

/** Halts a runner's database while the action runs. */
export async function withoutDatabase<Result>(runner: number, act: () => Promise<Result>): Promise<Result> {
  const family = descendantsOf(runner);
  const running = processes().filter(({ name }) => name.endsWith("java"));
  const found = running.map(({ pid }) => pid).filter((pid) => family.includes(pid));
  if (found.length === 0) throw new Error("The runner has no process java");
  for (const pid of found) process.kill(pid, "SIGSTOP");
  try {
    return await act();
  } finally {
    for (const pid of found) process.kill(pid, "SIGCONT");
  }
}

function processes(): { pid: number; parent: number; name: string }[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid=,comm="], { encoding: "utf8" });
  return [...lines.matchAll(/^\s*(\d+)\s+(\d+)\s+(.*?)\s*$/gm)].map(([, pid, parent, name = ""]) => ({
    pid: Number(pid),
    parent: Number(parent),
    name,
  }));
}

/** Lists the processes that run a runner's functions, with the names of the functions. */
export function functionProcesses(runner: number): { pid: number; name: string }[] {
  const family = descendantsOf(runner);
  const lines = execFileSync("ps", ["-A", "-o", "pid=,args="], { encoding: "utf8" });
  return [...lines.matchAll(/^\s*(\d+) .*\/bootstrap\.m?[jt]s (\S+)$/gm)]
    .map(([, pid, name = ""]) => ({ pid: Number(pid), name }))
    .filter(({ pid }) => family.includes(pid));
}

function descendantsOf(pid: number): number[] {
  const all = processes();
  const below = (above: number): number[] =>
    all.filter(({ parent }) => parent === above).flatMap((child) => [child.pid, ...below(child.pid)]);
  return below(pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
