import { createRequire } from "node:module";
import { AbiCoder, Interface } from "ethers/abi";

/** A transaction of the deployer. If `to` is missing, it creates a contract. */
export type DeployerTransaction = { to?: string; data: string; value?: bigint };

const require = createRequire(import.meta.url);

/** A published artifact of Uniswap. Artifacts of v2 have an older compiler's format. */
type Artifact = { bytecode?: string; evm?: { bytecode: { object: string } } };

/** Loads artifacts at run time, because the compiler would infer types from a megabyte of JSON. */
const artifacts = {
  wrapped: () => require("@uniswap/v2-periphery/build/WETH9.json"),
  v2Factory: () => require("@uniswap/v2-core/build/UniswapV2Factory.json"),
  v2Router: () => require("@uniswap/v2-periphery/build/UniswapV2Router02.json"),
  v3Factory: () => require("@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json"),
  v3Positions: () =>
    require("@uniswap/v3-periphery/artifacts/contracts/NonfungiblePositionManager.sol/NonfungiblePositionManager.json"),
  v3Router: () =>
    require("@uniswap/swap-router-contracts/artifacts/contracts/SwapRouter02.sol/SwapRouter02.json"),
  v3Quoter: () =>
    require("@uniswap/swap-router-contracts/artifacts/contracts/lens/QuoterV2.sol/QuoterV2.json"),
} satisfies Record<string, () => Artifact>;

/** Uniswap's contracts and the wrapped coin. */
export type UniswapContract = keyof typeof artifacts;

/** Makes the transaction that creates one of Uniswap's contracts. All constructor arguments are addresses. */
export function creationOf(contract: UniswapContract, ...addresses: string[]): DeployerTransaction {
  const { bytecode, evm }: Artifact = artifacts[contract]();
  const types = addresses.map(() => "address");
  return { data: (bytecode ?? `0x${evm?.bytecode.object}`) + encode(types, addresses) };
}

/** Encodes constructor arguments without the prefix 0x. */
export const encode = (types: readonly string[], values: readonly unknown[]): string =>
  AbiCoder.defaultAbiCoder().encode(types, values).slice(2);

const contracts = new Interface([
  "function approve(address spender, uint256 value) returns (bool)",
  "function addLiquidity(address tokenA, address tokenB, uint256 amountA, uint256 amountB, uint256 minA, uint256 minB, address to, uint256 deadline)",
  "function addLiquidityETH(address token, uint256 amount, uint256 amountMin, uint256 coinMin, address to, uint256 deadline) payable",
  "function createAndInitializePoolIfNecessary(address token0, address token1, uint24 fee, uint160 sqrtPriceX96) payable",
  "function mint((address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper, uint256 amount0Desired, uint256 amount1Desired, uint256 amount0Min, uint256 amount1Min, address recipient, uint256 deadline)) payable",
  "function refundETH() payable",
  "function multicall(bytes[]) payable",
  "function enableFeeAmount(uint24 fee, int24 tickSpacing)",
]);

const unlimited = 2n ** 256n - 1n;

export const approval = (token: string, spender: string): DeployerTransaction => ({
  to: token,
  data: contracts.encodeFunctionData("approve", [spender, unlimited]),
});

export type TokenAmount = { token: string; amount: bigint };

/** Amounts to put into a pool, in base units. Their ratio sets the price. */
export type Deposit = { token: string; coins: bigint; tokens: bigint };

/** Lets a v3 factory create pools with an additional fee. */
export const enableFee = (factory: string, fee: V3Fee): DeployerTransaction => ({
  to: factory,
  data: contracts.encodeFunctionData("enableFeeAmount", [fee, tickSpacings[fee]]),
});

/** Adds liquidity to the v2 pool of two tokens, which is created if missing. */
export const v2PairLiquidity = (
  { v2Router }: { v2Router: string },
  owner: string,
  ...[one, other]: [one: TokenAmount, other: TokenAmount]
): DeployerTransaction => ({
  to: v2Router,
  data: contracts.encodeFunctionData("addLiquidity", [
    ...[one.token, other.token, one.amount, other.amount],
    ...[0, 0, owner, unlimited],
  ]),
});

/** Adds liquidity to the v2 pool of a token and the coin, which is created if missing. */
export const v2Liquidity = (
  { v2Router }: { v2Router: string },
  owner: string,
  { token, coins, tokens }: Deposit,
): DeployerTransaction => ({
  to: v2Router,
  data: contracts.encodeFunctionData("addLiquidityETH", [token, tokens, 0, 0, owner, unlimited]),
  value: coins,
});

/** Tick spacing by fee, in hundredths of a basis point. */
const tickSpacings = {
  100: 1,
  430: 10,
  450: 100,
  470: 100,
  500: 10,
  2500: 50,
  2900: 200,
  3000: 60,
  3100: 200,
  3300: 200,
  10000: 200,
} as const;

export type V3Fee = keyof typeof tickSpacings;

/**
 * Creates a v3 pool of two tokens, with liquidity around its price.
 *
 * @param range.reach Largest factor by which the price can rise or fall before the pool is empty.
 * @param range.away Factor between the middle of the liquidity and the price. If it is large, the pool holds only the
 * first asset and trades nothing.
 */
export function v3PairLiquidity(
  { v3Positions, wrapped }: { v3Positions: string; wrapped: string },
  owner: string,
  [one, other]: readonly [TokenAmount, TokenAmount],
  { fee, reach, away = 1 }: { fee: V3Fee; reach: number; away?: number },
): DeployerTransaction {
  const isFirst = BigInt(one.token) < BigInt(other.token);
  const [first, second] = isFirst ? [one, other] : [other, one];
  const tickOf = (price: number) =>
    Math.round(Math.log(price) / Math.log(1.0001) / tickSpacings[fee]) * tickSpacings[fee];
  const price = (Number(second.amount) / Number(first.amount)) * (isFirst ? away : 1 / away);
  const position = [first.token, second.token, fee, tickOf(price / reach), tickOf(price * reach)];
  const steps = [
    contracts.encodeFunctionData("createAndInitializePoolIfNecessary", [
      ...[first.token, second.token, fee],
      squareRoot((second.amount << 192n) / first.amount),
    ]),
    contracts.encodeFunctionData("mint", [
      [...position, first.amount, second.amount, 0, 0, owner, unlimited],
    ]),
    contracts.encodeFunctionData("refundETH"),
  ];
  const coins = [one, other].find(({ token }) => token === wrapped)?.amount ?? 0n;
  return { to: v3Positions, data: contracts.encodeFunctionData("multicall", [steps]), value: coins };
}

/** Creates a v3 pool of a token and the coin, with liquidity around its price. */
export const v3Liquidity = (
  addresses: { v3Positions: string; wrapped: string },
  owner: string,
  { token, coins, tokens, ...range }: Deposit & { fee: V3Fee; reach: number },
): DeployerTransaction =>
  v3PairLiquidity(
    addresses,
    owner,
    [
      { token: addresses.wrapped, amount: coins },
      { token, amount: tokens },
    ],
    range,
  );

/** Computes a square root, rounded down. */
function squareRoot(square: bigint): bigint {
  let root = 1n << BigInt((square.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (root + square / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}
