import type { Address } from "@solana/web3.js";
import { inPartsOf } from "../../../core/in-parts.ts";
import type { Lamports, TokenUnits } from "../../../core/units.ts";
import { least } from "../../../orders/bigints.ts";
import { coinUnitsFrom } from "../../../orders/decimal-text.ts";
import type { Question } from "../../../orders/effects.ts";
import { type Ask, askTogether } from "../../hosts/ask-together.ts";
import { unlessHostFails } from "../../hosts/host-fault.ts";
import type { RpcHost } from "../../hosts/rpc-host.ts";
import { markerOf } from "../calls/addresses.ts";
import { type BlockhashExchange, confirming } from "../calls/blockhash-exchange.ts";
import type { OpenedAccount } from "../calls/pool-view.ts";
import {
  type Accounts,
  accountsCall,
  chainTimeCall,
  final,
  messageFeeCall,
  mostAccounts,
  rentCall,
  type Simulation,
  simulationCall,
} from "../calls/rpc-call.ts";
import { type Payment, paymentsOf, type TokenView, tokenViewCall } from "../calls/token-view.ts";
import {
  landedCall,
  mostStatuses,
  type RecentBlockhash,
  recentBlockhashCall,
  statusesCall,
} from "../calls/transaction-call.ts";
import { addressesIn, venueOfPool } from "../messages/order-message.ts";
import { readReceipt } from "../messages/read-receipt.ts";
import { attemptMessage, obstaclesIn, type Trial } from "../messages/trial-messages.ts";
import type { JupiterOffer } from "../quotes/ask-jupiter.ts";
import { lackingRent, marketCalls, maybe, wsolBytes } from "../quotes/look-at-token.ts";
import {
  arrivedIn,
  baseFeeIn,
  type JupiterTrial,
  type JupiterTried,
  jupiterCalls,
  jupiterTrial,
} from "../quotes/try-jupiter.ts";
import type { Sol } from "../rules/family.ts";
import { tipAccountFor } from "../rules/fees.ts";
import {
  payingByPool,
  type SolOrderFacts,
  type SolPayingRoute,
  type SolSnapshot,
} from "../rules/host-snapshot.ts";
import { isSameSolRoute, type SolIntent } from "../rules/intent.ts";
import type { PoolMessageRoute } from "../rules/message-route.ts";
import { unitLimitFor, usualUnits } from "../rules/trade-fees.ts";
import { isMarker, markerBytes } from "../venues/instructions.ts";
import { enforcing, type SwapByJupiter } from "../venues/jupiter-venue.ts";
import type { SolReader } from "../venues/reader.ts";

type Chain = Pick<SolReader, "configuration" | "onJupiterFault">;

/**
 * Asks Jupiter for an order's next swap. All hosts simulate the same offer. Undefined if Jupiter gives no usable
 * answer.
 */
export type OfferForOrder = (swap: SwapByJupiter) => Promise<JupiterOffer | undefined>;

/** One host's snapshot and, if a blockhash is needed, what the host says about blockhashes. */
export type SolSight = {
  snapshot: SolSnapshot;
  /** The host's newest blockhash. */
  recent?: RecentBlockhash | undefined;
  /** The exchanged blockhash. Absent if the host does not know it. */
  agreed?: RecentBlockhash | undefined;
};

/** Asks one host about a wallet. Undefined if the host fails. */
export async function sightOfSol(
  host: RpcHost,
  chain: Chain,
  question: Question<Sol>,
  offerFor: OfferForOrder = async () => undefined,
  exchange?: BlockhashExchange,
): Promise<SolSight | undefined> {
  return unlessHostFails(takeSight((calls) => host.request(calls), chain, question, offerFor, exchange));
}

/**
 * Asks in two rounds: first for the final height, then for the markers at the same or a later slot. If an order's
 * marker is then missing, no block up to that height has filled the order. The hosts exchange blockhashes in between.
 */
async function takeSight(
  ask: Ask,
  { configuration, onJupiterFault }: Chain,
  { wallet, hashes, marked, parents, orders, missed = [], wantsBlockhash }: Question<Sol>,
  offerFor: OfferForOrder,
  exchange?: BlockhashExchange,
): Promise<SolSight> {
  const views = await Promise.all(
    orders.map(({ token, routes }) => {
      const onRaydium = routes.filter((route) => route.venue === "raydium-cpmm");
      const isOnPump = routes.some(({ venue }) => venue === "pump" || venue === "pumpswap");
      const pools = {
        cpmmConfigs: [...new Set(onRaydium.map(({ config }) => config as Address))],
        named: onRaydium.map(({ pool }) => pool),
        pumpTable: isOnPump ? (configuration.pumpTable as Address | undefined) : undefined,
      };
      return tokenViewCall(token as Address, pools, final, wallet as Address);
    }),
  );
  const head = await askTogether(ask, {
    time: chainTimeCall(final),
    own: accountsCall([wallet], final),
    statuses: inPartsOf(mostStatuses, hashes).map(statusesCall),
    recent: wantsBlockhash || orders.length > 0 ? [recentBlockhashCall()] : [],
    rents: {
      marker: rentCall(markerBytes, final),
      wsol: orders.length === 0 ? [] : [rentCall(wsolBytes, final)],
    },
    views,
  });
  const [recent] = head.recent;
  const naming = recent && exchange?.give(recent);
  const rents = { marker: head.rents.marker, wsol: head.rents.wsol[0] ?? 0n };
  const plans = await Promise.all(
    orders.map((intent, index) =>
      planOf(intent, head.views[index], {
        blockhash: recent?.hash ?? "",
        rents,
        offerFor,
        onFault: onJupiterFault,
        tipAccount: tipAccountFor(intent.orderId, configuration.relay?.tipAccounts ?? []),
      }),
    ),
  );
  const found = head.statuses
    .flat()
    .flatMap((slot, index) => (slot === undefined ? [] : [{ hash: hashes[index] as string, slot }]));
  const markers = await Promise.all(
    marked.map((orderId) => markerOf(wallet as Address, parents?.get(orderId) ?? orderId)),
  );
  const { slot, blockHeight } = head.time;
  // A block above this height may still contain a fill.
  const newest = Math.max(slot, ...found.map((each) => each.slot));
  const confirmation = confirming(await naming, recent);
  const facts = await askTogether(ask, {
    missed: await Promise.all(
      missed.map((token) =>
        tokenViewCall(token as Address, {}, { ...final, minContextSlot: newest }, wallet as Address),
      ),
    ),
    markers: inPartsOf(mostAccounts, markers).map((part) =>
      accountsCall(part, { ...final, minContextSlot: slot }),
    ),
    landed: found.map(({ hash }) => landedCall(hash)),
    plans: plans.map(({ calls }) => calls),
    known: confirmation.calls,
  });
  const marks = facts.markers.flatMap(({ accounts }) => accounts);
  const receipts = await Promise.all(
    found.map(({ hash }, index) => {
      const landed = facts.landed[index];
      return landed && readReceipt(wallet, hash, landed);
    }),
  );
  const baseFeeLamports = coinUnitsFrom("sol", configuration.baseFee, "baseFee");
  return {
    recent,
    agreed: confirmation.agreed(facts.known),
    snapshot: {
      height: { slot, blockHeight },
      coins: head.own.accounts[0]?.lamports ?? 0n,
      rentLamports: { marker: rents.marker },
      orders: new Map(
        plans.flatMap(({ intent, shown }, index) => {
          const answers = facts.plans[index];
          return shown && answers
            ? [[intent.orderId, factsOf(intent, shown, answers, { rents, baseFeeLamports })]]
            : [];
        }),
      ),
      held: new Map(
        missed.flatMap((token, index) => {
          const owned = facts.missed[index]?.holding?.owned;
          return owned === undefined ? [] : [[token, owned] as const];
        }),
      ),
      receipts: new Map(receipts.flatMap((receipt) => (receipt ? [[receipt.hash, receipt]] : []))),
      markers: new Map(marked.map((orderId, index) => [orderId, isMarker(marks[index])])),
    },
  };
}

type Rents = { marker: Lamports; wsol: Lamports };

/** The routes of an order that pay, for the amount that the wallet can spend now. Jupiter's route comes first. */
type Shown = {
  held: TokenUnits | undefined;
  pools: readonly TriedPool[];
  jupiter: JupiterTrial | undefined;
};

type TriedPool = {
  routed: PoolMessageRoute;
  amountOut: bigint;
  message: Uint8Array;
  /**
   * The message with the usual unit limit. Hosts state its base fee, because the actual limit is known only after the
   * simulation. If the fee depends on the limit and is too low, the signer's refusal shows it.
   */
  priced: Uint8Array;
  opened: readonly OpenedAccount[];
};

const openedBy = (pools: readonly TriedPool[]): OpenedAccount[] => pools.flatMap(({ opened }) => opened);

type Planning = {
  blockhash: string;
  rents: Rents;
  offerFor: OfferForOrder;
  tipAccount: string | undefined;
  onFault: SolReader["onJupiterFault"];
};

/** Prepares the questions about an order. Its token may not exist, or may not be tradable. */
async function planOf(intent: SolIntent, view: TokenView | undefined, planning: Planning) {
  const { side } = intent;
  const { blockhash, rents } = planning;
  const nothing = { fee: [], tried: [], rent: [], jupiter: [], market: [] };
  if (view?.holding === undefined) return { intent, shown: undefined, calls: nothing };
  const { units, owned, hasAccount } = view.holding;
  // Counts frozen tokens as held, although no pool takes them.
  const held = side === "sell" ? owned : undefined;
  const isFrozen = held !== undefined && units < held;
  const amountIn = held === undefined || held === 0n ? intent.amount : least(held, intent.amount);
  const payments = paymentsOf(view, side, amountIn).filter(
    ({ pool }) => !isFrozen && intent.routes.some((route) => isSameSolRoute(route, pool.route)),
  );
  const trial = { ...addressesIn(intent), blockhash, rents };
  const triedBy = async ({ pool, amountOut }: Payment): Promise<TriedPool[]> => {
    const routed = await pool.routeFor(side, amountIn);
    const attempt = { side, amountIn, venue: venueOfPool(routed) };
    const [message, priced] = await Promise.all([
      attemptMessage(trial, attempt),
      attemptMessage(trial, attempt, usualUnits),
    ]);
    const opened = await pool.opened(side, trial.wallet);
    return message && priced ? [{ routed, amountOut, message, priced, opened }] : [];
  };
  const [pools, jupiter] = await Promise.all([
    Promise.all(payments.map(triedBy)).then((tried) => tried.flat()),
    mayUseJupiter(intent) && !isFrozen && held !== 0n
      ? trialByJupiter(intent, view, trial, amountIn, planning)
      : undefined,
  ]);
  const shown: Shown = { held, jupiter, pools };
  const calls = {
    fee: pools.slice(0, 1).map(({ priced }) => messageFeeCall(priced, final)),
    tried: pools.map(({ message }) => maybe(simulationCall(message, final))),
    rent: side === "buy" && !hasAccount ? [rentCall(view.mint.accountBytes, final)] : [],
    jupiter: jupiter ? [jupiterCalls(jupiter)] : [],
    market: marketCalls(openedBy(pools)),
  };
  return { intent, shown, calls };
}

const mayUseJupiter = ({ routes }: SolIntent): boolean =>
  routes.some(({ venue }) => venue === "jupiter-metis");

async function trialByJupiter(
  { orderId, side }: SolIntent,
  { mint: { decimals } }: TokenView,
  trial: Trial,
  amountIn: bigint,
  { offerFor, onFault, tipAccount }: Planning,
): Promise<JupiterTrial | undefined> {
  const { wallet, mint, tokenProgram } = trial;
  const offer = await offerFor({ wallet, orderId, side, mint, tokenProgram, decimals, amountIn });
  return jupiterTrial({ trial, side, amountIn, orderId, offer, tipAccount, onFault });
}

type Answers = {
  jupiter: readonly JupiterTried[];
  fee: readonly (Lamports | undefined)[];
  tried: readonly (Simulation | undefined)[];
  rent: readonly Lamports[];
  market: readonly Accounts[];
};

/**
 * Omits routes whose trade fails because the pool refuses it or because the wallet no longer owns its token account. A
 * simulation without a result proves nothing.
 */
function factsOf(
  intent: SolIntent,
  { held, pools, jupiter }: Shown,
  { fee, tried, rent: [token = 0n], jupiter: [answer], market: [found] }: Answers,
  { rents, baseFeeLamports }: { rents: Rents; baseFeeLamports: Lamports },
): SolOrderFacts {
  const simulations = [...tried, answer?.simulation];
  const units = simulations.map((each) => (each?.isDone ? each.computeUnits : 0));
  const obstacles = obstaclesIn([
    ...pools.map(({ routed }, index) => ({ simulation: tried[index], venue: routed.route.venue })),
    { simulation: answer?.simulation, venue: "jupiter-metis" },
  ]);
  const arrived = jupiter && answer && arrivedIn(jupiter, answer);
  const ofJupiter = answer?.fee === undefined ? undefined : baseFeeIn(answer.fee);
  return {
    ...(held !== undefined && { held }),
    ...(obstacles.includes("coins") && { lacksCoins: true }),
    routes: [
      ...pools
        .filter((_, index) => obstacles[index] !== "trade")
        .map(({ routed, amountOut }) => payingByPool(routed, amountOut)),
      ...(jupiter && arrived !== undefined ? [payingRoute(intent, jupiter, arrived)] : []),
    ],
    ...(mayUseJupiter(intent) &&
      arrived === undefined &&
      obstacles.at(-1) === undefined && { lacksBuild: true }),
    computeUnitLimit: unitLimitFor(Math.max(0, ...units)),
    baseFeeLamports: fee[0] ?? ofJupiter ?? baseFeeLamports,
    rents: {
      marker: rents.marker,
      wsol: rents.wsol,
      token,
      market: lackingRent(openedBy(pools), found, rents),
    },
  };
}

/** Makes Jupiter's program enforce the order's exact minimum. */
function payingRoute(
  { minAmountOut }: SolIntent,
  { offer }: JupiterTrial,
  amountOut: bigint,
): SolPayingRoute {
  const { helper, sourceDecimals, accounts, data } = enforcing(offer.venue, minAmountOut);
  const build = { helper, sourceDecimals, accounts, data: Buffer.from(data).toString("base64") };
  return { venue: "jupiter-metis", amountOut, build };
}
