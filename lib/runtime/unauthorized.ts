import type * as v from "valibot";
import type { UnauthorizedBodySchema } from "../api/error-schemas.ts";
import { ServiceError } from "../core/service-error.ts";

export type UnauthorizedBody = v.InferOutput<typeof UnauthorizedBodySchema>;

/** Reports that the token is valid, but not accepted for this operation. The response is the authorizer's 401. */
export class Unauthorized extends ServiceError {
  override readonly code = "UNAUTHORIZED";
  readonly body: UnauthorizedBody;

  constructor(body: UnauthorizedBody) {
    super(body.error);
    this.body = body;
  }
}
