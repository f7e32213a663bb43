import type { Drift } from "../plans/drift.ts";
import { harmless } from "./output.ts";

const meanings: Record<Drift["what"], string> = {
  "orphan key": "is in API Gateway, and on no record",
  "orphan plan": "is in API Gateway, and on no record",
  "left record": "a key is on record, and there is no such user",
  "not mirrored": "there is no key for the plan of their tier",
  "lost key": "is on record, and not in API Gateway",
  "detached key": "is not on its plan",
  "stale plan": "has other numbers or stages than were agreed on",
};

/** For example `alice: key 1a2b3c is not on its plan`. */
export function driftLine(drift: Drift): string {
  const thing = "id" in drift ? `${drift.what.split(" ")[1]} ${drift.id} ` : "";
  return `${harmless(drift.userID)}: ${thing}${meanings[drift.what]}`;
}
