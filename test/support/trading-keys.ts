import type { ProgramKey } from "../../lib/orders/program-key.ts";
import { programKey } from "./program-keys.ts";
import { intent } from "./trading.ts";

export const keyId = "pk_0123456789abcdefghij";

/** Builds a program key of the usual orders' user, which may trade anything for a day, with these changes. */
export const tradingKey = (changes: Partial<ProgramKey> = {}): ProgramKey =>
  programKey({
    userID: intent().userID,
    keyId,
    scopes: ["read", "trade"],
    endsAt: "2026-11-22T20:00:00.000Z",
    ...changes,
  });
