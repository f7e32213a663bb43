import { chainFacts } from "../../../core/chain-facts.ts";
import type { Question } from "../../../orders/effects.ts";
import { askInParts } from "../../hosts/ask-in-parts.ts";
import { type Ask, askTogether, type ValuesIn } from "../../hosts/ask-together.ts";
import { unlessHostFails } from "../../hosts/host-fault.ts";
import type { RpcCall } from "../../hosts/rpc-call.ts";
import type { RpcHost } from "../../hosts/rpc-host.ts";
import { balanceOf } from "../calls/contract-questions.ts";
import { feeMarketCalls, feeMarketOf, l1FeesCall } from "../calls/fee-market.ts";
import { multicall } from "../calls/multicall.ts";
import {
  type BlockTag,
  blockCall,
  blockHashCall,
  coinsCall,
  gasEstimateCall,
  hashAgainCall,
  nonceCall,
  pendingNonceCall,
  receiptCall,
} from "../calls/rpc-call.ts";
import { belongingsCall, type TokenBelongings, tokenGas } from "../calls/token-belongings.ts";
import {
  orderFactsOf,
  routeCalls,
  type SwapRequest,
  withEstimates,
  workingRoutes,
} from "../quotes/choose-route.ts";
import type { Evm } from "../rules/family.ts";
import { clearPreset } from "../rules/fee-bumps.ts";
import { clearGas, type FeeMarket, feesFor } from "../rules/fees.ts";
import type { EvmSnapshot } from "../rules/host-snapshot.ts";
import { allowsRoute, type EvmFees, type EvmIntent } from "../rules/intent.ts";
import { routesOf } from "../venues/configured-routes.ts";
import { areAt, type PoolRoute, poolCalls, poolRoutesOf } from "../venues/pool-routes.ts";
import type { EvmReader } from "../venues/reader.ts";
import { unsignedBytes } from "../venues/unsigned-transaction.ts";
import { foundAmong, readReceipts, receiptCalls } from "./read-receipts.ts";

type Chain = Pick<EvmReader, "chain" | "configuration">;

/**
 * Asks one host about a wallet. Undefined if the host fails, answers a different question, or replaces its latest block
 * in the meantime.
 */
export async function snapshotOfEvm(
  host: RpcHost,
  chain: Chain,
  question: Question<Evm>,
): Promise<EvmSnapshot | undefined> {
  return unlessHostFails(takeSnapshot((calls) => host.request(calls), chain, question));
}

/** Asks for the gas of a clear. No refusal of it may hide what has become of transactions. */
const clearGasCall = (wallet: string, tag: BlockTag): RpcCall<bigint | undefined> => ({
  ...gasEstimateCall({ from: wallet, to: wallet }, tag),
  recover: () => undefined,
});

/**
 * Sends two requests, and a third one for the results of sent transactions. A further request is needed if a block
 * arrives between the calls of the first one, or if the wallet holds less than a sale wants to sell.
 */
async function takeSnapshot(
  ask: Ask,
  chain: Chain,
  { wallet, hashes, calls, agreed, orders, missed = [], blocks = [] }: Question<Evm>,
): Promise<EvmSnapshot | undefined> {
  const ordersAt = (tag: BlockTag) => orders.map((intent) => orderCalls(chain, intent, tag));
  const head = await askTogether(ask, {
    latest: blockCall("latest"),
    finalized: blockCall("finalized"),
    market: feeMarketCalls(chain.chain),
    pending: pendingNonceCall(wallet),
    orders: ordersAt("latest"),
  });
  const { latest, finalized } = head;
  const tag = latest.number;
  const market = feeMarketOf(head.market);
  const clearFees = feesFor(chain.chain, clearPreset, market);
  // Asks for receipts only after the latest block is known, so that every transaction in that block has one.
  const minedSoon = askInParts(ask, hashes, receiptCall);
  const isTorn = head.orders.some(
    ({ belongings: [own], pools }) =>
      !areAt(pools, latest) || (own !== undefined && own.block !== latest.number),
  );
  const answersSoon = isTorn ? askTogether(ask, ordersAt(tag)) : Promise.resolve(head.orders);
  const factsSoon = answersSoon.then(async (answers) => {
    const shares = await withAmounts(ask, chain, orders, answers, tag);
    const requests = shares.map((share) => ({ ...share, request: requestFor(chain, share, market) }));
    const facts = await askTogether(ask, {
      nonce: nonceCall(wallet, tag),
      coins: coinsCall(wallet, tag),
      clearL1Fee: clearL1FeeCalls(chain, wallet, clearFees, tag),
      // Asks nothing before a transaction was sent, because there is nothing to clear.
      clearGas: hashes.length === 0 ? [] : [clearGasCall(wallet, tag)],
      routes: requests.map(({ request, routes }) => routeCalls(chain, request, routes, latest)),
      blocks: blocks.map(blockHashCall),
      held: missed.map((token) => multicall([balanceOf(token, wallet)], tag, tokenGas)),
      // Checks the block's hash last. If no receipts are needed, this is the last request.
      again: hashes.length === 0 ? [hashAgainCall(tag)] : [],
    });
    return { requests, facts };
  });
  const [{ requests, facts }, mined] = await Promise.all([factsSoon, minedSoon]);
  const found = foundAmong(hashes, mined);
  const [details, again] = await Promise.all([
    askInParts(ask, found, receiptCalls),
    facts.again.length > 0 ? facts.again : ask([hashAgainCall(tag)]),
  ]);
  const receipts = await readReceipts(
    ask,
    chain.configuration,
    wallet,
    found.map((each, index) => ({ ...each, ...(details[index] as (typeof details)[0]) })),
    { calls, agreed },
  );
  if (again[0] !== latest.hash || receipts === undefined) return undefined;
  const known = await Promise.all(
    requests.map(async ({ intent, belongings, request, routes }, index) => {
      const answers = facts.routes[index] as (typeof facts.routes)[0];
      const working = workingRoutes(chain, request, routes, answers);
      const estimated = await withEstimates(ask, chain, request, working, tag);
      return [intent.orderId, orderFactsOf(chain, request, estimated, belongings?.held)] as const;
    }),
  );
  return {
    latest,
    finalized,
    nonce: { latest: facts.nonce, pending: head.pending ?? facts.nonce },
    coins: facts.coins,
    baseFee: market.baseFee,
    clearFees,
    clearL1Fee: facts.clearL1Fee[0]?.[0] ?? 0n,
    ...(facts.clearGas[0] !== undefined && { clearGas: facts.clearGas[0] }),
    orders: new Map(known),
    held: new Map(
      missed.flatMap((token, index) => {
        const [units] = facts.held[index] ?? [];
        return units === undefined ? [] : [[token, units] as const];
      }),
    ),
    blocks: new Map(
      blocks.flatMap((number, index) => {
        const hash = facts.blocks[index];
        return hash === undefined ? [] : [[number, hash] as const];
      }),
    ),
    receipts,
  };
}

const clearL1FeeCalls = ({ chain }: Chain, wallet: string, fees: EvmFees, tag: number) => {
  const { chainId, hasL1Fee } = chainFacts[chain];
  const terms = { chainId, nonce: 0, gasLimit: clearGas, fees };
  const unsigned = unsignedBytes({ to: wallet, value: 0n, data: "0x" }, terms);
  return hasL1Fee ? [l1FeesCall([{ unsigned, gasLimit: clearGas }], tag)] : [];
};

const orderCalls = (chain: Chain, intent: EvmIntent, tag: BlockTag) => ({
  belongings:
    intent.side === "sell" ? [belongingsCall(chain.configuration, intent.token, intent.wallet, tag)] : [],
  pools: orderPoolCalls(chain, intent, intent.amount, tag),
});

/** Asks the pools on the order's routes. The configuration may no longer contain some of them. */
function orderPoolCalls({ configuration }: Chain, intent: EvmIntent, amountIn: bigint, tag: BlockTag) {
  const routes = routesOf(configuration, intent.token).filter((route) => allowsRoute(intent, route));
  return poolCalls(configuration, intent.token, [{ side: intent.side, amountIn }], tag, routes);
}

type OrderAnswers = ValuesIn<ReturnType<typeof orderCalls>>;

/** An order, and its routes with the amount that it can spend now. */
type Share = {
  intent: EvmIntent;
  amountIn: bigint;
  /** Set only for a sale. */
  belongings?: TokenBelongings;
  routes: readonly PoolRoute[];
};

/**
 * Repeats the questions for sales whose wallet holds less than they want to sell. Omits sales whose token does not
 * answer.
 */
async function withAmounts(
  ask: Ask,
  chain: Chain,
  orders: readonly EvmIntent[],
  answers: readonly OrderAnswers[],
  tag: number,
): Promise<Share[]> {
  const shares = orders.flatMap((intent, index) => {
    const { belongings: [belongings] = [], pools } = answers[index] as OrderAnswers;
    if (intent.side === "buy") return [{ intent, amountIn: intent.amount, pools }];
    if (belongings === undefined) return [];
    const { held } = belongings;
    const amountIn = held > 0n && held < intent.amount ? held : intent.amount;
    return [{ intent, amountIn, belongings, pools }];
  });
  const lowered = shares.filter(({ intent, amountIn }) => amountIn < intent.amount);
  const again =
    lowered.length === 0
      ? []
      : await askTogether(
          ask,
          lowered.map(({ intent, amountIn }) => orderPoolCalls(chain, intent, amountIn, tag)),
        );
  return shares.map(({ pools, ...share }) => {
    const [routes = []] = poolRoutesOf(
      again[lowered.findIndex(({ intent }) => intent === share.intent)] ?? pools,
    ).routes;
    return { ...share, routes };
  });
}

const requestFor = (
  { chain }: Chain,
  { intent: { wallet, side, token, gasPreset }, amountIn, belongings }: Share,
  market: FeeMarket,
): SwapRequest => ({
  wallet,
  side,
  token,
  amountIn,
  allowances: belongings?.allowances ?? new Map(),
  hasTokens: (belongings?.held ?? 0n) >= amountIn,
  fees: feesFor(chain, gasPreset, market),
  baseFee: market.baseFee,
});
