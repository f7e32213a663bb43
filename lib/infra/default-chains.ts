import type {
  BinContracts,
  EvmConfiguration,
  QuoteToken,
  SlipstreamContracts,
  V3Contracts,
} from "../chains/evm/rules/configuration.ts";
import type { PoolKey } from "../chains/evm/rules/intent.ts";
import type { SolConfiguration } from "../chains/sol/rules/configuration.ts";
import { chainFacts, type EvmChain, type TradingChain } from "../core/chain-facts.ts";
import type { ListedToken } from "../orders/token-identity.ts";

const token = (symbol: string, name: string, decimals: number, address: string): ListedToken => ({
  token: address,
  symbol,
  name,
  decimals,
});

/** Describes the wrapped coin of a chain. */
const wrapped = (chain: TradingChain, name: string, address: string): ListedToken => {
  const { symbol, decimals } = chainFacts[chain].coin;
  return token(`W${symbol}`, name, decimals, address);
};

const uniswapTiers = [1, 5, 30, 100];

/** PancakeSwap v3 has the same addresses on every chain, except for its router on base. */
const pancakeswapV3: V3Contracts = {
  venue: "pancakeswap-v3",
  factory: "0x0BFbCF9fa4f9C56B0F40a671Ad40E0805A091865",
  router: "0x13f4EA83D0bd40E75C8222255bc855a974568Dd4",
  quoter: "0xB048Bbc1Ee6b733FFfCFb9e9CeF7375518e25997",
  tiers: [1, 5, 25, 100],
};

/**
 * Contracts of LFJ, whose router trades with pools of both versions. A pool's usual fee is about as large as its bin
 * step.
 */
const lfj = (venue: BinContracts["venue"], factory: string): BinContracts => ({
  venue,
  factory,
  router: "0x18556DA13313f3532c54711497A8FedAC273220E",
  tiers: [5, 10, 15, 20, 25, 50, 100].map((spacing) => ({ spacing, feeBps: spacing })),
});

/** A set of Slipstream's contracts. Its factories can make pools of all these spacings. */
const slipstream = (row: Omit<SlipstreamContracts, "tiers">): SlipstreamContracts => ({
  ...row,
  tiers: [
    { spacing: 1, feeBps: 1 },
    { spacing: 10, feeBps: 5 },
    { spacing: 50, feeBps: 5 },
    { spacing: 100, feeBps: 5 },
    { spacing: 200, feeBps: 30 },
    { spacing: 2000, feeBps: 100 },
  ],
});

/** @param pools Bridges, each as a venue, a fee in basis points, and a spacing if any: `uniswap-v3 5`. */
const quoteToken = (isStable: boolean, token: string, ...pools: readonly string[]): QuoteToken => ({
  token,
  isStable,
  bridges: pools.map((pool) => {
    const [venue, feeBps, spacing] = pool.split(" ");
    return {
      venue: venue as PoolKey["venue"],
      feeBps: Number(feeBps),
      ...(spacing !== undefined && { spacing: Number(spacing) }),
    };
  }),
});

/**
 * The production contracts of each chain.
 *
 * - Uniswap: the v2 and v3 deployment pages in the repository Uniswap/docs.
 * - PancakeSwap: developer.pancakeswap.finance/contracts/v2/addresses, and the folder deployments of the repository
 * pancakeswap/pancake-v3-contracts. Its v2 takes 0.25 %. Third parties name its v3 router on base.
 * - Slipstream: the repository aerodrome-finance/slipstream for the first and the third set; third parties name the
 * second, whose routers and quoters they compared with the factories on base.
 * - LFJ: the repository lfj-gg/joe-v2 for the factory of v2.1; third parties name the factory of v2.2 and its router.
 * - Tokens and wrapped coins: the repository Uniswap/default-token-list; for bsc, pancakeswap/token-list.
 * - Relay: docs.flashbots.net, Flashbots Protect. docs.bnbchain.org lists relays of bsc that need no account, but none of
 * them documents which transactions it drops, and when. base needs no relay, and avax has none.
 * - Hosts: two operators per chain that need no key. They are good enough for a trial, which the context `publicHosts`
 * allows.
 * - The highest network fees: 450,000 gas, which is more than most swaps are limited to, at about ten times the usual
 * price.
 */
export const defaultChains: Readonly<Record<EvmChain, EvmConfiguration>> = {
  eth: {
    hosts: ["https://ethereum-rpc.publicnode.com", "https://eth.drpc.org"],
    relay: "https://rpc.flashbots.net/fast",
    wrapped: wrapped("eth", "Wrapped Ether", "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2"),
    venues: [
      {
        venue: "uniswap-v2",
        factory: "0x5C69bEe701ef814a2B6a3EDD4B1652CB9cc5aA6f",
        router: "0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D",
        feeBps: 30,
      },
      {
        venue: "uniswap-v3",
        factory: "0x1F98431c8aD98523631AE4a59f267346ea31F984",
        router: "0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45",
        quoter: "0x61fFE014bA17989E743c5F6cB21bF9697530B21e",
        tiers: uniswapTiers,
        mixesWith: "uniswap-v2",
      },
      {
        venue: "pancakeswap-v2",
        factory: "0x1097053Fd2ea711dad45caCcc45EfF7548fCB362",
        router: "0xEfF92A263d31888d860bD50809A8D171709b7b1c",
        feeBps: 25,
      },
      pancakeswapV3,
    ],
    quoteTokens: [
      quoteToken(true, "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", "uniswap-v3 5", "uniswap-v2 30"),
      quoteToken(true, "0xdAC17F958D2ee523a2206206994597C13D831ec7", "uniswap-v3 30", "uniswap-v2 30"),
      quoteToken(true, "0x6B175474E89094C44Da98b954EedeAC495271d0F", "uniswap-v3 30"),
      quoteToken(false, "0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599", "uniswap-v3 5"),
    ],
    maxNetworkFee: "0.1",
    tokens: [
      token("USDC", "USDCoin", 6, "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"),
      token("USDT", "Tether USD", 6, "0xdAC17F958D2ee523a2206206994597C13D831ec7"),
      token("DAI", "Dai Stablecoin", 18, "0x6B175474E89094C44Da98b954EedeAC495271d0F"),
      token("WBTC", "Wrapped BTC", 8, "0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599"),
    ],
  },
  base: {
    hosts: ["https://mainnet.base.org", "https://base-rpc.publicnode.com"],
    wrapped: wrapped("base", "Wrapped Ether", "0x4200000000000000000000000000000000000006"),
    venues: [
      {
        venue: "uniswap-v2",
        factory: "0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6",
        router: "0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24",
        feeBps: 30,
      },
      {
        venue: "uniswap-v3",
        factory: "0x33128a8fC17869897dcE68Ed026d694621f6FDfD",
        router: "0x2626664c2603336E57B271c5C0b26F421741e481",
        quoter: "0x3d4e44Eb1374240CE5F1B871ab261CD16335B76a",
        tiers: uniswapTiers,
        mixesWith: "uniswap-v2",
      },
      {
        venue: "pancakeswap-v2",
        factory: "0x02a84c1b3BBD7401a5f7fa98a384EBC70bB5749E",
        router: "0x8cFe327CEc66d1C090Dd72bd0FF11d690C33a2Eb",
        feeBps: 25,
      },
      { ...pancakeswapV3, router: "0x678Aa4bF4E210cf2166753e054d5b7c31cc7fa86" },
      slipstream({
        venue: "slipstream",
        factory: "0x5e7BB104d84c7CB9B682AaC2F3d509f5F406809A",
        router: "0xBE6D8f0d05cC4be24d5167a3eF062215bE6D18a5",
        quoter: "0x254cF9E1E6e233aa1AC962CB9B05b2cfeAaE15b0",
      }),
      slipstream({
        venue: "slipstream-caps",
        factory: "0xaDe65c38CD4849aDBA595a4323a8C7DdfE89716a",
        router: "0xcbBb8035cAc7D4B3Ca7aBb74cF7BdF900215Ce0D",
        quoter: "0x3d4C22254F86f64B7eC90ab8F7aeC1FBFD271c6C",
      }),
      slipstream({
        venue: "slipstream-v3",
        factory: "0xf8f2eB4940CFE7d13603DDDD87f123820Fc061Ef",
        router: "0x698Cb2b6dd822994581fEa6eA4Fc755d1363A92F",
        quoter: "0x514c8B5f54112481E28028F1166Bd78501089259",
      }),
    ],
    quoteTokens: [
      quoteToken(
        true,
        "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        "uniswap-v3 5",
        "pancakeswap-v3 1",
        "slipstream 5 100",
        "slipstream-caps 5 50",
        "slipstream-v3 1 1",
      ),
      quoteToken(false, "0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf", "uniswap-v3 30"),
      quoteToken(false, "0x0b3e328455c4059EEb9e3f84b5543F74E24e7E1b", "uniswap-v2 30", "uniswap-v3 30"),
    ],
    maxNetworkFee: "0.01",
    tokens: [
      token("USDC", "USD Coin", 6, "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"),
      token("DAI", "Dai Stablecoin", 18, "0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb"),
      token("cbBTC", "Coinbase Wrapped BTC", 8, "0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf"),
      token("EURC", "EURC", 6, "0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42"),
    ],
  },
  bsc: {
    hosts: ["https://bsc-dataseed.bnbchain.org", "https://bsc-rpc.publicnode.com"],
    wrapped: wrapped("bsc", "Wrapped BNB", "0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c"),
    venues: [
      {
        venue: "pancakeswap-v2",
        factory: "0xcA143Ce32Fe78f1f7019d7d551a6402fC5350c73",
        router: "0x10ED43C718714eb63d5aA57B78B54704E256024E",
        feeBps: 25,
      },
      {
        venue: "uniswap-v2",
        factory: "0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6",
        router: "0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24",
        feeBps: 30,
      },
      {
        venue: "uniswap-v3",
        factory: "0xdB1d10011AD0Ff90774D0C6Bb92e5C5c8b4461F7",
        router: "0xB971eF87ede563556b2ED4b1C0b0019111Dd85d2",
        quoter: "0x78D78E420Da98ad378D7799bE8f4AF69033EB077",
        tiers: uniswapTiers,
        mixesWith: "uniswap-v2",
      },
      pancakeswapV3,
    ],
    quoteTokens: [
      quoteToken(true, "0x55d398326f99059fF775485246999027B3197955", "pancakeswap-v3 1", "pancakeswap-v2 25"),
      quoteToken(true, "0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d", "pancakeswap-v3 5"),
      quoteToken(true, "0x8d0D000Ee44948FC98c9B98A4FA4921476f08B0d", "pancakeswap-v3 5"),
      quoteToken(
        false,
        "0x0E09FaBB73Bd3Ade0a17ECC321fD13a19e81cE82",
        "pancakeswap-v3 25",
        "pancakeswap-v2 25",
      ),
      quoteToken(false, "0x7130d2A12B9BCbFAe4f2634d864A1Ee1Ce3Ead9c", "pancakeswap-v3 5"),
    ],
    maxNetworkFee: "0.05",
    tokens: [
      token("USDT", "Binance Pegged USDT", 18, "0x55d398326f99059fF775485246999027B3197955"),
      token("USDC", "Binance Pegged USD Coin", 18, "0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d"),
      token("BTCB", "Binance Pegged Bitcoin", 18, "0x7130d2A12B9BCbFAe4f2634d864A1Ee1Ce3Ead9c"),
      token("ETH", "Binance Pegged ETH", 18, "0x2170Ed0880ac9A755fd29B2688956BD959F933F8"),
      token("CAKE", "PancakeSwap Token", 18, "0x0E09FaBB73Bd3Ade0a17ECC321fD13a19e81cE82"),
    ],
  },
  avax: {
    hosts: ["https://api.avax.network/ext/bc/C/rpc", "https://avalanche-c-chain-rpc.publicnode.com"],
    wrapped: wrapped("avax", "Wrapped AVAX", "0xB31f66AA3C1e785363F0875A1B74E27b85FD66c7"),
    venues: [
      {
        venue: "uniswap-v2",
        factory: "0x9e5A52f57b3038F1B8EeE45F28b3C1967e22799C",
        router: "0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24",
        feeBps: 30,
      },
      {
        venue: "uniswap-v3",
        factory: "0x740b1c1de25031C31FF4fC9A62f554A55cdC1baD",
        router: "0xbb00FF08d01D300023C629E8fFfFcb65A5a578cE",
        quoter: "0xbe0F5544EC67e9B3b2D979aaA43f18Fd87E6257F",
        tiers: uniswapTiers,
        mixesWith: "uniswap-v2",
      },
      lfj("lfj-v2.1", "0x8e42f2F4101563bF679975178e880FD87d3eFd4e"),
      lfj("lfj-v2.2", "0xb43120c4745967fa9b93E79C149E66B0f2D6Fe0c"),
    ],
    quoteTokens: [
      quoteToken(
        true,
        "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E",
        "uniswap-v3 5",
        "lfj-v2.2 10 10",
        "lfj-v2.1 20 20",
      ),
      quoteToken(true, "0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7", "uniswap-v3 5"),
    ],
    maxNetworkFee: "0.5",
    tokens: [
      token("USDC", "USDC Token", 6, "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E"),
      token("DAI.e", "DAI.e Token", 18, "0xd586E7F844cEa2F87f50152665BCbc2C279D8d70"),
      token("EURC", "Euro Coin", 6, "0xC891EB4cbdEFf6e073e859e987815Ed1505c2ACD"),
    ],
  },
};

/**
 * The production setup of sol. The highest base fee is twice the usual one.
 *
 * - Cluster: the file solana/caip2.md in the repository ChainAgnostic/namespaces.
 * - Tokens: third parties name their mints.
 * - Host: the Solana Foundation's, which is good enough for a trial.
 */
export const defaultSol: SolConfiguration = {
  hosts: ["https://api.mainnet.solana.com"],
  cluster: "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
  wrapped: wrapped("sol", "Wrapped SOL", "So11111111111111111111111111111111111111112"),
  maxNetworkFee: "0.05",
  baseFee: "0.00001",
  tokens: [
    token("USDC", "USD Coin", 6, "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"),
    token("USDT", "USDT", 6, "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB"),
    token("BONK", "Bonk", 5, "DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263"),
  ],
};
