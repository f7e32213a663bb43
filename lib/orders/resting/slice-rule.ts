import type { Objection } from "../effects.ts";
import { later, refused } from "../signing-state.ts";
import type { ChildTerms, Tally } from "./mandate.ts";
import { dueAt, type Sliced } from "./slices.ts";
import { triggerTimes } from "./times.ts";

/**
 * Returns the reason not to sign for a slice now. Its turn ends when that of the next one begins, except for a child
 * that was placed before, so that no function can sell many slices at once.
 */
export function objectionToSlice(
  { createdAt, slices }: Sliced,
  { orderId, parent: { slice } }: Pick<ChildTerms, "orderId" | "parent">,
  tally: Pick<Tally, "slices"> | undefined,
  nowMs: number,
): Objection | undefined {
  if (slices === undefined) return slice === undefined ? undefined : refused("the mandate has no slices");
  if (slice === undefined || slice < 1 || slice > slices.count)
    return refused("the mandate has no such slice");
  const { everySeconds } = slices;
  if (nowMs < dueAt(createdAt, everySeconds, slice) * 1000) return later("the slice is not due");
  const overAt = dueAt(createdAt, everySeconds, slice + 1) + triggerTimes.childSeconds;
  if (nowMs >= overAt * 1000) return later("the slice's turn is over");
  const signed = tally?.slices?.find((each) => each.slice === slice);
  return signed === undefined || signed.child === orderId ? undefined : later("the slice is used up");
}
