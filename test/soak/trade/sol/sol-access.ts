import { setTimeout as pause } from "node:timers/promises";
import { portsOf } from "trading-terminal-devnet/local-chains";
import { type SolDeployment, solDeployment } from "trading-terminal-devnet/sol/sol-deployment";
import { askOne } from "../../../support/local-hosts.ts";
import { type ChainFaults, faultsOf, urlAt } from "../chain-faults.ts";

/** The runner's Solana chain with its faults. */
export type SolAccess = ChainFaults & {
  chain: "sol";
  deployment: SolDeployment;
  /** Sends a request to the honest host. */
  request<Result>(method: string, ...params: unknown[]): Promise<Result>;
  /** Gives coins to a new account and waits until a block contains them. */
  airdrop(address: string, lamports: number): Promise<void>;
};

/**
 * Opens the runner's Solana chain.
 *
 * @param port the runner's `--chain-port`
 */
export async function accessSol(port: number): Promise<SolAccess> {
  const url = urlAt(portsOf("sol", port).node);

  async function request<Result>(method: string, ...params: unknown[]): Promise<Result> {
    const { result, error } = await askOne(url, method, ...params);
    if (error !== undefined) throw new Error(`sol answers to ${method}: ${error.message}`);
    return result as Result;
  }

  return {
    ...faultsOf("sol", port),
    chain: "sol",
    deployment: await solDeployment(),
    request,
    async airdrop(address, lamports) {
      await request("requestAirdrop", address, lamports);
      for (const deadline = Date.now() + 20_000; Date.now() < deadline; await pause(100)) {
        const { value } = await request<{ value: number }>("getBalance", address);
        if (value >= lamports) return;
      }
      throw new Error(`${address} has no coins on sol`);
    },
  };
}
