import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { StartupError } from "cdk-local-runner";
import { type ChainProcess, PortTakenError, startChainProcess } from "../chain-process.ts";
import { ChainRefusal } from "../chain-refusal.ts";

export type SurfnetOptions = {
  /** Milliseconds per slot. Each slot has a block. */
  slotMs: number;
  /** Program that imitates Jupiter's, and the bump of its authority's address. */
  jupiter: { program: string; bump: number };
};

export type Surfnet = Omit<ChainProcess, "address"> & {
  url: string;
  /** Makes a single call, because the chain rejects batches. The chain's own methods `surfnet_*` are allowed. */
  request(method: string, params?: readonly unknown[]): Promise<unknown>;
};

/**
 * Maximum number of attempts to get a port. Even two failures in a row are rare while thousands of connections are
 * being opened.
 */
const mostStarts = 5;

/** Names the package that contains the chain for this machine. */
export const surfpoolPackage = (): string => {
  const libc = process.platform === "linux" ? "-gnu" : "";
  return `@solana/surfpool-${process.platform}-${process.arch}${libc}`;
};

/** True if a package exists for this machine and is installed. */
export function hasSurfpool(): boolean {
  try {
    createRequire(import.meta.url).resolve(surfpoolPackage());
    return true;
  } catch {
    return false;
  }
}

/**
 * Starts a chain that has only its own programs and the stand-ins of exchanges. It ends with this process.
 *
 * @throws StartupError if it fails to start
 */
export async function startSurfnet(options: SurfnetOptions): Promise<Surfnet> {
  const addon = surfpoolPackage();
  if (!hasSurfpool()) throw new StartupError(`The local chain sol needs the package ${addon}`);
  const program = fileURLToPath(import.meta.resolve("./surfnet-process.ts"));
  const args = [program, JSON.stringify(options), addon];
  const {
    address: url,
    processId,
    stop,
  } = await startOnFreePort(() => startChainProcess("The chain sol", process.execPath, args));
  return { url, processId, stop, request: (method, params = []) => callSurfnet(url, method, params) };
}

/**
 * Starts Surfpool again if it lost its port. Surfpool picks a free port but opens it later. If another program has
 * taken the port by then, Surfpool prints an error and hangs.
 */
async function startOnFreePort(start: () => Promise<ChainProcess>): Promise<ChainProcess> {
  for (let startsLeft = mostStarts; ; startsLeft--) {
    try {
      return await start();
    } catch (error) {
      if (!(error instanceof PortTakenError) || startsLeft === 1) throw error;
    }
  }
}

/**
 * Makes a single call to the chain, or to a host that answers its own methods.
 *
 * @throws ChainRefusal if it refuses
 */
export async function callSurfnet(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as {
    result?: unknown;
    error?: ConstructorParameters<typeof ChainRefusal>[1];
  };
  if (error !== undefined) throw new ChainRefusal(method, error);
  return result;
}
