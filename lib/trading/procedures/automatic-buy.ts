import {
  type AutomaticFacts,
  isPaused,
  objectionToFindings,
  objectionToMore,
} from "../../orders/automatic-buy.ts";
import type { PlacingView, Procedure } from "../../orders/effects.ts";
import type { FamilyTypes } from "../../orders/family.ts";
import type { PlacingFamily } from "../../orders/placing-family.ts";
import { walletNotFound } from "../../orders/requests.ts";
import type { ItemWrite } from "../../orders/table-step.ts";
import { type AssessAnswer, assess, type TradeRequest } from "./assess.ts";

/** Assesses an order. An automatic buy is refused if the user has the token, or if its preset does not allow it. */
export function* assessAutomatic(
  family: PlacingFamily,
  request: TradeRequest,
  view: PlacingView,
  known?: FamilyTypes["facts"],
): Procedure<AssessAnswer> {
  const { automatic, chain, createdAt } = request;
  if (automatic === undefined) return yield* assess(family, request, view, known);
  if (!view.hasWallet) return { refused: walletNotFound(chain) };
  const held = objectionToMore(view.automatic as AutomaticFacts, Date.parse(createdAt));
  if (held !== undefined) return { refused: held };
  const assessed = yield* assess(family, request, view, known);
  if ("refused" in assessed) return assessed;
  // A trade is assessed only if both hosts have facts about it.
  const ofHosts = (assessed.quotes ?? []) as readonly FamilyTypes["facts"][];
  const objection = objectionToFindings(chain, automatic, assessed.facts, ofHosts);
  return objection === undefined ? assessed : { refused: objection };
}

/** Builds the write that keeps another device from buying the token, too. */
export const pauseAutomatic = ({
  automatic,
  userID,
  chain,
  trade: { token },
  createdAt,
}: TradeRequest): ItemWrite[] => {
  if (automatic === undefined) return [];
  const atMs = Date.parse(createdAt);
  return [{ kind: "put", of: "automaticBuy", item: { userID, chain, token, atMs }, when: isPaused(atMs) }];
};
