import { Interface } from "ethers/abi";

/** Interfaces of the contracts that trading calls. */

export const v2RouterABI = new Interface([
  "function swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline) payable",
  "function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)",
  "function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[])",
]);

/** Factories and pools of v2. */
export const v2PoolABI = new Interface([
  "function getPair(address a, address b) view returns (address)",
  "function getReserves() view returns (uint256, uint256, uint256)",
]);

/** SwapRouter02. Its swaps have no deadline, but `multicall` takes one. */
export const v3RouterABI = new Interface([
  "function multicall(uint256 deadline, bytes[] data) payable returns (bytes[])",
  "function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96)) payable returns (uint256)",
  "function refundETH() payable",
  "function unwrapWETH9(uint256 amountMinimum, address recipient) payable",
]);

/** Factories and pools of v3, and QuoterV2. */
export const v3PoolABI = new Interface([
  "function getPool(address a, address b, uint24 fee) view returns (address)",
  "function slot0() view returns (uint160 sqrtPriceX96)",
  "function quoteExactInputSingle((address tokenIn, address tokenOut, uint256 amountIn, uint24 fee, uint160 sqrtPriceLimitX96)) returns (uint256 amountOut, uint160 sqrtPriceX96After)",
]);

/** Reads numbers as 256 bits, whatever width the token's source declares. */
export const tokenABI = new Interface([
  "function approve(address spender, uint256 amount) returns (bool)",
  "function allowance(address owner, address spender) view returns (uint256)",
  "function balanceOf(address account) view returns (uint256)",
  "function decimals() view returns (uint256)",
  "function totalSupply() view returns (uint256)",
  "function symbol() view returns (string)",
  "function name() view returns (string)",
]);

export const multicallABI = new Interface([
  "function aggregate3((address target, bool allowFailure, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[])",
  "function getEthBalance(address account) view returns (uint256)",
  "function getBlockHash(uint256 blockNumber) view returns (bytes32)",
  "function getLastBlockHash() view returns (bytes32)",
  "function getBlockNumber() view returns (uint256)",
  "function getCurrentBlockTimestamp() view returns (uint256)",
]);
