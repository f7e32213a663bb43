import * as v from "valibot";
import { signRequest } from "../../chains/families/schemas.ts";
import type { SignAnswer, SignRequest } from "../../orders/effects.ts";
import { count, text } from "../../orders/schema-parts.ts";
import { slotTerms } from "../../orders/schemas.ts";
import { packed, unpacked } from "../items/items.ts";

/** Encodes a request or an answer of the signer as JSON, with amounts as text. */
export const signPayload = (value: SignRequest | SignAnswer): unknown => packed(value);

const reason = v.string();
const attempt = v.looseObject({ purpose: text, hash: text, signedAtMs: count });
const attempts = v.pipe(v.array(attempt), v.minLength(1));
const slot = v.looseObject({ ...slotTerms.entries, state: text, attempts });
const answer = v.union([
  v.strictObject({ slot, raw: v.string() }),
  v.strictObject({ refused: reason }),
  v.strictObject({ later: reason }),
  v.strictObject({ forbidden: reason }),
]);

/** Reads a request to the signer. Returns undefined if the payload is not a request. */
export const readSignRequest = (payload: unknown): SignRequest | undefined => read(signRequest, payload);

/** Reads the signer's answer to a request for a slot. Returns undefined if the payload is not an answer. */
export function readSignAnswer(payload: unknown, asked: SignRequest): SignAnswer | undefined {
  const found = read(answer, payload);
  if (found === undefined || !("slot" in found)) return found;
  const isSame = found.slot.chain === asked.chain && found.slot.place === asked.place;
  return isSame ? found : undefined;
}

function read<Schema extends v.GenericSchema>(
  schema: Schema,
  payload: unknown,
): v.InferOutput<Schema> | undefined {
  try {
    const result = v.safeParse(schema, unpacked(payload));
    return result.success ? result.output : undefined;
  } catch {
    // Rejects amounts with characters other than digits.
    return undefined;
  }
}
