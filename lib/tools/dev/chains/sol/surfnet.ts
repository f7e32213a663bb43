import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { StartupError } from "cdk-local-runner";
import { createReaper } from "cdk-local-runner/testing";

export type SurfnetOptions = {
  /** The time of a slot. Each has a block. */
  slotMs: number;
  /** The program that stands for Raydium's, and the bump of its authority's address. */
  amm: { program: string; bump: number };
};

export type Surfnet = {
  url: string;
  processId: number;
  /** Makes one call: the chain takes no batches. Its own methods, `surfnet_*`, are allowed. */
  request(method: string, params?: readonly unknown[]): Promise<unknown>;
  stop(): Promise<void>;
};

/** Names the package with the chain for this machine. */
export const surfpoolPackage = (): string => {
  const libc = process.platform === "linux" ? "-gnu" : "";
  return `@solana/surfpool-${process.platform}-${process.arch}${libc}`;
};

/** True if a package exists for this machine, and is installed. */
function hasSurfpool(): boolean {
  try {
    createRequire(import.meta.url).resolve(surfpoolPackage());
    return true;
  } catch {
    return false;
  }
}

/**
 * Starts a chain with nothing but its own programs and the stand-in of an exchange. It ends with this process.
 *
 * @throws StartupError if it does not start
 */
export async function startSurfnet(options: SurfnetOptions): Promise<Surfnet> {
  if (!hasSurfpool()) throw new StartupError(`The local chain sol needs the package ${surfpoolPackage()}`);
  const reaper = createReaper();
  const program = fileURLToPath(import.meta.resolve("./surfnet-process.ts"));
  const child = spawn(process.execPath, [program, JSON.stringify(options)], {
    stdio: ["ignore", "pipe", "pipe"],
    // Runs in its own process group, so that Ctrl-C in a terminal reaches only the runner.
    detached: true,
  });
  reaper.watch(child, "TERM");
  try {
    const url = await listening(child);
    return {
      ...{ url, processId: child.pid as number },
      request: (method, params = []) => callSurfnet(url, method, params),
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

async function listening({ stdout, stderr }: ChildProcess): Promise<string> {
  const complaints: string[] = [];
  stderr?.on("data", (text) => complaints.push(String(text)));
  // It would stop one day if nobody read its output.
  const output = createInterface({ input: stdout as NodeJS.ReadableStream });
  const url = await new Promise<string | undefined>((resolve) => {
    output.on("line", (line) => {
      const [, found] = /^Listening on (\S+)/.exec(line) ?? [];
      if (found !== undefined) resolve(found);
    });
    output.once("close", () => resolve(undefined));
  });
  if (url !== undefined) return url;
  const reason = complaints.join("").trim().replaceAll(/\s+/g, " ");
  throw new StartupError(`The chain sol did not start: ${reason || "no reason given"}`);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}

/** The chain refused a call. */
export class SurfnetError extends Error {
  override readonly name = "SurfnetError";
  readonly code: number;
  readonly data: unknown;

  constructor(method: string, { code, message, data }: { code: number; message: string; data?: unknown }) {
    super(`${method}: ${message}`);
    this.code = code;
    this.data = data;
  }
}

async function callSurfnet(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as {
    result?: unknown;
    error?: { code: number; message: string; data?: unknown };
  };
  if (error !== undefined) throw new SurfnetError(method, error);
  return result;
}
