/** The token was issued too long ago for what is asked. A refresh helps. */
export class StaleToken extends Error {
  override readonly name = "StaleToken";

  constructor() {
    super("The token must be at most 5 minutes old for this");
  }
}

const freshMs = 5 * 60_000;
/** For clocks of issuers that are ahead. */
const aheadMs = 60_000;

/** @throws {StaleToken} also if the token does not say when it was issued. */
export function requireFreshToken(issuedAt: Date | undefined, now: Date): void {
  const ageMs = issuedAt === undefined ? Number.NaN : now.getTime() - issuedAt.getTime();
  if (!(ageMs <= freshMs && ageMs >= -aheadMs)) throw new StaleToken();
}
