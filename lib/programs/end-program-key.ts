import type { ProgramKeyName } from "../orders/program-key.ts";
import { type CancellingAllDeps, cancelOrdersBy } from "../trading/cancel-orders.ts";
import { revokeProgramKey, type ShownKey, shownKey } from "./program-keys.ts";

/**
 * Revokes a program key, and then cancels its open and resting orders. Nothing can be signed with the key from the
 * first write on. Repeating the request finishes what a crash has left.
 *
 * @throws {DomainError} KEY_NOT_FOUND
 */
export async function endProgramKey(
  deps: CancellingAllDeps,
  name: ProgramKeyName,
  now: Date,
): Promise<ShownKey> {
  const key = await revokeProgramKey(deps.table, name, now);
  await cancelOrdersBy(deps, name);
  return shownKey(key);
}
