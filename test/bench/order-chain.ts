import { setTimeout as pause } from "node:timers/promises";
import { localAddresses, localContracts } from "trading-terminal-devnet/evm/deployment";
import { startLocalChain } from "trading-terminal-devnet/evm/local-chain";
import { openServedSol } from "trading-terminal-devnet/sol/served-sol";
import { chainFacts } from "../../lib/core/chain-facts.ts";
import { solConfigurationOf } from "../../lib/infra/sol-context.ts";

/** A local chain to measure orders on. */
export type OrderChain = {
  chain: "eth" | "base" | "sol";
  url: string;
  /** CDK context of the stacks, without hosts and relay. */
  context: object;
  /** The service's chain configuration, which the lower bound uses as well. */
  configurationFor(hosts: readonly string[]): object;
  /** File with the lower bound's process. */
  floor: string;
  token: string;
  /** Coins of a small buy order. */
  amount: string;
  fund(address: string): Promise<unknown>;
  /** Resolves once all sent transactions are mined. */
  nextBlock(): Promise<unknown>;
  close(): Promise<void>;
};

export const orderChains = ["eth", "sol"] as const;

type Measured = (typeof orderChains)[number];

export const isOrderChain = (name: string): name is Measured => orderChains.some((each) => each === name);

export const startOrderChain = (chain: Measured): Promise<OrderChain> =>
  chain === "eth" ? startEvm(chain, 1000) : startSol();

/** Starts a chain with the times between blocks that its network has. */
export const startRealPace = (chain: OrderChain["chain"]): Promise<OrderChain> =>
  chain === "sol" ? startSol() : startEvm(chain, 1000 * chainFacts[chain].blockSeconds);

const amount = "0.001";

async function startEvm(chain: "eth" | "base", blockMs: number): Promise<OrderChain> {
  const { url, request, close } = await startLocalChain({ chain });
  // Begins with a second, because blocks name the second in which they are made.
  await pause(1000 - (Date.now() % 1000));
  const miner = setInterval(() => request("evm_mine").catch(() => {}), blockMs);
  const contracts = localContracts(chain);
  const funds = `0x${(10n ** 20n).toString(16)}`;
  return {
    chain,
    url,
    context: contracts,
    floor: "floor-process.ts",
    configurationFor: (hosts) => ({ ...contracts, hosts }),
    token: localAddresses.moon,
    amount,
    fund: (address) => request("anvil_setBalance", [address, funds]),
    nextBlock: () => request("evm_mine"),
    close() {
      clearInterval(miner);
      return close();
    },
  };
}

const slotMs = 200;

const lamports = 10 ** 11;

/** Starts a chain with real slot times, so that blocks become final as late as on mainnet. */
async function startSol(): Promise<OrderChain> {
  const ports = { node: 0, firstHost: 0, secondHost: 0 };
  const sol = await openServedSol({ ports, faults: false, seed: 1, slotMs });
  await sol.start();
  const { hosts: _, relay: __, ...context } = sol.context as { hosts: unknown; relay: unknown };
  const twoSlots = () => pause(2 * slotMs);
  return {
    chain: "sol",
    url: sol.url,
    context,
    floor: "sol-floor-process.ts",
    configurationFor: (hosts) => solConfigurationOf({ ...context, hosts: [...hosts] }),
    token: sol.tokens.MOON,
    amount,
    async fund(address) {
      await sol.request("requestAirdrop", [address, lamports]);
      await twoSlots();
    },
    nextBlock: twoSlots,
    close: sol.close,
  };
}
