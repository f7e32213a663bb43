/** Warnings about a token. None of them blocks its sale. */
export const tokenFlags = [
  /** The token is not among those shown to users. */
  "NOT_LISTED",
  /** It has the symbol of a listed token, at another address. */
  "IMPERSONATES",
  /** Its name or symbol cannot be shown unchanged. */
  "ODD_METADATA",
  "TAXED",
  /** It delivers less than was sent, though not because of a tax. */
  "TRANSFER_LOSS",
  "CANNOT_SELL",
  "SELLABILITY_UNKNOWN",
  "LOW_LIQUIDITY",
] as const;

export type TokenFlag = (typeof tokenFlags)[number];
