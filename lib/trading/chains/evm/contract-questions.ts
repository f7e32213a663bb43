import { decodeBytes32String, type Interface } from "ethers/abi";
import type { Order } from "../../core/execution.ts";
import type { Route } from "../../core/intent.ts";
import type { ChainConfiguration, V2Contracts, V3Contracts } from "../chain-configuration.ts";
import { contractsOf, feeOf, isV2 } from "./calldata.ts";
import { multicallABI, tokenABI, v2PoolABI, v2RouterABI, v3PoolABI } from "./contract-abi.ts";
import { type ContractQuestion, contractQuestion, multicallAddress } from "./multicall.ts";

const numberFrom = (abi: Interface, name: string, to: string, ...values: unknown[]) =>
  contractQuestion(abi, name, { to, values, read: ([number]): bigint => number });

/** Asks for the native coin of an address. */
export const coinsOf = (account: string) =>
  numberFrom(multicallABI, "getEthBalance", multicallAddress, account);

/** Asks for the number of the block at which Multicall answers. */
export const blockNumberOf = () => numberFrom(multicallABI, "getBlockNumber", multicallAddress);

/** Asks for the time of that block, in seconds. */
export const blockTimeOf = () => numberFrom(multicallABI, "getCurrentBlockTimestamp", multicallAddress);

export const balanceOf = (token: string, account: string) =>
  numberFrom(tokenABI, "balanceOf", token, account);

export const allowanceOf = (token: string, owner: string, spender: string) =>
  numberFrom(tokenABI, "allowance", token, owner, spender);

export const decimalsOf = (token: string) => numberFrom(tokenABI, "decimals", token);

export const totalSupplyOf = (token: string) => numberFrom(tokenABI, "totalSupply", token);

/** Longer texts, counted in hex characters, are not decoded. */
const longestText = 1000;

const bytes32Length = 66;

/** Asks for a token's `symbol` or `name`. Old tokens answer with 32 bytes instead of a string. */
export function textOf(name: "symbol" | "name", token: string): ContractQuestion<string> {
  const question = contractQuestion(tokenABI, name, {
    to: token,
    values: [],
    read: ([text]): string => text,
  });
  return {
    ...question,
    read(answer) {
      if (answer.length > longestText) throw new Error("The text is too long");
      return answer.length === bytes32Length ? decodeBytes32String(answer) : question.read(answer);
    },
  };
}

/** Asks for a pool's address. Undefined if there is no pool. */
export function poolQuestion(
  { wrapped, ...configuration }: Pick<ChainConfiguration, "venues" | "wrapped">,
  token: string,
  route: Route,
): ContractQuestion<string | undefined> {
  const contracts = contractsOf(configuration, route);
  const { factory: to } = contracts;
  const read = ([pool]: readonly string[]) => (/^0x0+$/.test(pool as string) ? undefined : pool);
  return isV2(contracts)
    ? contractQuestion(v2PoolABI, "getPair", { to, values: [wrapped.token, token], read })
    : contractQuestion(v3PoolABI, "getPool", {
        to,
        values: [wrapped.token, token, feeOf(route.feeBps)],
        read,
      });
}

/** Asks for the two reserves of a v2 pool, that of the lower address first. */
export const reservesOf = (pool: string) =>
  contractQuestion(v2PoolABI, "getReserves", {
    to: pool,
    values: [],
    read: ([first, second]): [bigint, bigint] => [first, second],
  });

/** Asks for the square root of a v3 pool's price, times 2^96: units of the higher address for one unit of the lower. */
export const sqrtPriceOf = (pool: string) => numberFrom(v3PoolABI, "slot0", pool);

/** The amount that a pool pays. A v3 pool may run dry and take less than it was offered. */
export type PoolAnswer = { amountOut: bigint; isDry: boolean };

/** The limits of prices in v3 pools, as square roots times 2^96. */
const sqrtLimits = { falling: 4295128740n, rising: 1461446703485210103287273052203988822378723970341n };

/** Asks how much a route pays for an amount, before any tax of the token. */
export function amountOutOf(
  { wrapped, ...configuration }: Pick<ChainConfiguration, "venues" | "wrapped">,
  { side, token, amountIn }: { side: Order["side"]; token: string; amountIn: bigint },
  route: Route,
): ContractQuestion<PoolAnswer> {
  const path: [string, string] = side === "buy" ? [wrapped.token, token] : [token, wrapped.token];
  const contracts = contractsOf(configuration, route);
  return isV2(contracts)
    ? amountOutOfV2(contracts, path, amountIn)
    : amountOutOfV3(contracts, path, amountIn, route.feeBps);
}

const amountOutOfV2 = ({ router }: V2Contracts, path: [string, string], amountIn: bigint) =>
  contractQuestion(v2RouterABI, "getAmountsOut", {
    to: router,
    values: [amountIn, path],
    read: ([[, amountOut]]): PoolAnswer => ({ amountOut, isDry: false }),
  });

function amountOutOfV3({ quoter }: V3Contracts, path: [string, string], amountIn: bigint, feeBps: number) {
  const [tokenIn, tokenOut] = path;
  // The price falls when the token of the lower address is sold.
  const limit = BigInt(tokenIn) < BigInt(tokenOut) ? sqrtLimits.falling : sqrtLimits.rising;
  return contractQuestion(v3PoolABI, "quoteExactInputSingle", {
    to: quoter,
    values: [{ tokenIn, tokenOut, amountIn, fee: feeOf(feeBps), sqrtPriceLimitX96: 0n }],
    read: ([amountOut, sqrtPriceAfter]): PoolAnswer => ({ amountOut, isDry: sqrtPriceAfter === limit }),
  });
}
