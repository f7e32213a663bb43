import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { requestToken } from "cdk-local-runner";
import { createTerminal, type Decimal, type Terminal, type TradingChain } from "trading-terminal-client";
import { makeProgramKey } from "trading-terminal-client/key";
import type { EvmChain } from "trading-terminal-devnet/chain-facts";
import { freePorts } from "trading-terminal-devnet/free-ports";
import { chainPorts } from "trading-terminal-devnet/local-chains";
import { moveInSteps } from "trading-terminal-devnet/local-market";
import { openMarkets } from "trading-terminal-devnet/open-markets";
import { startRunner } from "../e2e/support/runner.ts";
import { Agent } from "./agent.ts";
import { type FlakyProxy, startFlakyProxy } from "./flaky-proxy.ts";

/** A local service with a user whose wallets have coins, except that of avax. */
export type World = {
  /** The user's own client, with which scenarios look at what really happened. */
  user: Terminal;
  proxy: FlakyProxy;
  /** Starts an agent with a key of its own. */
  agent(options?: AgentOptions): Promise<Agent>;
  /** Waits until something is true of the service, such as that time has passed on a chain. */
  until(isTrue: () => Promise<boolean>): Promise<void>;
  movePrice(chain: EvmChain, symbol: string, factor: number): Promise<void>;
  /** Makes the first host of a chain fail, or heals it. */
  breakChain(chain: EvmChain, isBroken: boolean): Promise<void>;
  close(): Promise<void>;
};

export type AgentOptions = {
  /** Seconds for which the agent can confirm a quote. */
  quoteSeconds?: number;
  scopes?: ("read" | "trade")[];
  maxPerOrder?: Decimal;
  maxPerDay?: Decimal;
};

const userID = "agents-user";

export async function openWorld(): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), "agents-"));
  await using undo = new AsyncDisposableStack();
  undo.defer(() => rmSync(folder, { recursive: true, force: true }));
  const chainPort = await freePorts(chainPorts);
  const runner = await startRunner({
    folder,
    chainPort,
    options: ["--faults", "--fast-triggers"],
  });
  undo.defer(() => runner.stop());
  const proxy = await startFlakyProxy(runner.baseUrl);
  undo.defer(() => proxy.stop());

  const port = Number(new URL(runner.baseUrl).port);
  const user = createTerminal({
    baseUrl: runner.baseUrl,
    token: () => requestToken(port, { sub: userID, expiresIn: 3600 }),
  });
  const read = async <Json>(path: string) => (await (await fetch(`${runner.baseUrl}${path}`)).json()) as Json;
  await makeWallets(user, runner.baseUrl);
  const [chains, hosts] = await Promise.all([
    read<Record<EvmChain, string>>("/chains.json"),
    read<Record<EvmChain, readonly string[]>>("/hosts.json"),
  ]);

  const running = undo.move();
  return {
    user,
    proxy,
    async agent({ quoteSeconds = 60, ...limits } = {}) {
      const { publicKey, privateKey } = await makeProgramKey();
      const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
      const body = {
        name: "Agent",
        publicKey,
        scopes: ["read" as const, "trade" as const],
        expiresAt,
        ...limits,
      };
      const { data, error } = await user.createKey({ body });
      if (error) throw new Error(`No key: ${error.message}`);
      const { keyId } = data.key;
      const file = join(folder, `${keyId}.json`);
      writeFileSync(file, JSON.stringify({ userID, keyId, privateKey }), { mode: 0o600 });
      const given = {
        TERMINAL_URL: proxy.url,
        TERMINAL_KEY_FILE: file,
        TERMINAL_QUOTE_SECONDS: `${quoteSeconds}`,
      };
      const agent = new Agent(keyId, given);
      await agent.start();
      running.defer(() => agent.stop());
      return agent;
    },
    async until(isTrue) {
      while (!(await isTrue())) await pause(250);
    },
    async movePrice(chain, symbol, factor) {
      const markets = await openMarkets(chain);
      const market = await markets.open(chains[chain], markets.find(symbol) ?? "");
      for await (const _ of moveInSteps(market, factor, undefined));
    },
    async breakChain(chain, isBroken) {
      const body = JSON.stringify(isBroken ? { unavailable: 1 } : {});
      const headers = { "Content-Type": "application/json" };
      await fetch(`${hosts[chain][0]}/_local/faults`, { method: "PUT", headers, body });
    },
    close: () => running.disposeAsync(),
  };
}

async function makeWallets(user: Terminal, baseUrl: string): Promise<void> {
  for (const network of ["eth", "base", "bsc", "sol", "avax"] as const) {
    const { data, error } = await user.createWallet({ body: { network } });
    if (error) throw new Error(`No wallet: ${error.message}`);
    const address = data.wallet.generatedWalletAddress;
    if (network !== "avax") await giveCoins(baseUrl, { chain: network, address });
  }
}

async function giveCoins(baseUrl: string, to: { chain: TradingChain; address: string }): Promise<void> {
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(`${baseUrl}/local/coins`, { method: "POST", headers, body: JSON.stringify(to) });
  if (!answer.ok) throw new Error(`No coins on ${to.chain}: ${await answer.text()}`);
}
