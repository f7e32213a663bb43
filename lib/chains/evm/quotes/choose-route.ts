import { chainFacts } from "../../../core/chain-facts.ts";
import type { TokenUnits, Wei, WeiPerGas } from "../../../core/units.ts";
import { least } from "../../../orders/bigints.ts";
import type { Order } from "../../../orders/execution.ts";
import { bestSafety, type TokenSafety } from "../../../orders/token-safety.ts";
import { type Ask, askTogether } from "../../hosts/ask-together.ts";
import { attempt, thenRead } from "../../hosts/rpc-call.ts";
import { l1FeesCall } from "../calls/fee-market.ts";
import { type BlockTag, contractCall, gasEstimateCall } from "../calls/rpc-call.ts";
import type { SimulatedAfter } from "../calls/simulation.ts";
import {
  evmNetworkFee,
  gasLimitFor,
  type L1Fee,
  type PlannedGas,
  usualGas,
  usualGasLimit,
} from "../rules/fees.ts";
import type { EvmOrderFacts } from "../rules/host-snapshot.ts";
import {
  type ApproveCall,
  type EvmFees,
  isSameEvmRoute,
  needsRefund,
  plainEvmRoute,
  type SwapCall,
} from "../rules/intent.ts";
import { mostGas } from "../rules/signing-rules.ts";
import { checksArrival } from "../rules/swap-venues.ts";
import type { EvmQuotedRoute } from "../rules/trade-facts.ts";
import { encodeCall } from "../venues/calldata.ts";
import type { PoolRoute } from "../venues/pool-routes.ts";
import type { EvmReader } from "../venues/reader.ts";
import { type SwapOutcome, swapSimulation } from "../venues/swap-simulation.ts";
import { unsignedBytes } from "../venues/unsigned-transaction.ts";

type Chain = Pick<EvmReader, "chain" | "configuration">;

/** A swap that needs a route. */
export type SwapRequest = {
  wallet: string;
  side: Order["side"];
  token: string;
  amountIn: bigint;
  /** Allowance of each router, for a sale. */
  allowances: ReadonlyMap<string, TokenUnits>;
  /** True if the wallet has the tokens that it sells. Otherwise the sale cannot be simulated. */
  hasTokens: boolean;
  fees: EvmFees;
  /** The base fee per gas of the next block. */
  baseFee: WeiPerGas;
};

/** Values for an order's transactions, by purpose. */
type Needs<Value> = { approve: Value; swap: Value };

/** A route with everything that an order needs to use it. */
export type WorkingRoute = PoolRoute & {
  /** The quoted amount, before any tax of the token. */
  quoted: bigint;
  /** The amount that would arrive. */
  amountOut: bigint;
  /** The expected network fee of the route's transactions. */
  networkFee: Wei;
  gas: Needs<PlannedGas>;
  /** The number of approvals before the swap. */
  approvals: 0 | 1 | 2;
  wantsZeroFirst: boolean;
  allowance: TokenUnits;
  /** True if the host could not simulate the swap. */
  isGuess: boolean;
  /** Largest amount that the host has proved to arrive, although it could not simulate the swap. */
  provenOut?: bigint;
  /**
   * Findings about the token from a simulated buy and sale of this amount. Present for a buy that the host could
   * simulate.
   */
  safety?: TokenSafety | undefined;
};

/** Number of routes to simulate per kind of pool. It is low, so that an unknown token cannot cause many simulations. */
const mostTried = 2;

/** Maximum number of routes that {@link routesToTry} selects. */
export const mostSimulated = 2 * (mostTried + 1);

/**
 * Selects the routes to simulate: the best of each kind of pool, and the route that pays most for a larger amount, all
 * through different pools of the token. Expects routes in the order of the amounts that they pay.
 */
export const routesToTry = (routes: readonly PoolRoute[], ofMore: readonly PoolRoute[] = []): PoolRoute[] =>
  [true, false].flatMap((isChecked) => {
    const same = routes.filter((route) => checksArrival(route) === isChecked);
    const byPool = same.filter((route, index) => same.findIndex(({ pool }) => pool === route.pool) === index);
    const best = byPool.slice(0, mostTried);
    const deepest = ofMore.find((route) => same.some((each) => isSameEvmRoute(each, route)));
    const isNew = deepest && !best.some(({ pool }) => pool === deepest.pool);
    return [...best, ...same.filter((route) => isNew && isSameEvmRoute(route, deepest))];
  });

const swapOf = (
  { wallet, side, token, amountIn }: Pick<SwapRequest, "wallet" | "side" | "token" | "amountIn">,
  route: PoolRoute,
): SwapCall => ({
  purpose: "swap",
  ...plainEvmRoute(route),
  side,
  token,
  recipient: wallet,
  value: side === "buy" ? amountIn : 0n,
  amountIn,
  // A placeholder as long as the real value, so that the L1 fee is the same.
  minAmountOut: route.amountOut,
  deadline: 2 ** 32 - 1,
  hasRefund: needsRefund(side, route),
});

/** Makes the calls that {@link workingRoutes} needs for each route. */
export function routeCalls(
  { chain, configuration }: Chain,
  request: SwapRequest,
  routes: readonly PoolRoute[],
  block: Pick<SimulatedAfter, "number" | "time">,
) {
  const { allowances, hasTokens, baseFee } = request;
  return {
    outcomes: routes.map((route) =>
      request.side === "buy" || hasTokens
        ? [
            swapSimulation(
              configuration,
              { ...request, allowance: allowances.get(route.router) ?? 0n },
              route,
              { ...block, baseFee },
            ),
          ]
        : [],
    ),
    l1Fees: routeFeeCalls({ chain, configuration }, request, routes, block.number),
  };
}

/** Makes the call for the fees of each route's transactions beyond their gas, if the chain charges such fees. */
export function routeFeeCalls(
  { chain, configuration }: Chain,
  request: Omit<SwapRequest, "allowances" | "hasTokens" | "baseFee">,
  routes: readonly PoolRoute[],
  tag: BlockTag,
) {
  const { wallet, token, amountIn, fees } = request;
  const { chainId, hasL1Fee } = chainFacts[chain];
  if (!hasL1Fee) return [];
  const unsigned = (call: SwapCall | ApproveCall) => {
    const gasLimit = usualGasLimit[call.purpose];
    const terms = { chainId, nonce: 0, fees, gasLimit };
    return { unsigned: unsignedBytes(encodeCall(configuration, call, wallet), terms), gasLimit };
  };
  const transactions = routes.flatMap((route) => [
    unsigned(swapOf(request, route)),
    unsigned({ purpose: "approve", token, router: route.router, amount: amountIn }),
  ]);
  return [thenRead(l1FeesCall(transactions, tag), byRoute)];
}

/** Separates a list of fees in which swaps and approvals alternate. */
const byRoute = (fees: readonly L1Fee[]): Needs<L1Fee>[] =>
  fees.flatMap((swap, index) => (index % 2 === 0 ? [{ swap, approve: fees[index + 1] ?? 0n }] : []));

export type RouteAnswers = {
  outcomes: readonly (readonly SwapOutcome[])[];
  /** The fees of each route, as one list. Empty if the chain charges no such fees. */
  l1Fees: readonly (readonly Needs<L1Fee>[])[];
};

/** Adds to a sale's routes the amounts that their pools pay. Routes of a buy already have these amounts. */
export function withPaid(
  tried: readonly PoolRoute[],
  answers: RouteAnswers,
  paid: readonly PoolRoute[] | undefined,
  isPossible: (route: PoolRoute) => boolean,
): { routes: PoolRoute[]; answers: RouteAnswers } {
  const kept = tried.flatMap((route, index) => {
    const payer = paid === undefined ? route : paid.find((each) => isSameEvmRoute(each, route));
    return payer === undefined || !isPossible(route) ? [] : [{ index, route: payer }];
  });
  return {
    routes: kept.map(({ route }) => route),
    answers: {
      outcomes: kept.map(({ index }) => answers.outcomes[index] ?? []),
      l1Fees: answers.l1Fees.map((fees) => kept.flatMap(({ index }) => fees[index] ?? [])),
    },
  };
}

export const isListed = ({ configuration }: Pick<Chain, "configuration">, token: string): boolean =>
  configuration.tokens.some((listed) => listed.token === token);

/** Returns the routes that work, with their costs. */
export function workingRoutes(
  chain: Chain,
  request: SwapRequest,
  routes: readonly PoolRoute[],
  { outcomes, l1Fees }: RouteAnswers,
): WorkingRoute[] {
  const { side, token, fees, baseFee } = request;
  const isTrusted = isListed(chain, token);
  return routes.flatMap((route, index) => {
    const outcome = outcomes[index]?.[0] ?? { kind: "unknown" };
    // Rejects the route, because nothing on chain checks that the tokens from a v3 pool arrive in full.
    const isBlind = outcome.kind === "unknown" && side === "buy" && !checksArrival(route) && !isTrusted;
    if (outcome.kind === "fails" || isBlind) return [];
    const l1Fee = l1Fees[0]?.[index] ?? { swap: 0n, approve: 0n };
    const working = withOutcome(route, request, outcome, l1Fee);
    const { expected } = evmNetworkFee(transactionsOf(working), fees, baseFee);
    return [{ ...working, networkFee: expected }];
  });
}

function withOutcome(
  route: PoolRoute,
  { side, amountIn, allowances }: SwapRequest,
  outcome: Exclude<SwapOutcome, { kind: "fails" }>,
  l1Fee: Needs<L1Fee>,
): Omit<WorkingRoute, "networkFee"> {
  const isKnown = outcome.kind === "delivered";
  const used: Partial<Needs<bigint>> = isKnown ? outcome.gasUsed : {};
  const planned = (purpose: "approve" | "swap"): PlannedGas => {
    const estimate = used[purpose] ?? usualGas[purpose];
    return { estimate, gasLimit: least(gasLimitFor(estimate), mostGas), l1Fee: l1Fee[purpose] };
  };
  const allowance = allowances.get(route.router) ?? 0n;
  const wantsZeroFirst = isKnown && outcome.wantsZeroFirst;
  return {
    ...route,
    quoted: route.amountOut,
    // Caps the amount at the quote, because a pool never pays more, although its token may log any amount.
    amountOut: isKnown ? least(outcome.amountOut, route.amountOut) : route.amountOut,
    gas: { approve: planned("approve"), swap: planned("swap") },
    approvals: side === "buy" || allowance >= amountIn ? 0 : wantsZeroFirst && allowance > 0n ? 2 : 1,
    wantsZeroFirst,
    allowance,
    isGuess: !isKnown,
    safety: isKnown ? outcome.safety : undefined,
  };
}

/** Lists the gas of each transaction that an order still needs for this route. */
export const transactionsOf = ({ approvals, gas }: Pick<WorkingRoute, "approvals" | "gas">): PlannedGas[] => [
  ...Array<PlannedGas>(approvals).fill(gas.approve),
  gas.swap,
];

/** Summarises a host's answer about an order, for planning. */
export const orderFactsOf = (
  chain: Pick<Chain, "configuration">,
  { token, fees }: Pick<SwapRequest, "token" | "fees">,
  routes: readonly WorkingRoute[],
  held: TokenUnits | undefined,
): EvmOrderFacts => ({
  fees,
  isListed: isListed(chain, token),
  ...(held !== undefined && { held }),
  routes: routes.map(({ gas: { approve, swap }, ...route }) => ({
    ...plainEvmRoute(route),
    amountOut: route.amountOut,
    networkFee: route.networkFee,
    gasLimit: { approve: approve.gasLimit, swap: swap.gasLimit },
    l1Fee: { approve: approve.l1Fee, swap: swap.l1Fee },
    allowance: route.allowance,
    wantsZeroFirst: route.wantsZeroFirst,
  })),
});

/** Adds the amount that would arrive for a larger trade if the same tax applied. */
export function bindableRoute(
  { pool, bridgePool, amountOut, quoted, isGuess, provenOut, networkFee, ...route }: WorkingRoute,
  ofMore: readonly PoolRoute[] = [],
): EvmQuotedRoute {
  const paid = ofMore.find((each) => isSameEvmRoute(each, route))?.amountOut ?? 0n;
  return {
    ...plainEvmRoute(route),
    pool,
    ...(bridgePool !== undefined && { bridgePool }),
    amountOut,
    quoted,
    isGuess,
    ...(provenOut !== undefined && { provenOut }),
    networkFee,
    deepOut: (paid * amountOut) / quoted,
  };
}

/** Amounts for which a host may prove that they arrive, in percent of the pool's payment, highest first. */
const shownShares = [100n, 95n, 90n, 85n, 80n];

/**
 * True if the router reverts a swap that delivers less than its minimum. For tokens from a v3 pool, nothing on chain
 * checks what arrives.
 */
const isCheckedSwap = ({ side }: SwapRequest, route: PoolRoute) => side === "sell" || checksArrival(route);

/**
 * Adds gas estimates to routes that the host could not simulate.
 *
 * @param wantsProof Whether to also ask which amounts provably arrive.
 */
export async function withEstimates(
  ask: Ask,
  chain: Pick<Chain, "configuration">,
  request: SwapRequest,
  routes: readonly WorkingRoute[],
  tag: BlockTag,
  wantsProof = false,
): Promise<readonly WorkingRoute[]> {
  const guessed = routes.filter(({ isGuess, approvals }) => isGuess && approvals === 0);
  if (guessed.length === 0) return routes;
  const { wallet: from } = request;
  const answers = await askTogether(
    ask,
    guessed.map((route) => {
      const swap = (minAmountOut: bigint) => ({
        ...encodeCall(chain.configuration, { ...swapOf(request, route), minAmountOut }, from),
        from,
      });
      const isWanted = wantsProof && isCheckedSwap(request, route) && !isListed(chain, request.token);
      return {
        estimate: attempt(gasEstimateCall(swap(1n), tag)),
        proofs: (isWanted ? amountsToShow(route) : []).map((amount) =>
          thenRead(attempt(contractCall(swap(amount), tag)), (answer) =>
            typeof answer === "string" ? amount : undefined,
          ),
        ),
      };
    }),
  );
  return routes.map((route) => {
    const { estimate, proofs = [] } = answers[guessed.indexOf(route)] ?? {};
    const provenOut = proofs.find((amount) => amount !== undefined);
    const proven = provenOut === undefined ? route : { ...route, provenOut };
    // A wallet without enough coin gets no gas estimate.
    if (typeof estimate !== "bigint") return proven;
    const swap = { ...route.gas.swap, estimate, gasLimit: least(gasLimitFor(estimate), mostGas) };
    return { ...proven, gas: { ...route.gas, swap } };
  });
}

const amountsToShow = ({ quoted }: WorkingRoute): bigint[] =>
  shownShares.map((share) => (quoted * share) / 100n);

/** Selects the best pools of each kind. */
export const routesToProbe = (routes: readonly PoolRoute[]): PoolRoute[] =>
  [routes.find(checksArrival), routes.find((route) => !checksArrival(route))].filter(
    (route) => route !== undefined,
  );

/**
 * Combines the findings about a token from pools of one kind. If they show nothing, only the other kind's negative
 * findings count: a sale through one kind of pool does not prove that the other kind can sell the token.
 */
export function safetyOfKind(
  route: Pick<PoolRoute, "venue">,
  probed: readonly PoolRoute[],
  safeties: readonly TokenSafety[],
): TokenSafety {
  const same = safeties.filter(
    (_, index) => checksArrival(probed[index] as PoolRoute) === checksArrival(route),
  );
  const own = bestSafety(same);
  const any = bestSafety(safeties);
  return own.sellable === null && (same.length === 0 || any.sellable === false) ? any : own;
}

const perPercent = 10_000;

/** Applies the tax that a stranger's sale showed if the wallet's own sale could not be simulated. */
export function afterTax(route: WorkingRoute, { side }: SwapRequest, { sellTax }: TokenSafety): WorkingRoute {
  if (!route.isGuess || side === "buy" || sellTax === null) return route;
  const left = BigInt(Math.round((100 - sellTax) * perPercent));
  return { ...route, amountOut: (route.quoted * left) / BigInt(100 * perPercent) };
}
