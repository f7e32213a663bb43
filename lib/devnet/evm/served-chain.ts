import { existsSync } from "node:fs";
import { StartupError } from "cdk-local-runner";
import { type EvmChain, evmFacts } from "../chain-facts.ts";
import type { NoteBook, NotedBlock } from "../chain-notes.ts";
import { preferring, waitForPort } from "../chain-ports.ts";
import { callAnvil } from "./call-anvil.ts";
import { keepState } from "./chain-state.ts";
import { type ChainTimes, finalAfterBlocks, slotsInEpoch } from "./chain-times.ts";
import { createHeads } from "./heads.ts";
import { startLocalChain } from "./local-chain.ts";
import { type MinedBlock, type Miner, startMiner } from "./miner.ts";
import { birthOf, playPast } from "./past.ts";
import { startRelay } from "./relay.ts";
import { type SecondHost, startSecondHost } from "./second-host.ts";

export type ServedChainOptions = {
  chain: EvmChain;
  /** Preferred ports. Only anvil's must be free: the other servers take any free port if theirs is in use. */
  ports: { anvil: number; firstHost: number; secondHost: number; relay?: number | undefined };
  /** File of the chain's state. If undefined, the state is not kept. */
  statePath: string | undefined;
  book: NoteBook;
  /** Adds a host in front of anvil, and serves `/_local/faults` on both hosts and the relay. */
  faults: boolean;
  seed: number;
  /** Prints a warning. */
  warn: (line: string) => void;
  times: ChainTimes;
  /** Lets a new chain begin with two hours of trades. */
  past?: boolean;
};

/** A local chain with a second host. Some chains also have a relay. */
export type ServedChain = {
  chain: EvmChain;
  /** URL of anvil. */
  url: string;
  hosts: readonly [first: string, second: string];
  relay: string | undefined;
  /**
   * Starts anvil, and then mining. Resolves once the chain has its contracts.
   *
   * @throws StartupError if the chain fails to start, or is not the one in the notes
   */
  start(): Promise<void>;
  /** Makes a block soon even if no transaction is waiting. */
  wake(): void;
  close(): Promise<void>;
};

/** Advice if a chain fails to start. */
const advice = "`npm start -- --reset-chains` starts all chains from the beginning";

/**
 * Opens the servers in front of a chain. All addresses are known before the chain starts, so that the stacks can be
 * synthesized in the meantime.
 *
 * @throws StartupError if anvil's port is in use
 */
export async function openServedChain(options: ServedChainOptions): Promise<ServedChain> {
  const { chain, ports, statePath, book, faults, seed, warn, times, past = false } = options;
  const finalAfter = finalAfterBlocks(times);
  const url = `http://127.0.0.1:${await waitForPort(ports.anvil)}`;
  const request = async (method: string, params: readonly unknown[] = []) =>
    (await callAnvil(url, [[method, params]]))[0];

  await using undo = new AsyncDisposableStack();
  let miner: Miner | undefined;
  const inFront = { canBeSet: faults, seed };
  const heads = createHeads();
  const openedHosts: SecondHost[] = [];
  async function openHost(preferred: number): Promise<string> {
    const onWaiting = () => miner?.wake();
    const host = await preferring(preferred, (port) =>
      startSecondHost({ ...inFront, port, chainUrl: url, finalAfter, heads, onWaiting }),
    );
    undo.defer(() => host.close());
    openedHosts.push(host);
    return host.url;
  }
  const hosts = [faults ? await openHost(ports.firstHost) : url, await openHost(ports.secondHost)] as const;
  const { chainId } = evmFacts[chain];
  const relay =
    ports.relay === undefined
      ? undefined
      : await preferring(ports.relay, (port) => startRelay({ ...inFront, port, chainId, request }));
  undo.defer(() => relay?.close());

  let recent: MinedBlock[] = [];
  const note = (block: MinedBlock) => {
    heads.note(block.number);
    recent = [...recent, block].slice(-finalAfter - 2);
    const final = recent.findLast(({ number }) => number <= block.number - finalAfter);
    book.notes.newest[chain] = { ...block, ...(final && { final }) };
    book.save();
  };

  async function run(): Promise<void> {
    const hasState = statePath !== undefined && existsSync(statePath);
    const bornAt = past && !hasState ? birthOf(Date.now()) : undefined;
    const anvil = await startLocalChain({
      chain,
      port: ports.anvil,
      slotsInEpoch: slotsInEpoch(times),
      ...(statePath !== undefined && { statePath }),
      ...(bornAt !== undefined && { bornAt }),
    }).catch((error) => {
      throw error instanceof StartupError ? new StartupError(`${error.message}. ${advice}.`) : error;
    });
    running.defer(() => anvil.close());
    book.notes.processes.push(anvil.processId);
    if (bornAt !== undefined) await playPast(chain, url, bornAt);
    const newest = await checkedHead(chain, request, book.notes.newest[chain]);
    note(newest);

    const warning = (text: string) => (error: unknown) => warn(`Chain ${chain} ${text}: ${String(error)}`);
    const state =
      statePath === undefined
        ? undefined
        : keepState({ path: statePath, request, onFailure: warning("cannot be saved") });
    running.defer(() => state?.saved());
    state?.changed();
    miner = startMiner({
      request,
      relay,
      times,
      isHalted: () => openedHosts.some(({ faults }) => faults.isHalted === true),
      onFailure: warning("does not answer"),
      onBlock(block) {
        note(block);
        state?.changed();
      },
      onIdle: () => state?.rest(),
    });
    running.defer(() => miner?.stop());
  }

  const running = new AsyncDisposableStack();
  let started: Promise<void> | undefined;
  const opened = undo.move();
  return {
    chain,
    url,
    hosts,
    relay: relay?.url,
    start() {
      started ??= run();
      return started;
    },
    wake() {
      miner?.wake();
    },
    async close() {
      await started?.catch(() => {});
      await running.disposeAsync();
      await opened.disposeAsync();
    },
  };
}

/**
 * Returns the newest block.
 *
 * @param noted A block that the service's table may know.
 * @throws StartupError if the chain lacks the noted block
 */
async function checkedHead(
  chain: EvmChain,
  request: (method: string, params: readonly unknown[]) => Promise<unknown>,
  noted: NotedBlock | undefined,
): Promise<MinedBlock> {
  const blockAt = async (tag: string): Promise<MinedBlock | undefined> => {
    const block = (await request("eth_getBlockByNumber", [tag, false])) as Record<
      "number" | "hash",
      string
    > | null;
    return block === null ? undefined : { number: Number(block.number), hash: block.hash };
  };
  const head = (await blockAt("latest")) as MinedBlock;
  if (noted === undefined) return head;
  if (head.number < noted.number) {
    throw new StartupError(
      `Chain ${chain} went back: it is at block ${head.number}, and the table knows block ${noted.number}. ${advice}.`,
    );
  }
  const hasBlock = async ({ number, hash }: MinedBlock) =>
    (await blockAt(`0x${number.toString(16)}`))?.hash === hash;
  // A reorganisation may have replaced the newest block, but never a final one.
  const isSame = (await hasBlock(noted)) || (noted.final !== undefined && (await hasBlock(noted.final)));
  if (!isSame) {
    throw new StartupError(`Chain ${chain} is not the one that the table knows. ${advice}.`);
  }
  return head;
}
