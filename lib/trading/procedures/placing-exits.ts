import { placingOf } from "../../chains/families/place.ts";
import { DomainError } from "../../core/domain-error.ts";
import { formatPrice } from "../../orders/decimal-text.ts";
import { type PlacingView, type Procedure, perform } from "../../orders/effects.ts";
import type { Assessed } from "../../orders/placing-family.ts";
import { isTooClose } from "../../orders/resting/exits/entry.ts";
import type { GivenExit } from "../../orders/resting/exits/given.ts";
import { type BuyFacts, exitMandates } from "../../orders/resting/exits/mandates.ts";
import { roundTripOf } from "../../orders/resting/exits/round-trip.ts";
import { newResting } from "../../orders/resting/life.ts";
import type { Mandate } from "../../orders/resting/mandate.ts";
import { outAt, type Ratio } from "../../orders/resting/prices.ts";
import { restingStep } from "../../orders/resting/resting-step.ts";
import { newStored, type StoredResting } from "../../orders/resting/stored.ts";
import { pricedLegs } from "../../orders/resting/trailing.ts";
import type { TradeStep } from "../../orders/table-step.ts";
import type { AskedTrade } from "../../orders/trade.ts";
import type { TradeRequest } from "./assess.ts";

export const lacksExits = ({ side, exits }: AskedTrade): boolean => side === "buy" && exits === undefined;

/** Adds the exits of the user's preset to a buy that names none. */
export const withExits = <Trade extends AskedTrade, Request extends TradeRequest<Trade>>(
  request: Request,
  { exits }: PlacingView,
): Request => (exits === undefined ? request : { ...request, trade: { ...request.trade, exits } });

export type ExitsBuy = Omit<BuyFacts, "decimals" | "feeOfChild" | "isPrivate" | "maxGasPrice">;

/** Makes the mandates of a buy's exits, unless the token could not be sold, or one of them would sell at once. */
export function exitsOf(
  given: readonly GivenExit[],
  buy: ExitsBuy,
  assessed: Assessed,
): readonly Mandate[] | { refused: DomainError } {
  if (given.length === 0) return [];
  const { facts, check } = assessed;
  const family = placingOf(buy.chain);
  const maxGasPrice = family.gasPriceIn(check);
  const mandates = exitMandates(given, {
    ...buy,
    decimals: facts.identity.decimals,
    feeOfChild: family.feeOfSale(assessed),
    isPrivate: check.submission === "private",
    ...(maxGasPrice !== undefined && { maxGasPrice }),
  });
  const refused = objectionToSales(assessed) ?? objectionToBirth(mandates, buy.quoted, assessed);
  return refused === undefined ? mandates : { refused };
}

function objectionToSales({
  facts,
  check,
  quotes = [undefined, undefined],
}: Assessed): DomainError | undefined {
  const isRouted = quotes
    .map((quote) => placingOf(check.chain).byOwnPools(quote))
    .every((each) => !(each instanceof DomainError));
  const isSold = facts.safety.sellable !== false;
  if (isRouted && isSold) return undefined;
  const message = "Exits could not sell the token; place the order with exits: []";
  return new DomainError("EXITS_UNAVAILABLE", message, {
    reason: isSold ? "ROUTE_NEEDS_JUPITER" : "CANNOT_SELL",
  });
}

/** Refuses exits whose stop would fire at once, because a buy that is sold again loses fees and taxes. */
function objectionToBirth(
  mandates: readonly Mandate[],
  quoted: Ratio,
  { facts, check }: Assessed,
): DomainError | undefined {
  const { chain } = check;
  const sold = roundTripOf(quoted, facts.safety, placingOf(chain).feesBps(facts));
  const entry = { spent: quoted.coins, received: quoted.tokens };
  const exit = mandates.findIndex((mandate) => {
    const out = outAt("sell", sold, mandate.amount);
    return pricedLegs({ mandate, entry }).some((leg) => isTooClose(leg, mandate.amount, out));
  });
  if (exit < 0) return undefined;
  const text = ({ coins, tokens }: Ratio) => formatPrice(chain, coins, tokens, facts.identity.decimals);
  const [price, roundTrip] = [text(quoted), text(sold)];
  const message = `Sold again at once, a token would bring ${roundTrip}; the stop of exit ${exit + 1} must be at least 3 % below that`;
  return new DomainError("WOULD_FIRE_NOW", message, { price, roundTrip, exit });
}

/** Proves exits, and builds the step that lets them wait for their buy. */
export function* makingExits(
  mandates: readonly Mandate[],
  { symbol, baseSymbol, decimals, createdAt }: StoredResting["placed"],
  rest: Pick<StoredResting, "tableId" | "choices">,
): Procedure<TradeStep> {
  const placed = { symbol, ...(baseSymbol !== undefined && { baseSymbol }), decimals, createdAt };
  const steps: TradeStep[] = [];
  for (const mandate of mandates) {
    const mac = yield* perform({ do: "makeMandateMac", mandate });
    const order = newStored(newResting(mandate, mac), placed, { ...rest, warnings: [] });
    steps.push(restingStep(order, "absent"));
  }
  return steps.flat();
}
