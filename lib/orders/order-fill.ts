import { type Slot, swapResultOf } from "../chains/evm/rules/slot.ts";
import type { AnySlot } from "../chains/families/types.ts";
import { effectiveAttempt, successOf } from "../chains/sol/rules/slot.ts";
import { type AnyOrder, slotsOf } from "./trade-order.ts";

/** The result of an order's swap, and its place in the order of a wallet's fills. */
export type FoundFill = {
  place: number;
  spent: bigint;
  received: bigint;
  timeSeconds: number;
  /** For a sale: the tokens in the wallet before. */
  held?: bigint;
};

/** Returns the fill that a block has, if any. Fills sort by nonce, and on Solana by slot. */
export function fillOfOrder(order: AnyOrder, slots: readonly AnySlot[]): FoundFill | undefined {
  const [fill] = slotsOf(order, slots).flatMap((slot) => fillIn(slot) ?? []);
  return fill;
}

function fillIn(slot: AnySlot): FoundFill | undefined {
  if ("nonce" in slot) return evmFillIn(slot);
  const receipt = effectiveAttempt(slot)?.purpose === "swap" ? successOf(slot) : undefined;
  if (receipt === undefined) return undefined;
  const { spent, received, held, block } = receipt;
  return { place: block.number, spent, received, held, timeSeconds: block.time };
}

function evmFillIn(slot: Slot): FoundFill | undefined {
  const { nonce, held } = slot;
  const result = swapResultOf(slot);
  if (result === undefined) return undefined;
  const { spent, received, receipt } = result;
  const timeSeconds = receipt.block.time;
  return { place: nonce, spent, received, timeSeconds, ...(held !== undefined && { held }) };
}
