import * as v from "valibot";
import type { SignRequest } from "../../orders/effects.ts";
import type { FamilyTypes } from "../../orders/family.ts";
import type { Ledger } from "../../orders/table-step.ts";
import type { TradeOrder } from "../../orders/trade-order.ts";
import { evmItems, evmRequest } from "../evm/rules/schemas.ts";
import { solItems, solRequest } from "../sol/rules/schemas.ts";
import type { Families, Family } from "./family.ts";

type ItemsOf<F extends FamilyTypes> = {
  order: TradeOrder<F>;
  slot: F["slot"];
  ledger: Ledger<F>;
};

type SchemasOf<F extends FamilyTypes> = {
  [K in keyof ItemsOf<F>]: v.GenericSchema<unknown, ItemsOf<F>[K]>;
};

const families = {
  evm: evmItems,
  sol: solItems,
} satisfies { [F in Family]: SchemasOf<Families[F]> };

const requests = {
  evm: evmRequest,
  sol: solRequest,
} satisfies { [F in Family]: v.GenericSchema<unknown, SignRequest<Families[F]>> };

const ofAll = Object.values(families);

/** The schemas of an order's items that the signer relies on, for chains of any family. */
export const orderItems = {
  order: v.union(ofAll.map(({ order }) => order)),
  slot: v.union(ofAll.map(({ slot }) => slot)),
  ledger: v.union(ofAll.map(({ ledger }) => ledger)),
};

/** A signing request, on a chain of any family. */
export const signRequest = v.union(Object.values(requests));
