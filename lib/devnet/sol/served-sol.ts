import type { Address } from "@solana/web3.js";
import { preferring, waitForPort } from "../chain-ports.ts";
import { watchGraduations } from "./graduation.ts";
import { startJupiterServer } from "./jupiter-server.ts";
import { type LocalSol, startLocalSol } from "./local-sol.ts";
import type { PumpDeployment } from "./pump-deployment.ts";
import { type SolDeployment, solDeployment } from "./sol-deployment.ts";
import { type SolHost, startSolHost } from "./sol-host.ts";
import { createSolNode, localGenesisHash } from "./sol-node.ts";
import { leastTip, startSolRelay } from "./sol-relay.ts";
import type { Surfnet } from "./surfnet.ts";

export type ServedSolOptions = {
  /** Preferred ports. Only the node's must be free: the other servers take any free port if theirs is in use. */
  ports: { node: number; firstHost: number; secondHost: number; relay?: number; jupiter?: number };
  /** Adds a host in front of the node, and serves `/_local/faults` on both hosts and the relay. */
  faults: boolean;
  seed: number;
  /** Milliseconds per slot. The default is the real chain's. */
  slotMs?: number;
};

/** The local Solana chain. It starts from the beginning each time. */
export type ServedSol = {
  /** Time at which the chain started over. It stores no state between runs. */
  startedAt: string;
  /** URL of an honest host, where anyone can request coins and call the chain's own methods `surfnet_*`. */
  url: string;
  hosts: readonly [first: string, second: string];
  relay: string;
  /** URL of Jupiter's stand-in, which builds swaps. */
  jupiter: string;
  /** Mints of the local tokens, without that of Jupiter's stand-in. */
  tokens: Record<
    keyof SolDeployment["tokens"] | keyof PumpDeployment["curves"] | keyof PumpDeployment["pools"],
    Address
  >;
  deployment: SolDeployment;
  /** Context for the stacks, with the addresses of the chain. */
  context: object;
  /** Makes one call to the chain itself once it has started, including its own methods `surfnet_*`. */
  request: Surfnet["request"];
  /** Process id of the chain. Undefined until it has started. */
  readonly processId: number | undefined;
  /**
   * Resolves once the chain has its exchange and its tokens.
   *
   * @throws StartupError if the chain fails to start
   */
  start(): Promise<void>;
  close(): Promise<void>;
};

/** A blockhash lives 150 slots, so half a minute. */
const usualSlotMs = 200;

/** Length of a cluster's name, which is the beginning of its genesis hash (CAIP-2). */
const clusterNameLength = 32;

/** Only token that Jupiter's stand-in trades. All other tokens have pools of their own. */
const jupiterToken = "ORBIT";

/**
 * Opens the servers in front of a Solana chain. All addresses are known before the chain starts, so that the stacks can
 * be synthesized in the meantime.
 *
 * @throws StartupError if the node's port is in use
 */
export async function openServedSol(options: ServedSolOptions): Promise<ServedSol> {
  const { ports, faults, seed, slotMs = usualSlotMs } = options;
  let chain: LocalSol | undefined;
  const request: Surfnet["request"] = async (method, params) => {
    if (chain === undefined) throw new Error("The chain sol does not run");
    return chain.request(method, params);
  };
  const deployment = await solDeployment();
  const { tipAccounts, tokens, pump } = deployment;
  const node = createSolNode({ request });

  await using undo = new AsyncDisposableStack();
  const inFront = { node, slotMs, seed };
  async function openHost(preferred: number, canBeSet: boolean, ownMethods = false): Promise<SolHost> {
    const host = await preferring(preferred, (port) =>
      startSolHost({ ...inFront, port, canBeSet, ownMethods }),
    );
    undo.defer(() => host.close());
    return host;
  }
  const { url } = await openHost(await waitForPort(ports.node), false, true);
  const first = faults ? (await openHost(ports.firstHost, true)).url : url;
  const second = (await openHost(ports.secondHost, faults)).url;
  const relay = await preferring(ports.relay ?? 0, (port) =>
    startSolRelay({ ...inFront, port, tipAccounts, canBeSet: faults }),
  );
  undo.defer(() => relay.close());

  const jupiter = await preferring(ports.jupiter ?? 0, (port) =>
    startJupiterServer({
      node,
      jupiter: deployment.jupiter,
      symbols: [jupiterToken],
      canBeSet: faults,
      seed,
      port,
    }),
  );
  undo.defer(() => jupiter.close());

  const mintsOf = <Symbol extends string>(made: Record<Symbol, { mint: Address }>) =>
    Object.fromEntries(
      Object.entries<{ mint: Address }>(made).map(([symbol, { mint }]) => [symbol, mint]),
    ) as Record<Symbol, Address>;
  let started: Promise<void> | undefined;
  let graduations: { stop: () => void } | undefined;
  const opened = undo.move();
  return {
    startedAt: new Date().toISOString(),
    url,
    hosts: [first, second],
    relay: relay.url,
    jupiter: jupiter.url,
    tokens: { ...mintsOf(tokens), ...mintsOf(pump.curves), ...mintsOf(pump.pools) },
    deployment,
    context: {
      hosts: [first, second],
      cluster: localGenesisHash.slice(0, clusterNameLength),
      relay: { url: relay.url, tipAccounts, leastTip: leastTip.sol },
      jupiter: { url: jupiter.url },
      pumpTable: pump.table,
      payer: deployment.payer,
      tokens: [{ token: deployment.tokens.MOON.mint, symbol: "MOON", name: "Moon", decimals: 6 }],
    },
    request,
    get processId() {
      return chain?.processId;
    },
    start() {
      started ??= startLocalSol({ slotMs, deployment }).then((running) => {
        chain = running;
        graduations = watchGraduations(request, Object.values(pump.curves));
      });
      return started;
    },
    async close() {
      await started?.catch(() => {});
      graduations?.stop();
      await opened.disposeAsync();
      await chain?.stop();
    },
  };
}
