import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { StartupError } from "cdk-local-runner";
import { type ChainProcess, startChainProcess } from "../chain-process.ts";
import { ChainRefusal } from "../chain-refusal.ts";

export type SurfnetOptions = {
  /** The time of a slot. Each has a block. */
  slotMs: number;
  /** The program that stands for Raydium's, and the bump of its authority's address. */
  amm: { program: string; bump: number };
  /** The program that stands for Jupiter's, and the bump of its authority's address. */
  jupiter: { program: string; bump: number };
};

export type Surfnet = Omit<ChainProcess, "address"> & {
  url: string;
  /** Makes one call: the chain takes no batches. Its own methods, `surfnet_*`, are allowed. */
  request(method: string, params?: readonly unknown[]): Promise<unknown>;
};

/** Names the package with the chain for this machine. */
export const surfpoolPackage = (): string => {
  const libc = process.platform === "linux" ? "-gnu" : "";
  return `@solana/surfpool-${process.platform}-${process.arch}${libc}`;
};

/** True if a package exists for this machine, and is installed. */
export function hasSurfpool(): boolean {
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
  const program = fileURLToPath(import.meta.resolve("./surfnet-process.ts"));
  const args = [program, JSON.stringify(options)];
  const { address: url, processId, stop } = await startChainProcess("The chain sol", process.execPath, args);
  return { url, processId, stop, request: (method, params = []) => callSurfnet(url, method, params) };
}

async function callSurfnet(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
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
