import type {
  Effect,
  Effects,
  Procedure,
  SignAnswer,
  SigningView,
  SignRequest,
} from "../../../../lib/orders/effects.ts";
import type { FamilyTypes } from "../../../../lib/orders/family.ts";
import { type IntentTerms, type LaneKey, termsText } from "../../../../lib/orders/intent.ts";
import type { ParentFacts } from "../../../../lib/orders/resting/tally.ts";
import type { TradeStep } from "../../../../lib/orders/table-step.ts";
import type { ModelTable } from "../table.ts";
import { mandateHash, type RestingRuns } from "./resting-runs.ts";

type Answer = Effects[keyof Effects]["answer"];

/** The signer of a family of chains. */
export type Signer<F extends FamilyTypes> = (request: SignRequest<F>) => Procedure<SignAnswer<F>>;

/** Changes what a signer reads about a child's resting order, and what it writes. */
export const faulty = <F extends FamilyTypes>(
  sign: Signer<F>,
  read: (parent: ParentFacts) => Partial<ParentFacts>,
  written: (step: TradeStep) => TradeStep = (step) => step,
): Signer<F> =>
  function* (request) {
    const procedure = sign(request);
    let next = procedure.next();
    while (!next.done) {
      const effect = next.value;
      let answer: Answer = yield effect.do === "write" ? { ...effect, step: written(effect.step) } : effect;
      if (effect.do === "readSigning") {
        const view = answer as SigningView<F>;
        answer = { ...view, parent: view.parent && { ...view.parent, ...read(view.parent) } };
      }
      next = procedure.next(answer);
    }
    return next.value;
  };

/** Authenticates an intent. A fireOrders that is taken over can do so for any child. */
export const modelMac = (intent: IntentTerms): string => `MAC of ${termsText(intent)}`;

/** Everything around a signer. */
export type SignerWorld<F extends FamilyTypes> = {
  runs: Pick<RestingRuns, "checks" | "random">;
  table: ModelTable<F>;
  chainLimits: F["limits"];
  nowMs: number;
  bytesOf(orderId: string, unsigned: F["unsigned"]): { hash: string; raw: string };
};

/** Runs a signer over the table of a model. It may stop before any effect, and then its caller gets no answer. */
export function runSigner<F extends FamilyTypes>(
  world: SignerWorld<F>,
  signer: Signer<F>,
  request: SignRequest<F>,
): SignAnswer<F> {
  const procedure = signer(request);
  let next = procedure.next();
  while (!next.done) {
    if (world.runs.random.chance(0.002)) return { later: "no answer" };
    next = procedure.next(answerTo(world, next.value));
  }
  return next.value;
}

function answerTo<F extends FamilyTypes>(world: SignerWorld<F>, effect: Effect): Answer {
  switch (effect.do) {
    case "now":
      return world.nowMs;
    case "readSigning":
      return viewOf(world, effect.request as SignRequest<F>, effect.day);
    case "signBytes":
      return world.bytesOf(effect.intent.orderId, effect.unsigned as F["unsigned"]);
    case "write":
      return world.table.write(effect.step) !== undefined;
    default:
      throw new Error(`the signer has no ${effect.do}`);
  }
}

function viewOf<F extends FamilyTypes>(
  { runs, table, chainLimits }: SignerWorld<F>,
  request: SignRequest<F>,
  day: string,
): SigningView<F> & { isClaimGenuine: boolean } {
  const { chain, wallet, userID, orderId, place, claimed } = request;
  const lane: LaneKey = { chain, wallet };
  const isCancelled = (id: string) => table.get("cancellation", { userID, orderId: id }) !== undefined;
  const parentId = claimed?.intent.parent?.orderId;
  const { mandate } = claimed ?? {};
  return {
    isClaimGenuine: claimed !== undefined && claimed.mac === modelMac(claimed.intent),
    order: table.get("order", { intent: { userID, orderId } }),
    slot: table.get("slot", { ...lane, place }),
    ledger: table.get("ledger", { orderId }),
    isRetired: false,
    isStopped: false,
    isCancelled: isCancelled(orderId),
    cutoffs: table.cutoffsOver({ ...lane, userID }),
    maxGasPrice: 10n ** 18n,
    limits: {
      stored: table.get("policy", { ...lane, userID }),
      count: table.get("day", { ...lane, userID, day }),
    },
    chainLimits,
    ...(mandate &&
      parentId !== undefined && {
        parent: {
          mandate,
          mandateHash,
          isMandateGenuine: runs.checks.isGenuine(mandate),
          tally: table.get("tally", { orderId: parentId }),
          ended: table.get("ended", { orderId: parentId }),
          isCancelled: isCancelled(parentId),
        },
      }),
  };
}
