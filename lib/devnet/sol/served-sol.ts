import type { Address } from "@solana/web3.js";
import { preferring, waitForPort } from "../chain-ports.ts";
import { startJupiterServer } from "./jupiter-server.ts";
import { type LocalSol, startLocalSol } from "./local-sol.ts";
import { type SolDeployment, solDeployment } from "./sol-deployment.ts";
import { type SolHost, startSolHost } from "./sol-host.ts";
import { createSolNode, localGenesisHash } from "./sol-node.ts";
import { leastTip, startSolRelay } from "./sol-relay.ts";
import type { Surfnet } from "./surfnet.ts";

export type ServedSolOptions = {
  /** The port of the node must be free. The other servers take another one if theirs is in use. */
  ports: { node: number; firstHost: number; secondHost: number; relay?: number; jupiter?: number };
  /** Puts a host in front of the node, too, and serves `/_local/faults` for both hosts and the relay. */
  faults: boolean;
  seed: number;
  /** The time of a slot. By default that of the real chain. */
  slotMs?: number;
};

/** The Solana chain of this machine. It starts from the beginning each time. */
export type ServedSol = {
  /** The chain keeps nothing, and so starts over with each runner. */
  startedAt: string;
  /** The URL of an honest host, where anyone can ask for coins. */
  url: string;
  hosts: readonly [first: string, second: string];
  relay: string;
  /** The URL at which Jupiter's stand-in builds swaps. */
  jupiter: string;
  /** The mints of the tokens. */
  tokens: Record<keyof SolDeployment["tokens"], Address>;
  deployment: SolDeployment;
  /** Context for the stacks. */
  context: object;
  /** Makes one call of the chain itself, once it has started. Its own methods, `surfnet_*`, are allowed. */
  request: Surfnet["request"];
  /** Undefined until the chain has started. */
  readonly processId: number | undefined;
  /**
   * Resolves once the chain has its exchange and its tokens.
   *
   * @throws StartupError if it does not start
   */
  start(): Promise<void>;
  close(): Promise<void>;
};

const usualSlotMs = 400;

/** A cluster is named by the start of the hash of its first block (CAIP-2). */
const clusterNameLength = 32;

/** Jupiter's stand-in leaves the other tokens to their pools. */
const jupiterToken = "ORBIT";

/**
 * Opens the servers in front of a Solana chain. All addresses are known before the chain has started, so that the
 * stacks can be synthesized meanwhile.
 *
 * @throws StartupError if the port of the node is in use
 */
export async function openServedSol(options: ServedSolOptions): Promise<ServedSol> {
  const { ports, faults, seed, slotMs = usualSlotMs } = options;
  let chain: LocalSol | undefined;
  const request: Surfnet["request"] = async (method, params) => {
    if (chain === undefined) throw new Error("The chain sol does not run");
    return chain.request(method, params);
  };
  const deployment = await solDeployment();
  const { tipAccounts } = deployment;
  const node = createSolNode({ request });

  await using undo = new AsyncDisposableStack();
  const inFront = { node, slotMs, seed };
  async function openHost(preferred: number, canBeSet: boolean): Promise<SolHost> {
    const host = await preferring(preferred, (port) => startSolHost({ ...inFront, port, canBeSet }));
    undo.defer(() => host.close());
    return host;
  }
  const { url } = await openHost(await waitForPort(ports.node), false);
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

  const mintOf = ([symbol, { mint }]: [string, { mint: Address }]) => [symbol, mint];
  let started: Promise<void> | undefined;
  const opened = undo.move();
  return {
    startedAt: new Date().toISOString(),
    url,
    hosts: [first, second],
    relay: relay.url,
    jupiter: jupiter.url,
    tokens: Object.fromEntries(Object.entries(deployment.tokens).map(mintOf)),
    deployment,
    context: {
      hosts: [first, second],
      cluster: localGenesisHash.slice(0, clusterNameLength),
      relay: { url: relay.url, tipAccounts, leastTip: leastTip.sol },
      cpmmConfigs: [0],
      jupiter: { url: jupiter.url },
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
      });
      return started;
    },
    async close() {
      await started?.catch(() => {});
      await opened.disposeAsync();
      await chain?.stop();
    },
  };
}
