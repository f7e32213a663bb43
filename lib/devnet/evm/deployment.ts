import { getCreateAddress } from "ethers/address";
import { type EvmChain, evmFacts } from "../chain-facts.ts";
import bytecode from "./contracts/bytecode.json" with { type: "json" };
import type { LocalContracts } from "./local-contracts.ts";
import { singleChainVenues } from "./single-chain-venues.ts";
import {
  approval,
  creationOf,
  type DeployerTransaction,
  enableFee,
  encode,
  type UniswapContract,
  v2Liquidity,
  v2PairLiquidity,
  v3Liquidity,
  v3PairLiquidity,
} from "./uniswap.ts";

/** Account that owns the pools and the remaining tokens. Nobody has its key: anvil sends its transactions unsigned. */
export const deployer = "0xde91010000000000000000000000000000000001";

type TestToken = "moon" | "usdx" | "taxd" | "trap" | "star" | "comet";

/** Contracts of PancakeSwap v3, which is Uniswap v3 with different fees. */
type PancakeContract = `pancake${"Factory" | "Positions" | "Router" | "Quoter"}`;

/** Contracts in order of creation, because a contract's address depends on its transaction's nonce. */
const creations = [
  "wrapped",
  "v2Factory",
  "v2Router",
  "v3Factory",
  "v3Positions",
  "v3Router",
  "v3Quoter",
  "moon",
  "usdx",
  "taxd",
  "trap",
  "star",
  "pancakeFactory",
  "pancakePositions",
  "pancakeRouter",
  "pancakeQuoter",
  "comet",
] as const satisfies readonly (UniswapContract | TestToken | PancakeContract)[];

/** Addresses of the contracts, with EIP-55 checksums. They are the same on every local chain. */
export const localAddresses = Object.fromEntries(
  creations.map((name, nonce) => [name, getCreateAddress({ from: deployer, nonce })]),
) as Record<(typeof creations)[number], string>;

const { wrapped, v2Factory, v2Router, v3Factory, v3Positions, v3Router, v3Quoter } = localAddresses;
const { moon, usdx, taxd, trap, star } = localAddresses;
const { pancakeFactory, pancakePositions, pancakeRouter, pancakeQuoter } = localAddresses;

/** Price of each chain's coin in USDX, equal to the simulated venue's price. */
const usdxPerCoin: Readonly<Record<EvmChain, bigint>> = { eth: 2600n, base: 2600n, bsc: 600n, avax: 25n };

const coins = (count: bigint) => count * 10n ** 18n;
const usd = (count: bigint) => count * 10n ** 6n;
const zero = `0x${"0".repeat(40)}`;

const ownVenues = (chain: EvmChain) =>
  singleChainVenues(chain, {
    ...localAddresses,
    deployer,
    firstNonce: creations.length,
    usdxPerCoin: usdxPerCoin[chain],
  });

export function localContracts(chain: EvmChain): LocalContracts {
  const own = ownVenues(chain);
  const { symbol, name } = evmFacts[chain].coin;
  return {
    wrapped: { token: wrapped, symbol: `W${symbol}`, name: `Wrapped ${name}`, decimals: 18 },
    venues: [
      { venue: "uniswap-v2", factory: v2Factory, router: v2Router, feeBps: 30 },
      {
        venue: "uniswap-v3",
        factory: v3Factory,
        router: v3Router,
        quoter: v3Quoter,
        tiers: [1, 5, 30, 100],
        mixesWith: "uniswap-v2",
      },
      {
        venue: "pancakeswap-v3",
        factory: pancakeFactory,
        router: pancakeRouter,
        quoter: pancakeQuoter,
        tiers: [1, 5, 25, 100],
      },
      ...own.venues,
    ],
    quoteTokens: [
      {
        token: usdx,
        isStable: true,
        bridges: [
          { venue: "uniswap-v2", feeBps: 30 },
          { venue: "uniswap-v3", feeBps: 5 },
          { venue: "pancakeswap-v3", feeBps: 1 },
          ...own.bridges,
        ],
      },
    ],
    maxNetworkFee: "0.1",
    tokens: [
      { token: moon, symbol: "MOON", name: "Moon", decimals: 18 },
      { token: usdx, symbol: "USDX", name: "Test Dollar", decimals: 6 },
    ],
  };
}

export const creationOfToken = (
  contract: "Token" | "TaxedToken" | "TrapToken",
  ...parameters: [name: string, symbol: string, decimals: number, supply: bigint]
): DeployerTransaction => ({
  data: bytecode[contract].creation + encode(["string", "string", "uint8", "uint256"], parameters),
});

/** Lists all of the deployer's transactions in order. */
export function deployment(chain: EvmChain): DeployerTransaction[] {
  const price = usdxPerCoin[chain];
  const own = ownVenues(chain);
  const supply = coins(1_000_000_000n);
  return [
    creationOf("wrapped"),
    creationOf("v2Factory", deployer),
    creationOf("v2Router", v2Factory, wrapped),
    creationOf("v3Factory"),
    // Uses the zero address instead of the contract that draws pictures of positions.
    creationOf("v3Positions", v3Factory, wrapped, zero),
    creationOf("v3Router", v2Factory, v3Factory, v3Positions, wrapped),
    creationOf("v3Quoter", v3Factory, wrapped),
    creationOfToken("Token", "Moon", "MOON", 18, supply),
    creationOfToken("Token", "Test Dollar", "USDX", 6, supply),
    creationOfToken("TaxedToken", "Taxed", "TAXD", 18, supply),
    creationOfToken("TrapToken", "Trap", "TRAP", 18, supply),
    creationOfToken("Token", "Star", "STAR", 18, supply),
    creationOf("v3Factory"),
    creationOf("v3Positions", pancakeFactory, wrapped, zero),
    creationOf("v3Router", v2Factory, pancakeFactory, pancakePositions, wrapped),
    creationOf("v3Quoter", pancakeFactory, wrapped),
    creationOfToken("Token", "Comet", "COMET", 18, supply),
    ...own.creations,
    enableFee(v3Factory, 100),
    enableFee(pancakeFactory, 100),
    enableFee(pancakeFactory, 2500),
    ...[moon, usdx, taxd, trap, star].map((token) => approval(token, v2Router)),
    ...[moon, usdx, star].flatMap((token) =>
      [v3Positions, pancakePositions].map((spender) => approval(token, spender)),
    ),
    v2Liquidity(localAddresses, deployer, {
      token: moon,
      coins: coins(100n),
      tokens: coins(1_000_000n),
    }),
    ...[usdx].map((token) =>
      v2Liquidity(localAddresses, deployer, { token, coins: coins(100n), tokens: usd(100n * price) }),
    ),
    ...[taxd, trap].map((token) =>
      v2Liquidity(localAddresses, deployer, { token, coins: coins(50n), tokens: coins(500_000n) }),
    ),
    v3Liquidity(localAddresses, deployer, {
      token: moon,
      coins: coins(10n),
      tokens: coins(100_000n),
      fee: 3000,
      reach: 2,
    }),
    v3Liquidity(localAddresses, deployer, {
      token: usdx,
      coins: coins(50n),
      tokens: usd(50n * price),
      fee: 500,
      reach: 1.5,
    }),
    ...quotedPools(price),
    ...oddPools(),
    ...own.pools,
  ];
}

/**
 * Creates pools of tokens with USDX, and on PancakeSwap a pool of USDX with the coin. STAR has only pools with USDX.
 */
function quotedPools(price: bigint): DeployerTransaction[] {
  const onPancake = { v3Positions: pancakePositions, wrapped };
  const dollars = { token: usdx, amount: usd(20n * price) };
  return [
    v3PairLiquidity(
      onPancake,
      deployer,
      [
        { token: wrapped, amount: coins(40n) },
        { token: usdx, amount: usd(40n * price) },
      ],
      {
        fee: 100,
        reach: 1.5,
      },
    ),
    v2PairLiquidity(localAddresses, deployer, dollars, { token: star, amount: coins(200_000n) }),
    v3PairLiquidity(localAddresses, deployer, [dollars, { token: star, amount: coins(200_000n) }], {
      fee: 3000,
      reach: 2,
    }),
    v3PairLiquidity(onPancake, deployer, [dollars, { token: star, amount: coins(198_000n) }], {
      fee: 2500,
      reach: 2,
    }),
    // This pool has the same price as the token's pools with the coin, but a trade through it costs two fees.
    v2PairLiquidity(localAddresses, deployer, dollars, { token: taxd, amount: coins(200_000n) }),
    v3PairLiquidity(localAddresses, deployer, [dollars, { token: moon, amount: coins(200_000n) }], {
      fee: 3000,
      reach: 2,
    }),
  ];
}

/**
 * Creates pools that only look good: one with little liquidity and a price that is 10 % off, and one whose liquidity is
 * out of range.
 */
function oddPools(): DeployerTransaction[] {
  return [
    v3Liquidity(localAddresses, deployer, {
      token: moon,
      coins: coins(1n) / 1000n,
      tokens: coins(11n),
      fee: 100,
      reach: 2,
    }),
    v3PairLiquidity(
      { v3Positions: pancakePositions, wrapped },
      deployer,
      [
        { token: wrapped, amount: coins(500n) },
        { token: moon, amount: coins(5_000_000n) },
      ],
      { fee: 10000, reach: 1.5, away: 10 },
    ),
  ];
}

const word = (value: bigint) => `0x${value.toString(16).padStart(64, "0")}`;

/** Encodes text of at most 31 bytes in Solidity's storage format. */
function shortText(text: string): string {
  const hex = Buffer.from(text).toString("hex");
  return `0x${hex.padEnd(62, "0")}${(text.length * 2).toString(16).padStart(2, "0")}`;
}

const multicall = "0xcA11bde05977b3631167028862bE2a173976CA11";
const gasPriceOracle = "0x420000000000000000000000000000000000000F";

/** Layer 1 fee of 5 gwei per byte, so that a swap costs about as much as on base. */
const layer1WeiPerByte = 5n * 10n ** 9n;

type Predeploy = [method: string, params: string[]];

/**
 * Deploys Multicall3 before the pools, as on real chains, so that hosts can answer questions about blocks older than
 * the pools.
 */
export const multicallPredeploy: Predeploy = ["anvil_setCode", [multicall, bytecode.Multicall.runtime]];

/** Lists the calls to anvil that place code and storage at fixed addresses. */
export function predeploys(chain: EvmChain): Predeploy[] {
  const { symbol, name } = localContracts(chain).wrapped;
  return [
    multicallPredeploy,
    ["anvil_setStorageAt", [wrapped, word(0n), shortText(name)]],
    ["anvil_setStorageAt", [wrapped, word(1n), shortText(symbol)]],
    ...(chain === "base"
      ? ([
          ["anvil_setCode", [gasPriceOracle, bytecode.GasPriceOracle.runtime]],
          ["anvil_setStorageAt", [gasPriceOracle, word(0n), word(layer1WeiPerByte)]],
        ] as Predeploy[])
      : []),
  ];
}
