import { setTimeout as pause } from "node:timers/promises";
import { StartupError } from "cdk-local-runner";
import { Interface } from "ethers/abi";
import type { EvmChain } from "../chain-facts.ts";
import { isNear, type LocalMarket } from "../local-market.ts";
import { type AnvilCall, askContracts, callAnvil } from "./call-anvil.ts";
import { deployer, localAddresses, localContracts } from "./deployment.ts";
import { findPools, type LocalPool, type PoolLog } from "./local-pools.ts";
import type { DeployerTransaction } from "./uniswap.ts";

export type EvmMarketOptions = {
  chain: EvmChain;
  /** URL of anvil. */
  url: string;
  token: string;
  /** Longest wait for a block of the chain's miner, in milliseconds. Then the market makes one. */
  patienceMs?: number;
};

const abi = new Interface([
  "function deposit() payable",
  "function decimals() view returns (uint8)",
  "function symbol() view returns (string)",
]);

const hex = (value: bigint | number) => `0x${value.toString(16)}`;

/** Coins of the deployer, and those that it wraps for each move. */
const wealth = hex(10n ** 27n);
export const wrapping = {
  to: localAddresses.wrapped,
  data: abi.encodeFunctionData("deposit"),
  value: 10n ** 24n,
} satisfies DeployerTransaction;

const transactionGas = hex(8_000_000);

/** Outcome of a transaction, in a simulation or in a block. */
type Outcome = { status: string; logs: PoolLog[] };
type Receipt = Outcome & { blockNumber: string };

/** Trades that move a pool, with its price when the market was opened. */
type Trades = { pool: LocalPool; opening: number; trades: DeployerTransaction[] };

/**
 * Opens all pools that trade a token against another local one. Trades of the account that owns the pools move them.
 *
 * @throws StartupError if no pool trades the token
 */
export async function openEvmMarket(options: EvmMarketOptions): Promise<LocalMarket> {
  const { chain, url, token, patienceMs = 3000 } = options;
  const readers = await findPools(url, localContracts(chain).venues, token);
  const trading = async () =>
    (await Promise.all(readers.map((read) => read()))).filter((pool) => pool !== undefined);
  const opened = await trading();
  if (opened.length === 0) throw new StartupError(`No pool trades ${token} on ${chain}`);

  async function tradesTo(factor: number): Promise<Trades[]> {
    const now = new Map((await trading()).map((pool) => [pool.address, pool]));
    return Promise.all(
      opened.map(async ({ name, address, price }) => {
        const pool = now.get(address);
        if (pool === undefined) throw new StartupError(`${name} no longer trades ${token}`);
        const change = (price * factor) / pool.price;
        // A pool refuses an amount of nothing.
        return {
          pool,
          opening: price,
          trades: Math.abs(change - 1) < 1e-7 ? [] : await pool.tradesFor(change),
        };
      }),
    );
  }

  return {
    mostBlocks: 1,
    pools: await Promise.all(opened.map((pool) => described(url, token, pool))),
    async moveTo(factor) {
      const moved = await tradesTo(factor);
      const transactions = [wrapping, ...moved.flatMap(({ trades }) => trades)];
      const expected = factorsAfter(moved, await simulated(url, transactions));
      const stuck = opened.filter((_, index) => !isNear(expected[index] ?? 0, factor));
      if (stuck.length > 0) {
        const names = stuck.map(({ name }) => name).join(", ");
        throw new StartupError(`These pools have no liquidity so far from their prices: ${names}`);
      }
      const receipts = await mined(url, await sendTogether(url, transactions), patienceMs);
      return { block: Number(receipts[0]?.blockNumber), factors: factorsAfter(moved, receipts) };
    },
  };
}

async function described(url: string, token: string, { name, other, price }: LocalPool) {
  const [[own] = [], [others] = [], [symbol] = []] = await askContracts(url, abi, [
    [token, "decimals"],
    [other, "decimals"],
    [other, "symbol"],
  ]);
  return { pool: name, price: price * 10 ** Number(own - others), unit: symbol };
}

/** Returns each pool's price right after its own trades, as a multiple of the first one. 0 if a trade failed. */
function factorsAfter(moved: readonly Trades[], [, ...outcomes]: readonly Outcome[]): number[] {
  return moved.map(({ pool, opening, trades }) => {
    const own = outcomes.splice(0, trades.length);
    if (own.some(({ status }) => status !== "0x1")) return 0;
    const logs = own
      .flatMap((outcome) => outcome.logs)
      .filter(({ address }) => isSame(address, pool.address));
    const prices = logs.map((log) => pool.priceIn(log)).filter((price) => price !== undefined);
    return (prices.at(-1) ?? pool.price) / opening;
  });
}

const isSame = (one: string, other: string) => BigInt(one) === BigInt(other);

const callOf = ({ value = 0n, ...rest }: DeployerTransaction) => ({
  from: deployer,
  gas: transactionGas,
  value: hex(value),
  ...rest,
});

async function simulated(url: string, transactions: readonly DeployerTransaction[]): Promise<Outcome[]> {
  const stateOverrides = { [deployer]: { balance: wealth } };
  const [blocks] = await callAnvil(url, [
    [
      "eth_simulateV1",
      [{ blockStateCalls: [{ stateOverrides, calls: transactions.map(callOf) }] }, "latest"],
    ],
  ]);
  const [block] = blocks as { calls: Outcome[] }[];
  return block?.calls ?? [];
}

/** Sends transactions so that the same block takes all of them: until the first one comes, the others have to wait. */
async function sendTogether(url: string, transactions: readonly DeployerTransaction[]): Promise<string[]> {
  const [nonce] = await callAnvil(url, [
    ["eth_getTransactionCount", [deployer, "pending"]],
    ["anvil_impersonateAccount", [deployer]],
    ["anvil_setBalance", [deployer, wealth]],
  ]);
  const [first, ...others] = transactions.map(
    (transaction, index): AnvilCall => [
      "eth_sendTransaction",
      [{ ...callOf(transaction), nonce: hex(Number(nonce) + index) }],
    ],
  );
  const last = await callAnvil(url, others);
  const ready = await callAnvil(url, first === undefined ? [] : [first]);
  return [...ready, ...last].map(String);
}

/** Waits for a block with all transactions, and makes one if the chain has no miner. */
async function mined(url: string, hashes: readonly string[], patienceMs: number): Promise<Receipt[]> {
  for (const endMs = performance.now() + patienceMs; ; await pause(10)) {
    const late = performance.now() > endMs;
    if (late) await callAnvil(url, [["evm_mine"]]);
    const receipts = await callAnvil(
      url,
      hashes.map((hash): AnvilCall => ["eth_getTransactionReceipt", [hash]]),
    );
    const known = receipts.filter((receipt) => receipt !== null) as Receipt[];
    if (known.length === hashes.length) return known;
    if (late) throw new StartupError("The chain does not take the trades into a block");
  }
}
