import type * as v from "valibot";
import type { RestOperationName } from "../operations/operations.ts";
import * as devices from "./device-operations.ts";
import * as exports from "./export-operations.ts";
import * as markets from "./market-operations.ts";
import type { OperationSchemas } from "./operation-schema.ts";
import * as programs from "./program-key-operations.ts";
import * as rewards from "./reward-operations.ts";
import * as trading from "./trading-operations.ts";
import * as users from "./user-operations.ts";
import * as wallets from "./wallet-operations.ts";

/** Inputs and outputs of all operations. Each function imports only its own, and from this file only types. */
export const schemas = {
  ...wallets,
  ...users,
  ...rewards,
  ...trading,
  ...markets,
  ...exports,
  ...programs,
  ...devices,
} as const satisfies Record<RestOperationName, OperationSchemas>;

export type Schemas = typeof schemas;
type InputPart<Name extends RestOperationName, Part extends string> = Schemas[Name] extends {
  [P in Part]: infer Schema extends v.GenericSchema;
}
  ? v.InferOutput<Schema>
  : undefined;

/** Parsed request of an operation. Parts without a schema are undefined. */
export type Request<Name extends RestOperationName> = {
  path: InputPart<Name, "path">;
  query: InputPart<Name, "query">;
  headers: InputPart<Name, "headers">;
  body: InputPart<Name, "body">;
};

/** The body of an operation's successful response. */
export type Success<Name extends RestOperationName> = v.InferInput<Schemas[Name]["success"]>;
