import { type ChainTimes, finalAfterBlocks, usualTimes } from "./chain-times.ts";

export type MinedBlock = { number: number; hash: string };

export type MinerOptions = {
  /** Calls anvil. */
  request: (method: string, params?: readonly unknown[]) => Promise<unknown>;
  /** Keeps transactions out of the public pool and makes blocks with them. */
  relay?: { hasWaiting(): boolean; mine: () => Promise<void> } | undefined;
  /** True while the chain makes no blocks. */
  isHalted?: () => boolean;
  onBlock?: (block: MinedBlock) => void;
  /** Called whenever the chain is idle. */
  onIdle?: () => void;
  /** Called once for each outage of the chain. */
  onFailure?: (error: unknown) => void;
  times?: ChainTimes;
};

export type Miner = {
  /** Makes a block soon even if no transaction is waiting, for requests that need time to pass. */
  wake(): void;
  /** Stops mining. Resolves once no block is being made. */
  stop(): Promise<void>;
};

/**
 * Makes blocks while a transaction is waiting or not yet final. An idle chain makes no blocks and costs nothing. Block
 * times follow the clock.
 */
export function startMiner(options: MinerOptions): Miner {
  const { request, relay, times = usualTimes } = options;
  const finalAfter = finalAfterBlocks(times);
  const { isHalted = () => false, onBlock = () => {}, onIdle = () => {}, onFailure = () => {} } = options;
  const mine = relay?.mine ?? (() => request("evm_mine"));
  /** Newest block at the last check, and the newest block with transactions if that block may not be final. */
  let seen = { height: -1, busy: -1 };
  let isAwake = false;
  let hasFailed = false;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let current: Promise<void> = Promise.resolve();

  async function newestBusy(height: number): Promise<number> {
    for (let number = height; number >= 0 && number > height - finalAfter; number--)
      if (Number(await request("eth_getBlockTransactionCountByNumber", [`0x${number.toString(16)}`])) > 0)
        return number;
    return -finalAfter;
  }

  async function step(): Promise<void> {
    if (isHalted()) return;
    const [pool, head] = await Promise.all([request("txpool_status"), request("eth_blockNumber")]);
    const height = Number(head);
    // Looks for transactions in new blocks, which may include transactions that arrived late.
    if (height !== seen.height) seen = { height, busy: await newestBusy(height) };
    const isWaiting = Number((pool as { pending: string }).pending) > 0 || (relay?.hasWaiting() ?? false);
    if (!isWaiting && !isAwake && height >= seen.busy + finalAfter) return onIdle();
    isAwake = false;
    await mine();
    const block = (await request("eth_getBlockByNumber", ["latest", false])) as {
      number: string;
      hash: string;
    };
    onBlock({ number: Number(block.number), hash: block.hash });
  }

  async function tick(): Promise<void> {
    const startedMs = performance.now();
    try {
      await step();
      hasFailed = false;
    } catch (error) {
      if (!hasFailed && !isStopped) onFailure(error);
      hasFailed = true;
    }
    if (!isStopped) schedule(Math.max(0, startedMs + times.blockMs - performance.now()));
  }

  function schedule(delayMs: number): void {
    timer = setTimeout(() => {
      current = tick();
    }, delayMs);
  }

  schedule(0);
  return {
    wake() {
      isAwake = true;
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await current;
    },
  };
}
