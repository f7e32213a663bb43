import type * as v from "valibot";
import type { UnauthorizedBodySchema } from "../api/error-schemas.ts";

export type UnauthorizedBody = v.InferOutput<typeof UnauthorizedBodySchema>;

/** The token is valid, but not for this operation. The response is the authorizer's 401. */
export class Unauthorized extends Error {
  override readonly name = "Unauthorized";
  readonly body: UnauthorizedBody;

  constructor(body: UnauthorizedBody) {
    super(body.error);
    this.body = body;
  }
}

const freshMs = 5 * 60_000;
/** Tolerates issuers whose clocks are ahead. */
const aheadMs = 60_000;

/** @throws {Unauthorized} if the token is too old, or lacks the time of its issue. A refresh helps. */
export function requireFreshToken(issuedAt: Date | undefined, now: Date): void {
  const ageMs = issuedAt === undefined ? Number.NaN : now.getTime() - issuedAt.getTime();
  if (!(ageMs <= freshMs && ageMs >= -aheadMs))
    throw new Unauthorized({ error: "The token must be at most 5 minutes old for this", needsRefresh: true });
}
