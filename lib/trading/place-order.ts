import { readAddress } from "../chains/families/address.ts";
import type { Chains } from "../chains/families/open-chains.ts";
import type { TradeQuote } from "../chains/families/quote.ts";
import { beginQuotesBy, setupOn, shownOn } from "../chains/families/quote.ts";
import { ChainUnavailable } from "../chains/hosts/host-fault.ts";
import { requireKey } from "../core/idempotency-key.ts";
import { orderIdFor } from "../core/record-ids.ts";
import { isFreshSignIn } from "../core/sign-in.ts";
import { coinUnitsFrom } from "../orders/decimal-text.ts";
import type { Procedure } from "../orders/effects.ts";
import type { Order } from "../orders/execution.ts";
import { submissionOf } from "../orders/order-details.ts";
import type { PresetWarning } from "../orders/preset.ts";
import { type QuoteWarning, warningsOfOrder } from "../orders/quote-warnings.ts";
import { unsupportedChain } from "../orders/requests.ts";
import { checkExits } from "../orders/resting/exits/mandates.ts";
import type { RestingRequest } from "../orders/resting/request.ts";
import type { AskedTrade } from "../orders/trade.ts";
import { shownOrder } from "../orders/trade-order.ts";
import type { AutomaticRequest, PlaceOrderRequest } from "../orders/trade-request.ts";
import type { Table } from "../table/table.ts";
import { type Performers, runProcedure } from "./execution/run-procedure.ts";
import { tableEffects } from "./execution/table-effects.ts";
import { fingerprintOf } from "./idempotency.ts";
import { readPlacing } from "./items/views.ts";
import type { PlacingRefusal, TradeRequest } from "./procedures/assess.ts";
import type { KeyedRequest } from "./procedures/keyed-request.ts";
import { type PlaceAnswer, placing, trying } from "./procedures/placing.ts";
import type { Macs } from "./signing/intent-mac.ts";

export type PlacingDeps = {
  table: Table;
  chains: Chains;
  macs: Pick<Macs, "makeMac" | "makeMandateMac">;
  /** Id of the table. */
  tableId: string;
  /** Starts the watch over prices, unless a run is alive. */
  startTriggers: () => void | Promise<void>;
  /** True if orders that could lose more than half of their value need a recent sign-in. */
  lossSignIn: boolean;
  /** Wakes the lane of a wallet. */
  wake: NonNullable<Performers["wake"]>;
};

export type Placement<Body = PlaceOrderRequest> = {
  userID: string;
  now: Date;
  /** Time at which the request arrived, which its order gets as its time. By default now. */
  receivedMs?: number | undefined;
  signedInAt: Date | undefined;
  key: string | undefined;
  /** The program key of the caller. Absent for users. */
  by?: string | undefined;
  body: Body;
};

export type PlacedMarketOrder = {
  order: Order;
  warnings: (QuoteWarning | PresetWarning)[];
  isReplayed: boolean;
};

export type PlacedOrder = PlacedMarketOrder | { dryRun: true; quote: TradeQuote };

/**
 * Places an order once for each user and key, or shows the result without placing it.
 *
 * @throws {DomainError} for each reason to refuse the order. In that case nothing is recorded, and the key stays
 * unused.
 * @throws {ChainUnavailable} if no two hosts of the chain agree.
 */
export async function placeOrder(deps: PlacingDeps, { key, ...asked }: Placement): Promise<PlacedOrder> {
  const { now, body } = asked;
  const request = tradeRequest(deps, asked);
  if (body.dryRun === true) {
    const answer = await unrefused(trying(request), performersOf(deps, request));
    return { dryRun: true, quote: shownOn(request.chain, request.wallet, request.trade, answer, now) };
  }
  const placement = { ...request, ...keyed({ ...asked, key }), tableId: deps.tableId };
  return shownPlaced(await unrefused(placing(placement), performersOf(deps, request)));
}

export function shownPlaced({
  order,
  isReplayed,
}: Extract<PlaceAnswer, { order: unknown }>): PlacedMarketOrder {
  const { minAmountOut: least, quotedOut: quoted } = order.intent;
  const warnings = warningsOfOrder(submissionOf(order.intent), { least, quoted });
  return { order: shownOrder(order), warnings, isReplayed };
}

/** Checks everything that depends only on the body, except whether the key was already used. */
export function tradeRequest<Body extends AskedTrade & Pick<PlaceOrderRequest, "chain" | "wallet">>(
  { chains, lossSignIn }: Pick<PlacingDeps, "chains" | "lossSignIn">,
  { userID, now, receivedMs = now.getTime(), signedInAt, by, body }: Omit<Placement<Body>, "key">,
): TradeRequest<Body> {
  const { chain, side, amount = "", minAmountOut } = body;
  const wallet = readAddress(chain, body.wallet, "wallet");
  const pool = body.pool === undefined ? undefined : readAddress(chain, body.pool, "pool");
  const trade = { ...body, token: readAddress(chain, body.token, "token"), pool };
  checkExits(chain, body.exits ?? []);
  if (side === "buy") coinUnitsFrom(chain, amount, "amount");
  else if (minAmountOut !== undefined) coinUnitsFrom(chain, minAmountOut, "minAmountOut");
  const reader = chains.get(chain);
  const setup = reader === undefined ? unsupportedChain(chains) : setupOn(reader);
  const mayLose = !lossSignIn || isFreshSignIn(signedInAt, now);
  // Allows for clocks that differ: no order is from the future.
  const createdAt = new Date(Math.min(receivedMs, now.getTime())).toISOString();
  return { chain, wallet, userID, createdAt, trade, setup, mayLose, by };
}

export function performersOf(
  { table, chains, macs, wake, startTriggers }: PlacingDeps,
  request: TradeRequest,
) {
  const reader = chains.get(request.chain);
  // Asks hosts while the table is read, although the order may be refused, or may exist already.
  const begun = reader && beginQuotesBy(reader, request);
  return {
    write: tableEffects(table).write,
    readPlacing: (ask) => readPlacing(table, ask),
    quote({ question }) {
      if (begun === undefined) throw unsupportedChain(chains);
      return begun.finish(question);
    },
    makeMac: ({ intent }) => macs.makeMac(intent),
    makeMandateMac: ({ mandate }) => macs.makeMandateMac(mandate),
    startTriggers: async () => {
      await startTriggers();
      return undefined;
    },
    now: () => Date.now(),
    wake,
  } satisfies Performers;
}

/** @throws {DomainError} IDEMPOTENCY_KEY_MISSING */
export function keyed({
  userID,
  now,
  key,
  body,
}: Placement<PlaceOrderRequest | RestingRequest | AutomaticRequest>): KeyedRequest {
  requireKey(key, "places no second order");
  return { userID, orderId: orderIdFor(userID, key, now), key, fingerprint: fingerprintOf(body) };
}

/** Runs a procedure, and throws the reason if it refuses the request. */
export async function unrefused<Answer extends object>(
  procedure: Procedure<Answer | { refused: PlacingRefusal }>,
  performers: Performers,
): Promise<Answer> {
  const answer = await runProcedure(procedure, performers);
  if (!("refused" in answer)) return answer;
  const { refused } = answer;
  throw refused === "CHAIN_UNAVAILABLE" ? new ChainUnavailable("No two hosts agree on the trade") : refused;
}
