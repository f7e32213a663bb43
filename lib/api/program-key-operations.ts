import type { OperationSchemas } from "./operation-schema.ts";
import { CreateKeySchema, KeyAnswerSchema, KeyPathSchema, KeysAnswerSchema } from "./program-key-schema.ts";
import { NoQuerySchema } from "./scalars.ts";

export const createKey = {
  query: NoQuerySchema,
  body: CreateKeySchema,
  success: KeyAnswerSchema,
  errors: ["SIGN_IN_REQUIRED", "KEY_LIMIT_REACHED"],
  isRepeatable: true,
} as const satisfies OperationSchemas;

export const listKeys = {
  query: NoQuerySchema,
  success: KeysAnswerSchema,
} as const satisfies OperationSchemas;

export const deleteKey = {
  path: KeyPathSchema,
  query: NoQuerySchema,
  success: KeyAnswerSchema,
  errors: ["KEY_NOT_FOUND"],
} as const satisfies OperationSchemas;
