import { Interface } from "ethers/abi";
import type { EvmChain } from "../chain-facts.ts";
import { factorAt, type Points, swaying } from "../course.ts";
import { type AnvilCall, askContracts, callAnvil } from "./call-anvil.ts";
import { deployer, localAddresses } from "./deployment.ts";
import { openEvmMarket, wrapping } from "./evm-market.ts";
import { sendAsDeployer } from "./local-chain.ts";
import { approval } from "./uniswap.ts";

/** Course of MOON in the two hours before a chain's first start. */
const points: Points = [
  [120, 0.98],
  [98, 0.93],
  [76, 1.02],
  [60, 0.99],
  [41, 1.06],
  [22, 1.01],
  [8, 1.05],
  [0, 1.04],
];

/** Seconds between two trades, so that each bar of a minute has some. */
const gap = 25;

/** How far a single trade may move the price from its course, as a fraction of the price. */
const spread = 0.004;

/** Gas of a trade, and of a block that has room for only one trade. */
const gas = { trade: 150_000, block: 200_000, usual: 60_000_000 } as const;

/** Time of the first block of a chain with a past, in epoch seconds. */
export const birthOf = (nowMs: number): number => Math.floor(nowMs / 1000) - points[0][0] * 60;

const abi = new Interface([
  "function getPair(address, address) view returns (address)",
  "function getReserves() view returns (uint112, uint112, uint32)",
  "function swapExactTokensForTokens(uint256, uint256, address[], address, uint256)",
]);

const { moon, wrapped, v2Factory, v2Router } = localAddresses;
const forever = 2n ** 40n;
const hex = (value: number) => `0x${value.toString(16)}`;

/**
 * Trades MOON in the blocks of a new chain from its birth until now, so that its first chart has a past. Only the
 * deepest pool trades, each time in a block of its own. All pools end at the same price.
 *
 * @param bornAt Time of the chain's first block, in epoch seconds.
 */
export async function playPast(chain: EvmChain, url: string, bornAt: number): Promise<void> {
  const market = await openEvmMarket({ chain, url, token: moon, patienceMs: 0 });
  const [sent] = await callAnvil(url, [["eth_getTransactionCount", [deployer, "latest"]]]);
  const needed = [wrapping, approval(wrapped, v2Router)];
  await sendAsDeployer(url, Number(sent), needed);
  const trades = tradesAlong(swaying(`past of ${chain}`), await reserves(url));
  const nonce = Number(sent) + needed.length;
  await callAnvil(url, [
    ["anvil_impersonateAccount", [deployer]],
    ["evm_setBlockGasLimit", [hex(gas.block)]],
  ]);
  await callAnvil(
    url,
    trades.map(
      (trade, index): AnvilCall => [
        "eth_sendTransaction",
        [{ from: deployer, gas: hex(gas.trade), nonce: hex(nonce + index), ...trade }],
      ],
    ),
  );
  await callAnvil(url, [["evm_setTime", [bornAt]]]);
  await callAnvil(url, [["anvil_mine", [hex(trades.length), hex(gap)]]]);
  await callAnvil(url, [
    ["evm_setBlockGasLimit", [hex(gas.usual)]],
    ["evm_setTime", [Math.floor(Date.now() / 1000)]],
  ]);
  await market.moveTo(points.at(-1)?.[1] ?? 1);
}

type Reserves = { coins: number; tokens: number };

async function reserves(url: string): Promise<Reserves> {
  const [[pool] = []] = await askContracts(url, abi, [[v2Factory, "getPair", moon, wrapped]]);
  const [[first, second] = []] = await askContracts(url, abi, [[pool, "getReserves"]]);
  const [coins, tokens] = BigInt(wrapped) < BigInt(moon) ? [first, second] : [second, first];
  return { coins: Number(coins), tokens: Number(tokens) };
}

/** Lists trades with a pool that nobody else uses. They take its price along the course. */
function tradesAlong(sway: (spread: number) => number, { coins, tokens }: Reserves) {
  const opening = coins / tokens;
  const count = Math.floor((points[0][0] * 60) / gap) - 2;
  return Array.from({ length: count }, (_, index) => {
    const minutesAgo = points[0][0] - ((index + 1) * gap) / 60;
    const price = opening * factorAt(points, minutesAgo) * (1 + sway(spread));
    // Leaves the pool's fee out: the next trade makes up for its two thousandths.
    const wanted = { coins: Math.sqrt(coins * tokens * price), tokens: Math.sqrt((coins * tokens) / price) };
    const isBuy = wanted.coins > coins;
    const paid = Math.floor(isBuy ? wanted.coins - coins : wanted.tokens - tokens);
    [coins, tokens] = [wanted.coins, wanted.tokens];
    const path = isBuy ? [wrapped, moon] : [moon, wrapped];
    return {
      to: v2Router,
      data: abi.encodeFunctionData("swapExactTokensForTokens", [BigInt(paid), 0, path, deployer, forever]),
    };
  });
}
