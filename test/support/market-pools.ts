import { Interface } from "ethers/abi";
import { getAddress } from "ethers/address";
import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import type { SecondHost } from "trading-terminal-devnet/evm/second-host";
import type { TestChain } from "trading-terminal-devnet/evm/test-chain";
import type { WatchedPool } from "../../lib/markets/evm/rules/watched-pool.ts";

const factories = new Interface([
  "function getPair(address, address) view returns (address)",
  "function getPool(address, address, uint24) view returns (address)",
  "function getPool(address, address, int24) view returns (address)",
]);

const finders = {
  "uniswap-v2": "getPair(address,address)",
  "uniswap-v3": "getPool(address,address,uint24)",
  "pancakeswap-v3": "getPool(address,address,uint24)",
  slipstream: "getPool(address,address,int24)",
  "slipstream-caps": "getPool(address,address,int24)",
  "slipstream-v3": "getPool(address,address,int24)",
} as const;

const { moon, taxd, star, comet, usdx, wrapped } = localAddresses;

/** Pools of the test tokens, one for each kind with a price: venue, tier, token and quote. */
const localPools = {
  moonV2: ["uniswap-v2", 0, moon, wrapped],
  moonV3: ["uniswap-v3", 3000, moon, wrapped],
  moonUsdxV3: ["uniswap-v3", 3000, moon, usdx],
  starUsdxV2: ["uniswap-v2", 0, star, usdx],
  starPancake: ["pancakeswap-v3", 2500, star, usdx],
  taxdV2: ["uniswap-v2", 0, taxd, wrapped],
  // Pools that exist only on base.
  cometSlipstream: ["slipstream", 200, comet, wrapped],
  cometUsdxSlipstream: ["slipstream", 200, comet, usdx],
  cometCapsSlipstream: ["slipstream-caps", 200, comet, wrapped],
  cometNewSlipstream: ["slipstream-v3", 200, comet, wrapped],
} as const satisfies Record<string, readonly [keyof typeof finders, number, string, string]>;

export type LocalPool = keyof typeof localPools;

const decimalsOf = (token: string) => (token === usdx ? 6 : 18);

/** Finds a local EVM chain's pools through their factories. */
export async function localPoolsOf(chain: TestChain): Promise<Record<LocalPool, WatchedPool>> {
  const entries = Object.entries(localPools).map(async ([name, [venue, tier, token, other]]) => {
    const row = chain.contracts.venues.find((each) => each.venue === venue);
    if (row === undefined) return [];
    const asked = venue === "uniswap-v2" ? [token, other] : [token, other, tier];
    const question = factories.encodeFunctionData(finders[venue], asked);
    const answer = await chain.call(row.factory, question);
    const pool: WatchedPool = {
      pool: getAddress(`0x${answer.slice(-40)}`),
      venue,
      token,
      quote: other === wrapped ? "native" : other,
      decimals: decimalsOf(token),
      quoteDecimals: decimalsOf(other),
      isTokenFirst: BigInt(token) < BigInt(other),
    };
    return [[name, pool]] as const;
  });
  return Object.fromEntries((await Promise.all(entries)).flat()) as Record<LocalPool, WatchedPool>;
}

const v3Swap = "0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67";
const pancakeSwap = "0x19b47279256b2a23a1665c810c8d55a1758940ee09377d4f8d26497a3577dc83";

/** Converts logs of local PancakeSwap pools, which use Uniswap's code, to PancakeSwap's format. */
export const likePancake =
  (pools: Readonly<Record<LocalPool, WatchedPool>>): SecondHost["lie"] =>
  ({ method }, reply) => {
    if (method !== "eth_getLogs" || !("result" in reply)) return reply;
    const logs = reply.result as { address: string; topics: string[]; data: string }[];
    return {
      result: logs.map((log) =>
        log.address.toLowerCase() === pools.starPancake.pool.toLowerCase() && log.topics[0] === v3Swap
          ? { ...log, topics: [pancakeSwap, ...log.topics.slice(1)], data: `${log.data}${"0".repeat(128)}` }
          : log,
      ),
    };
  };
