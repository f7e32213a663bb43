import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { SignAnswer, SignRequest } from "../core/effects.ts";
import type { LaneKey } from "../core/intent.ts";
import { workLane } from "../core/work-lane.ts";
import { type Performers, runProcedure } from "./run-procedure.ts";

/** Signs transactions, and records their bytes before it returns them. */
export type Signer = (request: SignRequest) => Promise<SignAnswer>;

export type ExecutionDeps = { effects: Performers; signer: Signer; nowMs?: () => number };

/** Does everything that is possible now for the orders of a wallet, unless another run holds its lane. */
export function executeOrders(
  { effects, signer, nowMs = Date.now }: ExecutionDeps,
  { chain, wallet }: LaneKey,
): Promise<void> {
  return runProcedure(workLane({ chain, wallet }, randomUUID()), {
    ...effects,
    now: nowMs,
    pause: ({ ms }) => pause(ms),
    sign: ({ request }) => signer(request),
  });
}
