import * as v from "valibot";
import { orderItems } from "../../chains/families/schemas.ts";
import { ServiceError } from "../../core/service-error.ts";
import { endedTerms, tallyTerms } from "../../orders/resting/schemas.ts";
import { daySpend, policyRecord, programKey } from "../../orders/schemas.ts";
import type { Items } from "../../orders/table-step.ts";
import type { Item } from "../../table/table.ts";
import { contentOf } from "./items.ts";

/** Kinds of items on which the signer decides. */
export type SigningKind =
  | "order"
  | "slot"
  | "ledger"
  | "policy"
  | "day"
  | "programKey"
  | "keyDay"
  | "tally"
  | "ended";

/** Thrown if a stored item has a form that the service never writes. */
export class InvalidItem extends ServiceError {
  override readonly code = "INVALID_ITEM";
  readonly kind: SigningKind;

  constructor(kind: SigningKind) {
    super(`The stored ${kind} is invalid`);
    this.kind = kind;
  }
}

const schemas: { readonly [K in SigningKind]: v.GenericSchema<unknown, Items[K]> } = {
  ...orderItems,
  policy: policyRecord,
  day: daySpend,
  programKey,
  keyDay: daySpend,
  tally: tallyTerms,
  ended: endedTerms,
};

/**
 * Decodes a stored item for the signer.
 *
 * @throws {InvalidItem}
 */
export function parsed<K extends SigningKind>(kind: K, item: Item<object>): Items[K] {
  const schema: v.GenericSchema<unknown, Items[K]> = schemas[kind];
  try {
    return v.parse(schema, contentOf(kind, item));
  } catch {
    throw new InvalidItem(kind);
  }
}
