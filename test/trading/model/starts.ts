import type { Effect } from "../../../lib/orders/effects.ts";
import type { FamilyTypes } from "../../../lib/orders/family.ts";
import { waitingFor } from "../../../lib/orders/lane-reservation.ts";
import { isHeld } from "../../../lib/orders/lane-steps.ts";
import type { Lane } from "../../../lib/orders/table-step.ts";
import { labelOf, type Process, type Wake } from "./process.ts";
import { must } from "./violation.ts";

/** Checks that one run at a time holds a lane, however often and however late its runs are started. */
export class Starts {
  /** Reservations by which a run has taken a lane. */
  readonly #used = new Set<string>();
  readonly #seen: Set<string>;

  constructor(seen: Set<string>) {
    this.#seen = seen;
  }

  /** Returns what is known of a run at its start. */
  started(event: Wake, lane: Lane | undefined, clockMs: number): NonNullable<Process["start"]> {
    const heldBy = lane && isHeld(lane, clockMs) ? lane.holder : undefined;
    const { reservation, isTwin } = event;
    const isBegun = reservation !== undefined && this.#used.has(waitingFor(reservation));
    if (isTwin) this.#seen.add(isBegun ? "a twin after its twin" : "a twin before its twin");
    else if (isBegun) this.#seen.add("a run after its twin");
    const isReserved = reservation !== undefined && heldBy === waitingFor(reservation);
    return { event, heldBy: isReserved ? undefined : heldBy };
  }

  /** Checks a write before it is carried out. */
  beforeWrite<F extends FamilyTypes>({ start, clockMs }: Process<F>, lane: Lane | undefined): void {
    const isHeldAllAlong =
      start?.heldBy !== undefined && lane?.holder === start.heldBy && isHeld(lane, clockMs);
    must(!(start?.event.isTwin && isHeldAllAlong), "a twin wrote although another run held the lane");
  }

  /** Checks a write that was carried out, from the lane before it. */
  afterWrite<F extends FamilyTypes>(
    { start, clockMs }: Process<F>,
    effect: Effect,
    before: Lane | undefined,
  ): void {
    if (labelOf(effect) !== "take lease" || before?.holder === undefined) return;
    const { holder } = before;
    const reservation = start?.event.reservation;
    const isReserved = reservation !== undefined && holder === waitingFor(reservation);
    must(isReserved || !isHeld(before, clockMs), "a run took a lane that another run held");
    if (!isReserved) return;
    must(!this.#used.has(holder), "two runs took a lane by one reservation");
    this.#used.add(holder);
    this.#seen.add("a run took its reserved lane");
  }
}
