/** What is odd about a token. None of it keeps a user from selling. */
export const tokenFlags = [
  /** It is not among the tokens that users are shown. */
  "NOT_LISTED",
  /** It has the symbol of a listed token, at another address. */
  "IMPERSONATES",
  /** Its name or symbol cannot be shown as it is. */
  "ODD_METADATA",
  "TAXED",
  /** It delivers less than was sent, and not because of a tax. */
  "TRANSFER_LOSS",
  "CANNOT_SELL",
  "SELLABILITY_UNKNOWN",
  "LOW_LIQUIDITY",
] as const;

export type TokenFlag = (typeof tokenFlags)[number];
