import type { DomainErrorCode } from "../domain/domain-error.ts";

/** The closed list of error codes, each with the status that carries it. Envelopes show the code itself. */
export const statusOfCode = {
  INVALID_REQUEST: 400,
  INVALID_PRIVATE_KEY: 400,
  INVALID_SETTING: 400,
  WALLET_LIMIT_REACHED: 403,
  UNSUPPORTED_MEDIA_TYPE: 415,
  INTERNAL_ERROR: 500,
} as const satisfies Record<
  DomainErrorCode | "INVALID_REQUEST" | "UNSUPPORTED_MEDIA_TYPE" | "INTERNAL_ERROR",
  number
>;

export type ErrorCode = keyof typeof statusOfCode;

/** What an error says to a caller: a code of the list and a sentence that names the field, never a cause or a stack. */
export type ErrorAnswer = { code: ErrorCode; message: string };
