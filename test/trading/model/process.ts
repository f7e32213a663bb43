import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import type { EvmHostQuote } from "../../../lib/chains/evm/rules/trade-facts.ts";
import type { Effect, Effects, Procedure } from "../../../lib/orders/effects.ts";
import type { FamilyTypes } from "../../../lib/orders/family.ts";
import type { LaneKey } from "../../../lib/orders/intent.ts";
import type { TradeStep } from "../../../lib/orders/table-step.ts";
import type { RunStart } from "../../../lib/trading/procedures/work-lane.ts";
import type { System } from "./system.ts";

/** Event that starts a run on a lane. */
export type Wake = LaneKey & Pick<RunStart, "reservation"> & { isTwin?: boolean | undefined };

/** One run of a procedure, stopped before its next effect. */
export type Process<F extends FamilyTypes = Evm> = {
  id: number;
  name: keyof System;
  procedure: Procedure<unknown>;
  /** Effect that the process performs next. */
  effect: Effect;
  lane?: LaneKey;
  /** Event that started the run, and the run that held the lane at that time. */
  start?: { event: Wake; heldBy: string | undefined };
  skewMs: number;
  /** Time that the process last read from its clock. */
  clockMs: number;
  isFrozen: boolean;
  /** Signer for which the process waits. */
  signer?: Process<F>;
  /** True if trading was stopped when the process read the table. */
  sawStop: boolean;
  /** Limits of the chain as this machine is configured. */
  chainLimits: F["limits"];
  /** Last snapshot of each host. */
  snapshots: Map<0 | 1, F["snapshot"] | undefined>;
  /** The hosts' last quotes, without their lies. */
  quotes: readonly EvmHostQuote[];
  /** Receives the result when the process ends. */
  onEnd: (end: End) => void;
};

export type End = { result: unknown } | { failure: string };

export type Answer = Effects[keyof Effects]["answer"];

/** Describes an effect, to name the crashes that happen after it. */
export function labelOf(effect: Effect): string {
  return effect.do === "write" ? labelOfStep(effect.step) : effect.do;
}

function labelOfStep(step: TradeStep): string {
  const puts = new Map(step.flatMap((write) => (write.kind === "put" ? [[write.of, write] as const] : [])));
  if (puts.has("key")) return "place";
  if (puts.has("lane")) return "take lease";
  if (puts.has("cancellation")) return "record cancellation";
  if (puts.has("ledger")) return "write signature";
  if (step.some(({ kind }) => kind === "raise")) return "cut off";
  const [lane] = step.flatMap((write) => (write.kind === "change" ? [write] : []));
  if (lane?.add?.jobs === -1) return "settle";
  if (lane !== undefined && step.length === 1) return lane.set?.watch !== undefined ? "leave" : "take lease";
  if (step.some((write) => write.kind === "remove" && write.of === "lane")) return "delete lane";
  const slot = puts.get("slot");
  const state = slot?.of === "slot" ? slot.item.state : undefined;
  if (state === "planned") return "plan";
  if (state === "mined") return puts.has("book") ? "record fill" : "record receipt";
  if (state === "taken") return "record nonce taken";
  if (state === "signed") return "record sending";
  return step.some((write) => write.kind === "remove" && write.of === "slot") ? "void" : "write order";
}
