import { Interface } from "ethers/abi";
import { getCreateAddress } from "ethers/address";
import type { EvmChain } from "../chain-facts.ts";
import bytecode from "./contracts/bytecode.json" with { type: "json" };
import type { LocalBridge, LocalVenue } from "./local-contracts.ts";
import {
  approval,
  type DeployerTransaction,
  enableFee,
  encode,
  type TokenAmount,
  type V3Fee,
  v3PairLiquidity,
} from "./uniswap.ts";

/** Exchanges that exist on only one local chain. */
type SingleChainVenues = {
  venues: LocalVenue[];
  /** Pools of these exchanges that trade USDX against the coin. */
  bridges: LocalBridge[];
  /** Transactions that each create one contract, in the order of the contracts' addresses. */
  creations: DeployerTransaction[];
  /** Transactions that create pools of the token COMET, which no other exchange trades. */
  pools: DeployerTransaction[];
};

/** Contracts and amounts from which the exchanges are set up. */
type Base = {
  deployer: string;
  /** Nonce of the first contract creation. */
  firstNonce: number;
  usdxPerCoin: bigint;
} & Record<"comet" | "usdx" | "wrapped" | "pancakeFactory" | "pancakePositions" | "pancakeQuoter", string>;

/** Lists the exchanges that exist only on this chain. Only base and avax have some. */
export function singleChainVenues(chain: EvmChain, base: Base): SingleChainVenues {
  if (chain === "base") return slipstream(base);
  if (chain === "avax") return liquidityBook(base);
  return { venues: [], bridges: [], creations: [], pools: [] };
}

const coins = (count: bigint) => count * 10n ** 18n;
const usd = (count: bigint) => count * 10n ** 6n;

const created = (contract: keyof typeof bytecode, ...addresses: string[]): DeployerTransaction => ({
  data:
    bytecode[contract].creation +
    encode(
      addresses.map(() => "address"),
      addresses,
    ),
});

const addressesFrom = ({ deployer, firstNonce }: Base, count: number): string[] =>
  Array.from({ length: count }, (_, index) =>
    getCreateAddress({ from: deployer, nonce: firstNonce + index }),
  );

/** A set of Slipstream's contracts. The first of its two spacings is that of the bridge. */
type SlipstreamSet = {
  venue: "slipstream" | "slipstream-caps" | "slipstream-v3";
  spacings: readonly [10 | 100, 200];
  /** Real fees of the pools, in hundredths of a basis point. No other set has pools with these fees. */
  fees: readonly [V3Fee, V3Fee];
};

const slipstreamSets: readonly SlipstreamSet[] = [
  { venue: "slipstream", spacings: [100, 200], fees: [450, 2900] },
  { venue: "slipstream-caps", spacings: [100, 200], fees: [470, 3100] },
  { venue: "slipstream-v3", spacings: [10, 200], fees: [430, 3300] },
];

/**
 * Sets up the three sets of Slipstream's contracts on pools from PancakeSwap's v3 factory, with fees that PancakeSwap
 * itself does not use.
 */
function slipstream(base: Base): SingleChainVenues {
  const { deployer, comet, usdx, wrapped, pancakeFactory, pancakePositions, pancakeQuoter, usdxPerCoin } =
    base;
  const addresses = addressesFrom(base, 3 * slipstreamSets.length);
  const pool = (fee: V3Fee, one: TokenAmount, other: TokenAmount) =>
    v3PairLiquidity({ v3Positions: pancakePositions, wrapped }, deployer, [one, other], { fee, reach: 2 });
  const coin = (amount: bigint) => ({ token: wrapped, amount });
  const dollars = (amount: bigint) => ({ token: usdx, amount });
  const sets = slipstreamSets.map(({ venue, spacings, fees }, index) => {
    const [factory = "", quoter = "", router = ""] = addresses.slice(3 * index);
    const [near, far] = spacings;
    return {
      row: {
        venue,
        factory,
        router,
        quoter,
        tiers: [
          { spacing: near, feeBps: 5 },
          { spacing: far, feeBps: 30 },
        ],
      },
      bridge: { venue, feeBps: 5, spacing: near },
      creations: [
        {
          data:
            bytecode.SlipstreamFactory.creation +
            encode(["address", "int24[2]", "uint24[2]"], [pancakeFactory, spacings, fees]),
        },
        created("SlipstreamQuoter", factory, wrapped, pancakeQuoter),
        created("SlipstreamRouter", factory, wrapped),
      ],
      pools: [
        ...fees.map((fee) => enableFee(pancakeFactory, fee)),
        pool(fees[0], coin(coins(20n)), dollars(usd(20n * usdxPerCoin))),
        pool(fees[1], coin(coins(10n)), { token: comet, amount: coins(100_000n) }),
        pool(fees[1], dollars(usd(20n * usdxPerCoin)), { token: comet, amount: coins(200_000n) }),
      ],
    };
  });
  return {
    venues: sets.map(({ row }) => row),
    bridges: sets.map(({ bridge }) => bridge),
    creations: sets.flatMap(({ creations }) => creations),
    pools: [approval(comet, pancakePositions), ...sets.flatMap(({ pools }) => pools)],
  };
}

const contracts = new Interface([
  "function deposit() payable",
  "function createFilled(address tokenX, address tokenY, uint24 activeId, uint16 step, uint256 amountX, uint256 amountY, uint24 reach)",
]);

/** Sets up both versions of LFJ, with the router that serves them. */
function liquidityBook(base: Base): SingleChainVenues {
  const { comet, usdx, wrapped, usdxPerCoin } = base;
  const [older = "", newer = "", router = ""] = addressesFrom(base, 3);
  const dollars = { token: usdx, amount: usd(20n * usdxPerCoin) };
  return {
    venues: [
      { venue: "lfj-v2.1", factory: older, router, tiers: [{ spacing: 20, feeBps: 20 }] },
      {
        venue: "lfj-v2.2",
        factory: newer,
        router,
        tiers: [
          { spacing: 10, feeBps: 10 },
          { spacing: 20, feeBps: 20 },
        ],
      },
    ],
    bridges: [{ venue: "lfj-v2.2", feeBps: 10, spacing: 10 }],
    creations: [created("BinFactory"), created("BinFactory"), created("BinRouter", newer, older, wrapped)],
    pools: [
      { to: wrapped, data: contracts.encodeFunctionData("deposit"), value: coins(30n) },
      ...[older, newer].flatMap((factory) => [comet, usdx, wrapped].map((token) => approval(token, factory))),
      binPool(newer, 10, { token: wrapped, amount: coins(20n) }, dollars),
      binPool(older, 20, { token: comet, amount: coins(100_000n) }, { token: wrapped, amount: coins(10n) }),
      binPool(newer, 20, { token: comet, amount: coins(200_000n) }, dollars),
    ],
  };
}

/** Number of bins on each side of the price, including the price's own bin. */
const reach = 60;

/** Creates a pool whose price is the ratio of two amounts. */
function binPool(factory: string, step: number, x: TokenAmount, y: TokenAmount): DeployerTransaction {
  const price = Number(y.amount) / Number(x.amount);
  const activeId = 2 ** 23 + Math.round(Math.log(price) / Math.log(1 + step / 10_000));
  return {
    to: factory,
    data: contracts.encodeFunctionData("createFilled", [
      ...[x.token, y.token, activeId, step, x.amount, y.amount, reach],
    ]),
  };
}
