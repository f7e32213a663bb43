/** Warnings about a token. None of them blocks its sale. */
export const tokenFlags = [
  /** The token is not on the list shown to users. */
  "NOT_LISTED",
  /** It has the symbol of a listed token, but another address. */
  "IMPERSONATES",
  /** Its name or symbol cannot be displayed unchanged. */
  "ODD_METADATA",
  "TAXED",
  /** Transfers deliver less than was sent, for reasons other than a tax. */
  "TRANSFER_LOSS",
  "CANNOT_SELL",
  "SELLABILITY_UNKNOWN",
  "LOW_LIQUIDITY",
] as const;

export type TokenFlag = (typeof tokenFlags)[number];
