import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const root = resolve(import.meta.dirname, "../../..");

export type Runner = {
  baseUrl: string;
  streamUrl: string;
  port: number;
  streamPort: number;
  /** The file that takes all it prints. */
  output: string;
  /** Asks it to end, and rejects when it, or a process that it started, does not. */
  stop(): Promise<void>;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
  /** Halts its database while the action runs. */
  withoutDatabase<Result>(act: () => Promise<Result>): Promise<Result>;
};

/** Without a port it takes one that is free. */
type Options = { output: string; dataDir: string; port?: number; streamPort?: number };

/** Starts a local runner and waits until it serves. */
export async function startRunner({ output, dataDir, ...ports }: Options): Promise<Runner> {
  const { port = await freePort(), streamPort = await freePort() } = ports;
  const options = ["--port", `${port}`, "--stream-port", `${streamPort}`, "--data-dir", dataDir];
  const file = openSync(output, "a");
  const child = spawn(process.execPath, ["bin/local.ts", ...options], {
    cwd: root,
    stdio: ["ignore", file, file],
  });
  closeSync(file);
  const baseUrl = `http://127.0.0.1:${port}`;
  await serving(baseUrl, child, output);
  return {
    baseUrl,
    streamUrl: `ws://127.0.0.1:${streamPort}`,
    port,
    streamPort,
    output,
    stop: () => end(child, "SIGTERM"),
    kill: () => end(child, "SIGKILL"),
    withoutDatabase: (act) => halted(child, "java", act),
  };
}

async function serving(baseUrl: string, child: ChildProcess, output: string): Promise<void> {
  for (let waited = 0; waited < 110_000; waited += 250) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`The runner ended at its start:\n${readFileSync(output, "utf8")}`);
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
  for (let waited = 0; waited < 10_000; waited += 100) {
    if (!family.some(isAlive)) return;
    await pause(100);
  }
  throw new Error(`The runner left processes behind: ${family.filter(isAlive).join(", ")}`);
}

async function halted<Result>(
  child: ChildProcess,
  program: string,
  act: () => Promise<Result>,
): Promise<Result> {
  const running = processes().filter(({ name }) => name.endsWith(program));
  const family = descendantsOf(child.pid as number);
  const found = running.map(({ pid }) => pid).filter((pid) => family.includes(pid));
  if (found.length === 0) throw new Error(`The runner has no process ${program}`);
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
