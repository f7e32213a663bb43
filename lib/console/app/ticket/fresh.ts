import type { Network } from "trading-terminal-client";
import { isAddressOn } from "../explorers.ts";
import type { ExitText } from "./exits.ts";
import { type Limits, noLimits } from "./order-limits.ts";
import { freshTerms, type OrderType, type Side, type Terms } from "./order-types.ts";

type Size = { side: Side; given: string; unit: "amount" | "percent" };

/** Switches the side, with an amount that suits it. */
export const freshSide = (side: Side): Size =>
  side === "buy" ? { side, given: "0.1", unit: "amount" } : { side, given: "100", unit: "percent" };

type Wishes = {
  type: OrderType;
  terms: Terms;
  limits: Limits;
  least: string;
  confirmation: string;
  exits: readonly ExitText[];
  isOptedOut: boolean;
};

const hasSame = <Record extends object>(a: Record, b: Record): boolean =>
  (Object.keys(b) as (keyof Record)[]).every((name) => a[name] === b[name]);

/** True if a reload would show the same ticket. The page's address keeps its chain and its token. */
export const isFresh = (
  { chain, token, wallet, side, given, unit }: Size & { chain: Network; token: string; wallet: string },
  { type, terms, limits, least, confirmation, exits, isOptedOut }: Wishes,
): boolean =>
  hasSame({ side, given, unit }, freshSide("buy")) &&
  (token === "" || isAddressOn(chain, token)) &&
  `${wallet}${least}${confirmation}` === "" &&
  type === "market" &&
  exits.length === 0 &&
  !isOptedOut &&
  hasSame(terms, freshTerms) &&
  hasSame(limits, noLimits);
