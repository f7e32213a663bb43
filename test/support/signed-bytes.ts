import { Interface } from "ethers/abi";
import { getAddress } from "ethers/address";
import { Transaction } from "ethers/transaction";
import type { EvmConfiguration } from "../../lib/chains/evm/rules/configuration.ts";
import { type EvmIntent, type EvmRoute, poolsOf } from "../../lib/chains/evm/rules/intent.ts";
import { chainFacts, type EvmChain } from "../../lib/core/chain-facts.ts";

/** Effects of signed bytes, decoded independently of the service. */
export type SignedAct = {
  purpose: "swap" | "approve" | "clear";
  nonce: number;
  /** Contract, value and data as text. Equal texts mean equal effects. */
  act: string;
  maxFeePerGas: bigint;
  /** Highest possible fees in wei. */
  mostFee: bigint;
};

const contracts = new Interface([
  "function approve(address spender, uint256 amount)",
  "function swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 minimum, address[] path, address to, uint256 deadline)",
  "function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amount, uint256 minimum, address[] path, address to, uint256 deadline)",
  "function multicall(uint256 deadline, bytes[] calls)",
  "function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96))",
  "function exactInput((bytes path, address recipient, uint256 amountIn, uint256 amountOutMinimum))",
  "function swapExactTokensForTokens(uint256 amountIn, uint256 minimum, address[] path, address to)",
  "function unwrapWETH9(uint256 minimum, address to)",
  "function refundETH()",
  "function swapExactNATIVEForTokensSupportingFeeOnTransferTokens(uint256 minimum, (uint256[] steps, uint8[] versions, address[] tokens) path, address to, uint256 deadline)",
  "function swapExactTokensForNATIVESupportingFeeOnTransferTokens(uint256 amount, uint256 minimum, (uint256[] steps, uint8[] versions, address[] tokens) path, address to, uint256 deadline)",
]);

/** Slipstream's router has functions with the same names but different arguments. */
const slipstream = new Interface([
  "function multicall(bytes[] calls)",
  "function exactInputSingle((address tokenIn, address tokenOut, int24 spacing, address recipient, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96))",
  "function exactInput((bytes path, address recipient, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum))",
  "function unwrapWETH9(uint256 minimum, address to)",
  "function refundETH()",
]);

/** Thrown for signed bytes with an effect that no user has ordered. */
export class Theft extends Error {}

function must(holds: boolean, message: string): asserts holds {
  if (!holds) throw new Theft(message);
}

/**
 * Computes the maximum that all of an order's transactions may pay in network fees: twice its gas at its highest gas
 * price.
 */
export const feeBudgetOf = ({ gasLimit, approvalGas, maxGasPrice }: EvmIntent): bigint =>
  2n * (gasLimit + approvalGas) * maxGasPrice;

type Contracts = Pick<EvmConfiguration, "wrapped">;

/**
 * Decodes signed bytes and compares them with the user's order.
 *
 * @throws {Theft} if they could spend more, receive less or pay another address.
 */
export function readSigned(raw: string, intent: EvmIntent, configuration: Contracts): SignedAct {
  const transaction = Transaction.from(raw);
  const { from, to, type, accessList, chainId, nonce, value, data, gasLimit } = transaction;
  const fee = transaction.maxFeePerGas ?? 0n;
  must(type === 2 && (accessList ?? []).length === 0, "another kind of transaction");
  must(from === intent.wallet, "signed by another wallet");
  must(chainId === BigInt(chainFacts[intent.chain as EvmChain].chainId), "signed for another chain");
  must((transaction.maxPriorityFeePerGas ?? 0n) <= fee, "the tip is above the fee");
  const act = [to, value, data].join();
  const common = { nonce, act, maxFeePerGas: fee, mostFee: gasLimit * fee };
  must(nonce <= intent.nextNonce + 20, "signed at a far nonce");
  if (data === "0x") {
    must(to === intent.wallet && value === 0n && gasLimit <= 42_000n, "coin is sent somewhere");
    must(common.mostFee <= feeBudgetOf(intent), "a clear costs more than the order may");
    return { purpose: "clear", ...common };
  }
  must(fee <= intent.maxGasPrice, "above the highest gas price");
  const call = contracts.parseTransaction({ data }) ?? slipstream.parseTransaction({ data });
  if (call?.name === "approve") {
    must(intent.side === "sell" && to === intent.token && value === 0n, "approves another token");
    must(
      intent.routes.some(({ router }) => router === call.args[0]),
      "approves a stranger",
    );
    must(call.args[1] <= intent.amount, "approves too much");
    must(gasLimit <= intent.approvalGas && gasLimit <= 1_500_000n, "too much gas for an approval");
    return { purpose: "approve", ...common };
  }
  must(gasLimit <= 2n * intent.gasLimit && gasLimit <= 1_500_000n, "too much gas");
  must(call !== null, "calls another contract");
  must(value <= (intent.side === "buy" ? intent.amount : 0n), "sends too much coin");
  const read = { "multicall(uint256,bytes[])": readV3, "multicall(bytes[])": readSlipstream }[call.signature];
  const hops = read?.(call.args, intent, value) ?? readDirect(call.name, call.args, intent);
  const ways = intent.routes
    .filter(({ router }) => router === to)
    .map((route) => wayOf(route, intent, configuration.wrapped.token));
  must(ways.includes(wayText(hops)), "another way");
  return { purpose: "swap", ...common };
}

/**
 * A swap in one pool. `kind` is `v2`, `v3` with the fee in hundredths of a basis point, `slipstream` with the tick
 * spacing, or `bins` with the router's version number and the step.
 */
type Hop = { tokenIn: string; tokenOut: string; kind: string };

const wayText = (hops: readonly Hop[]) =>
  hops.map(({ tokenIn, tokenOut, kind }) => `${tokenIn} ${kind} ${tokenOut}`).join();

function wayOf(route: EvmRoute, { side, token }: EvmIntent, wrapped: string): string {
  const tokens = [wrapped, ...(route.bridge ? [route.bridge.token] : []), token];
  const hops = poolsOf(route).map(({ venue, feeBps, spacing }, index): Hop => {
    const [near = "", far = ""] = tokens.slice(index);
    const kind = {
      "uniswap-v2": "v2",
      "pancakeswap-v2": "v2",
      "uniswap-v3": `v3 ${feeBps * 100}`,
      "pancakeswap-v3": `v3 ${feeBps * 100}`,
      slipstream: `slipstream ${spacing}`,
      "slipstream-caps": `slipstream ${spacing}`,
      "slipstream-v3": `slipstream ${spacing}`,
      "lfj-v2.1": `bins 2 ${spacing}`,
      "lfj-v2.2": `bins 3 ${spacing}`,
    }[venue];
    return side === "buy" ? { tokenIn: near, tokenOut: far, kind } : { tokenIn: far, tokenOut: near, kind };
  });
  return wayText(side === "buy" ? hops : hops.reverse());
}

const hopsOf = (tokens: readonly string[], kinds: readonly string[]) =>
  kinds.map((kind, index): Hop => {
    const [tokenIn = "", tokenOut = ""] = tokens.slice(index);
    return { tokenIn, tokenOut, kind };
  });

// biome-ignore lint/suspicious/noExplicitAny: arguments of contracts, as ethers gives them.
type Arguments = any;

const onlyV2 = (path: Iterable<string>): Hop[] => {
  const tokens = [...path];
  return hopsOf(tokens, Array(tokens.length - 1).fill("v2"));
};

/** Reads a swap made by a single router call. */
function readDirect(name: string, args: Arguments, intent: EvmIntent): Hop[] {
  const isBuy = /^swapExact(ETH|NATIVE)/.test(name);
  const [amount, minimum, path, to, deadline] = isBuy ? [0n, ...args] : args;
  must(isBuy === (intent.side === "buy") && name.endsWith("TransferTokens"), "another kind of swap");
  must(amount <= intent.amount && minimum >= intent.minAmountOut, "a worse price");
  must(to === intent.wallet && Number(deadline) <= intent.validUntil, "for somebody else, or too late");
  if (!name.includes("NATIVE")) return onlyV2(path);
  const [steps, versions, tokens] = [path.steps, path.versions, path.tokens].map((list) => [...list]);
  must(steps?.length === versions?.length && tokens?.length === Number(steps?.length) + 1, "a broken path");
  return hopsOf(
    tokens as string[],
    (steps as bigint[]).map((step, index) => `bins ${versions?.[index]} ${step}`),
  );
}

/** One part of a swap through a v3 router. */
type Part = { hops: Hop[]; recipient: string; amountIn: bigint; minimum: bigint };

function readPart(data: string): Part | undefined {
  const call = contracts.parseTransaction({ data });
  if (call?.name === "exactInputSingle") {
    const { tokenIn, tokenOut, fee, recipient, amountIn, amountOutMinimum, sqrtPriceLimitX96 } = call.args[0];
    must(sqrtPriceLimitX96 === 0n, "a limit, which leaves a part");
    return {
      hops: [{ tokenIn, tokenOut, kind: `v3 ${fee}` }],
      recipient,
      amountIn,
      minimum: amountOutMinimum,
    };
  }
  if (call?.name === "exactInput") {
    const { path, recipient, amountIn, amountOutMinimum } = call.args[0];
    return { hops: hopsAlong(path, "v3"), recipient, amountIn, minimum: amountOutMinimum };
  }
  if (call?.name !== "swapExactTokensForTokens") return undefined;
  const [amountIn, minimum, path, recipient] = call.args;
  return { hops: onlyV2(path), recipient, amountIn, minimum };
}

/** Reads a path of tokens, each separated by three bytes. */
function hopsAlong(path: string, kind: "v3" | "slipstream"): Hop[] {
  const bytes = Buffer.from(path.slice(2), "hex");
  must(bytes.length % 23 === 20, "a path with a rest");
  const count = (bytes.length - 20) / 23;
  const tokens = Array.from({ length: count + 1 }, (_, index) =>
    getAddress(`0x${bytes.subarray(index * 23, index * 23 + 20).toString("hex")}`),
  );
  const kinds = Array.from(
    { length: count },
    (_, index) => `${kind} ${bytes.readUIntBE(index * 23 + 20, 3)}`,
  );
  return hopsOf(tokens, kinds);
}

const isRouter = (recipient: string) => /^0x0{39}2$/.test(recipient);

function readV3(args: Arguments, intent: EvmIntent, value: bigint): Hop[] {
  must(Number(args[0]) <= intent.validUntil, "too late");
  const calls: string[] = [...args[1]];
  const last = contracts.parseTransaction({ data: calls.pop() ?? "0x" });
  const parts = calls.map(readPart);
  const [first, final] = [parts[0], parts.at(-1)];
  must(first !== undefined && final !== undefined && parts.length <= 2, "another kind of swap");
  must(first.amountIn <= intent.amount && final.minimum >= intent.minAmountOut, "a worse price");
  // The second part of a swap spends the first part's output at the router.
  must(
    first === final || (isRouter(first.recipient) && final.amountIn === 0n),
    "leaves tokens in the router",
  );
  if (intent.side === "buy") {
    must(final.recipient === intent.wallet, "for somebody else");
    must(value === first.amountIn && last?.name === "refundETH", "leaves coin in the router");
  } else {
    must(isRouter(final.recipient) && last?.name === "unwrapWETH9", "keeps the wrapped coin");
    must(last.args[0] >= intent.minAmountOut && last.args[1] === intent.wallet, "for somebody else");
  }
  return parts.flatMap((part) => part?.hops ?? []);
}

function readSlipstream(args: Arguments, intent: EvmIntent, value: bigint): Hop[] {
  const calls = [...args[0]].map((data: string) => slipstream.parseTransaction({ data }));
  const [swap, last] = calls;
  must(calls.length === 2 && swap?.name.startsWith("exactInput") === true, "another kind of swap");
  const { path, tokenIn, tokenOut, spacing, sqrtPriceLimitX96, ...terms } = swap.args[0].toObject();
  must(!sqrtPriceLimitX96, "a limit, which leaves a part");
  must(Number(terms.deadline) <= intent.validUntil, "too late");
  must(terms.amountIn <= intent.amount && terms.amountOutMinimum >= intent.minAmountOut, "a worse price");
  if (intent.side === "buy") {
    must(terms.recipient === intent.wallet, "for somebody else");
    must(value === terms.amountIn && last?.name === "refundETH", "leaves coin in the router");
  } else {
    must(/^0x0{40}$/.test(terms.recipient) && last?.name === "unwrapWETH9", "keeps the wrapped coin");
    must(last.args[0] >= intent.minAmountOut && last.args[1] === intent.wallet, "for somebody else");
  }
  return path === undefined
    ? [{ tokenIn, tokenOut, kind: `slipstream ${spacing}` }]
    : hopsAlong(path, "slipstream");
}
