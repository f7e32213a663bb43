import type { Forbidden, SigningView } from "./effects.ts";
import { objectionOfKey, type ProgramFacts } from "./program-limits.ts";
import { revisionOf } from "./signing-step.ts";
import type { TradeStep } from "./table-step.ts";
import type { AnyOrder } from "./trade-order.ts";
import { counted, signedOn } from "./wallet-policy.ts";

/** What a signature adds to the counts of its day. */
export type Added = Parameters<typeof counted>[2];

/** Builds the condition that a program key is unchanged since it was read. */
export const unchangedKey = (
  { by: keyId, userID }: Pick<AnyOrder["intent"], "by" | "userID">,
  program: ProgramFacts | undefined,
): TradeStep =>
  keyId === undefined
    ? []
    : [{ kind: "check", of: "programKey", item: { userID, keyId }, when: revisionOf(program?.key) }];

/**
 * Returns the reason why the program key that placed an order forbids a transaction that could fill it. The order names
 * the key, and its MAC covers the name, as the mandate does for a child.
 *
 * @param adds What the transaction adds to the day's count, less the dead buys that it takes off.
 */
export function objectionOfProgram(
  { order, program }: Pick<SigningView, "order" | "program">,
  { amount, adds }: { amount: bigint; adds: bigint },
  nowMs: number,
): Forbidden | undefined {
  if (order?.intent.by === undefined) return undefined;
  const { chain, wallet } = order.intent;
  const rules = { key: program?.key, wallet, spent: signedOn(program?.count, nowMs).spent, nowMs };
  const objection = objectionOfKey(rules, chain, { ...order.intent, amount, adds });
  return objection && { forbidden: `the program's key forbids it: ${objection.rule}` };
}

/**
 * Builds the writes by which a transaction that can fill an order counts for its program's key, if the key is unchanged.
 * So of two orders that race at a limit, only one finds the count as it was read.
 */
export function stepOfProgram(
  { intent }: AnyOrder,
  { program }: Pick<SigningView, "program">,
  added: Added,
): TradeStep {
  const { by, userID, chain } = intent;
  const { count } = program ?? {};
  if (by === undefined) return [];
  const item = counted({ userID, chain, wallet: by }, count, added);
  return [...unchangedKey(intent, program), { kind: "put", of: "keyDay", item, when: revisionOf(count) }];
}
