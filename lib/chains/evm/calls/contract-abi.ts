import { Interface } from "ethers/abi";

/** Interfaces of the contracts that trading calls. */

export const v2RouterABI = new Interface([
  "function swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline) payable",
  "function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)",
]);

/** SwapRouter02. Its swap functions have no deadline, but its `multicall` takes one. */
export const v3RouterABI = new Interface([
  "function multicall(uint256 deadline, bytes[] data) payable returns (bytes[])",
  "function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96)) payable returns (uint256)",
  "function exactInput((bytes path, address recipient, uint256 amountIn, uint256 amountOutMinimum)) payable returns (uint256)",
  "function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to) payable returns (uint256)",
]);

/** Functions with which v3 routers, including Slipstream's, pay out native coin. */
export const v3PaymentsABI = new Interface([
  "function refundETH() payable",
  "function unwrapWETH9(uint256 amountMinimum, address recipient) payable",
]);

/** Slipstream's router. Each swap has its own deadline, and `multicall` takes none. */
export const slipstreamRouterABI = new Interface([
  "function multicall(bytes[] data) payable returns (bytes[])",
  "function exactInputSingle((address tokenIn, address tokenOut, int24 tickSpacing, address recipient, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96)) payable returns (uint256)",
  "function exactInput((bytes path, address recipient, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum)) payable returns (uint256)",
]);

/** LFJ's router for Liquidity Book. */
export const binRouterABI = new Interface([
  "function swapExactNATIVEForTokensSupportingFeeOnTransferTokens(uint256 amountOutMin, (uint256[] pairBinSteps, uint8[] versions, address[] tokenPath) path, address to, uint256 deadline) payable returns (uint256)",
  "function swapExactTokensForNATIVESupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMinNATIVE, (uint256[] pairBinSteps, uint8[] versions, address[] tokenPath) path, address to, uint256 deadline) returns (uint256)",
]);

/** Pools of Liquidity Book. */
export const binPoolABI = new Interface([
  "function getActiveId() view returns (uint24)",
  "function getTokenX() view returns (address)",
]);

/** Declares all numbers as 256 bits, even if the token's own source declares fewer. */
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
