import type * as v from "valibot";
import type { UnauthorizedBodySchema } from "../api/errors.ts";

export type UnauthorizedBody = v.InferOutput<typeof UnauthorizedBodySchema>;

/** The token is valid, but not for this. The request ends in a 401, as if the authorizer had refused it. */
export class Unauthorized extends Error {
  override readonly name = "Unauthorized";
  readonly body: UnauthorizedBody;

  constructor(body: UnauthorizedBody) {
    super(body.error);
    this.body = body;
  }
}

const freshMs = 5 * 60_000;
/** For clocks of issuers that are ahead. */
const aheadMs = 60_000;

/** @throws {Unauthorized} also if the token does not say when it was issued. A refresh helps. */
export function requireFreshToken(issuedAt: Date | undefined, now: Date): void {
  const ageMs = issuedAt === undefined ? Number.NaN : now.getTime() - issuedAt.getTime();
  if (!(ageMs <= freshMs && ageMs >= -aheadMs))
    throw new Unauthorized({ error: "The token must be at most 5 minutes old for this", needsRefresh: true });
}
