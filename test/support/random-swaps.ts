import { Interface } from "ethers/abi";
import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { alice, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { approval } from "trading-terminal-devnet/evm/uniswap";
import { kindOf } from "../../lib/chains/evm/rules/swap-venues.ts";
import type { WatchedPool } from "../../lib/markets/evm/rules/watched-pool.ts";
import { Random } from "../trading/model/random.ts";
import { type LocalPool, localPoolsOf } from "./market-pools.ts";

const abi = new Interface([
  "function deposit() payable",
  "function transfer(address, uint256)",
  "function sync()",
  "function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256, uint256, address[], address, uint256)",
  "function addLiquidity(address, address, uint256, uint256, uint256, uint256, address, uint256)",
  "function exactInputSingle((address, address, uint24, address, uint256, uint256, uint160))",
  "function exactInputSingle((address, address, int24, address, uint256, uint256, uint256, uint160))",
]);
const v3Swap = "exactInputSingle((address,address,uint24,address,uint256,uint256,uint160))";
const slipstreamSwap = "exactInputSingle((address,address,int24,address,uint256,uint256,uint256,uint160))";
const v2Swap = "swapExactTokensForTokensSupportingFeeOnTransferTokens";

const forever = 2n ** 40n;
const unlimited = 2n ** 255n;
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

const hex = (value: bigint | number) => `0x${value.toString(16)}`;

/** A block's true effects on pools, by address, derived from state and receipts. */
export type TrueBlock = {
  number: number;
  hash: string;
  time: number;
  /** State words of each pool at the end of the block. */
  words: ReadonlyMap<string, bigint>;
  /** Quote units moved by each swap, for every pool with swaps. */
  swaps: ReadonlyMap<string, readonly bigint[]>;
};

export type RandomSwaps = {
  pools: Record<LocalPool, WatchedPool>;
  height(): Promise<number>;
  /**
   * Sends random transactions: buys and sells in pools of all kinds, some of which fail; a buy and a sell that restores
   * the price; and changes of reserves without swaps. Then mines a block 0 to 14 seconds later.
   *
   * @param most Maximum number of transactions.
   */
  block(most?: number): Promise<void>;
  /** Derives the blocks of a range from their states and receipts. */
  truth(from: number, to: number): Promise<TrueBlock[]>;
};

type Receipt = {
  status: string;
  transactionHash: string;
  logs: { address: string; topics: string[]; data: string }[];
};

/** Trades at random from an account of anvil. The same seed makes the same trades. */
export async function startRandomSwaps(chain: TestChain, seed: number): Promise<RandomSwaps> {
  const random = new Random(seed);
  const pools = await localPoolsOf(chain);
  const list = Object.entries(pools) as [LocalPool, WatchedPool][];
  const { wrapped, v2Router } = localAddresses;
  const routerOf = ({ venue }: WatchedPool) =>
    chain.contracts.venues.find((row) => row.venue === venue)?.router as string;
  const quoteOf = ({ quote }: WatchedPool) => (quote === "native" ? wrapped : quote);
  const tierOf = (name: LocalPool) =>
    name.endsWith("Slipstream") ? 200 : name === "starPancake" ? 2500 : 3000;
  /** Pool of each swap, by transaction. */
  const swaps = new Map<string, string>();

  const send = async (to: string, data: string, value = 0n): Promise<string> =>
    (await chain.request("eth_sendTransaction", [
      { from: alice.address, to, data, value: hex(value), gas: hex(1_000_000) },
    ])) as string;

  async function prepare(): Promise<void> {
    const tokens = [...new Set(list.map(([, { token }]) => token)), localAddresses.usdx];
    const units = (token: string) => (token === localAddresses.usdx ? 10n ** 12n : 10n ** 25n);
    await chain.deploy(
      ...tokens.map((to) => ({ to, data: abi.encodeFunctionData("transfer", [alice.address, units(to)]) })),
    );
    await chain.request("anvil_setBalance", [alice.address, hex(10n ** 24n)]);
    await send(wrapped, abi.encodeFunctionData("deposit"), 10n ** 22n);
    const routers = [...new Set(list.map(([, pool]) => routerOf(pool)))];
    for (const token of [...tokens, wrapped])
      for (const router of routers) await send(token, approval(token, router).data);
    await chain.mine();
  }

  const wordOf = async ({ pool, venue }: WatchedPool, tag: string): Promise<bigint> => {
    const isV2 = kindOf({ venue }) === "v2";
    const data = isV2 ? "0x0902f1ac" : "0x3850c7bd";
    const answer = (await chain.request("eth_call", [{ to: pool, data }, tag])) as string;
    const [first = 0n, second = 0n] = (answer.slice(2).match(/.{64}/g) ?? []).map((text) =>
      BigInt(`0x${text}`),
    );
    return isV2 ? (first << 112n) | second : first;
  };

  /** Swaps up to a fiftieth of a pool's initial reserves. */
  async function swap(name: LocalPool, isBuy: boolean, amount: bigint, limit = 0n): Promise<void> {
    const pool = pools[name];
    const path = isBuy ? [quoteOf(pool), pool.token] : [pool.token, quoteOf(pool)];
    const to = alice.address;
    const data =
      kindOf(pool) === "v2"
        ? abi.encodeFunctionData(v2Swap, [amount, 0, path, to, forever])
        : kindOf(pool) === "slipstream"
          ? abi.encodeFunctionData(slipstreamSwap, [[...path, tierOf(name), to, forever, amount, 0, 0]])
          : abi.encodeFunctionData(v3Swap, [[...path, tierOf(name), to, amount, 0, limit]]);
    swaps.set(await send(routerOf(pool), data), pool.pool);
  }

  const amountOf = (pool: WatchedPool, isBuy: boolean): bigint => {
    const inMillionths = BigInt(random.below(1_000_000) + 1);
    if (!isBuy) return inMillionths * 10n ** 15n;
    return (
      (inMillionths * 10n ** BigInt(pool.quoteDecimals)) / (pool.quote === "native" ? 10n ** 7n : 10n ** 4n)
    );
  };

  async function randomStep(): Promise<void> {
    const [name, pool] = random.pick(list) as [LocalPool, WatchedPool];
    const isBuy = random.chance(0.5);
    if (random.chance(0.8)) return swap(name, isBuy, amountOf(pool, isBuy));
    // Fails on purpose by sending more than the account has.
    if (random.chance(0.2)) return swap(name, isBuy, 10n ** 30n);
    if (kindOf(pool) === "v2") {
      if (random.chance(0.5)) {
        const amounts = [10n ** BigInt(pool.quoteDecimals - 1), 10n ** 20n];
        const terms = [quoteOf(pool), pool.token, ...amounts, 0, 0, alice.address, forever];
        await send(v2Router, abi.encodeFunctionData("addLiquidity", terms));
        return;
      }
      await send(pool.token, abi.encodeFunctionData("transfer", [pool.pool, 10n ** 18n]));
      await send(pool.pool, abi.encodeFunctionData("sync"));
      return;
    }
    // Sells down to the price before the buy, so that the state shows neither trade.
    const before = await wordOf(pool, "latest");
    await swap(name, true, amountOf(pool, true));
    await swap(name, false, unlimited / 2n ** 170n, kindOf(pool) === "slipstream" ? 0n : before);
  }

  await prepare();
  const height = async () => Number(await chain.request("eth_blockNumber"));
  return {
    pools,
    height,
    async block(most = 4) {
      for (let steps = random.below(most + 1); steps > 0; steps--) await randomStep();
      const { timestamp } = (await chain.request("eth_getBlockByNumber", ["latest", false])) as Record<
        string,
        string
      >;
      // Allows several blocks in one second, as on fast chains.
      await chain.request("evm_setNextBlockTimestamp", [Number(timestamp) + random.below(15)]);
      await chain.mine();
    },
    async truth(from, to) {
      const blocks: TrueBlock[] = [];
      for (let number = from; number <= to; number++) {
        const tag = hex(number);
        const header = (await chain.request("eth_getBlockByNumber", [tag, false])) as Record<string, string>;
        const receipts = (await chain.request("eth_getBlockReceipts", [tag])) as Receipt[];
        const words = await Promise.all(
          list.map(async ([, pool]) => [pool.pool, await wordOf(pool, tag)] as const),
        );
        blocks.push({
          number,
          hash: header.hash as string,
          time: Number(header.timestamp),
          words: new Map(words),
          swaps: swapsIn(receipts),
        });
      }
      return blocks;
    },
  };

  /** Reads each swap by its quote token, which always moves between its pool and other addresses. */
  function swapsIn(receipts: readonly Receipt[]): TrueBlock["swaps"] {
    const found = new Map<string, bigint[]>();
    for (const { status, transactionHash, logs } of receipts) {
      const address = swaps.get(transactionHash);
      const pool = list.find(([, each]) => each.pool === address)?.[1];
      if (status !== "0x1" || pool === undefined) continue;
      const topic = `0x${pool.pool.slice(2).toLowerCase().padStart(64, "0")}`;
      const moved = logs.filter(
        ({ address: token, topics }) =>
          token.toLowerCase() === quoteOf(pool).toLowerCase() &&
          topics[0] === transferTopic &&
          (topics[1] === topic || topics[2] === topic),
      );
      const units = moved.reduce((total, { data }) => total + BigInt(data), 0n);
      found.set(pool.pool, [...(found.get(pool.pool) ?? []), units]);
    }
    return found;
  }
}
