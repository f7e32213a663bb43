import type { HttpErrorCode } from "../api/errors.ts";

/** A request that cannot be read. The message names the field and quotes no value. */
export class InvalidRequest extends Error {
  override readonly name = "InvalidRequest";
  readonly code: HttpErrorCode;

  constructor(message: string, code: HttpErrorCode = "INVALID_REQUEST") {
    super(message);
    this.code = code;
  }
}
