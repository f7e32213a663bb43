import type { ErrorCode } from "../api/errors.ts";

/** A request that cannot be read. The message names the field and quotes no value. */
export class InvalidRequest extends Error {
  override readonly name = "InvalidRequest";
  readonly code: ErrorCode;

  constructor(message: string, code: ErrorCode = "INVALID_REQUEST") {
    super(message);
    this.code = code;
  }
}
