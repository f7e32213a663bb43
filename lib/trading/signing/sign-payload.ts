import * as v from "valibot";
import { isOwnId } from "../../core/record-ids.ts";
import type { SignAnswer, SignRequest } from "../core/effects.ts";
import type { Slot } from "../core/evm/slot.ts";
import { evmChains } from "../core/trading-chain.ts";
import { packed, unpacked } from "../items/items.ts";

/** Packs a request or answer of the signer as JSON, with amounts as text. */
export const signPayload = (value: SignRequest | SignAnswer): unknown => packed(value);

const text = (pattern: RegExp) => v.pipe(v.string(), v.regex(pattern));
const wei = v.pipe(v.bigint(), v.minValue(0n), v.maxValue(2n ** 128n));

const request = v.strictObject({
  chain: v.picklist(evmChains),
  wallet: text(/^0x[\dA-Fa-f]{40}$/),
  orderId: v.pipe(v.string(), v.check(isOwnId)),
  userID: text(/^[\x20-\x7e]{1,255}$/),
  nonce: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  purpose: v.picklist(["approve", "swap", "clear"]),
  fees: v.strictObject({ maxFeePerGas: wei, maxPriorityFeePerGas: wei }),
});

const reason = v.string();
const attempt = v.looseObject({ hash: v.string() });
const slot = v.looseObject({ nonce: v.number(), attempts: v.pipe(v.array(attempt), v.minLength(1)) });
const answer = v.union([
  v.strictObject({ slot, raw: v.string() }),
  v.strictObject({ refused: reason }),
  v.strictObject({ later: reason }),
]);

/** Reads a request. Returns undefined if the payload is not one. */
export const readSignRequest = (payload: unknown): SignRequest | undefined => read(request, payload);

/** Reads an answer to a request about this nonce. Returns undefined if the payload is not one. */
export function readSignAnswer(payload: unknown, { nonce }: SignRequest): SignAnswer | undefined {
  const found = read(answer, payload);
  if (found === undefined || !("slot" in found)) return found;
  return found.slot.nonce === nonce ? { ...found, slot: found.slot as unknown as Slot } : undefined;
}

function read<Schema extends v.GenericSchema>(
  schema: Schema,
  payload: unknown,
): v.InferOutput<Schema> | undefined {
  try {
    const result = v.safeParse(schema, unpacked(payload));
    return result.success ? result.output : undefined;
  } catch {
    // An amount contains characters other than digits.
    return undefined;
  }
}
