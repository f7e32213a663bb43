/** Warnings about a token. None of them blocks selling the token. */
export const tokenFlags = [
  /** The token is not on the list shown to users. */
  "NOT_LISTED",
  /** The token's symbol or name resembles that of a listed token or a coin on any chain. */
  "IMPERSONATES",
  /** The token's name or symbol cannot be displayed unchanged. */
  "ODD_METADATA",
  "TAXED",
  /** A transfer delivers less than was sent, for a reason other than a tax. */
  "TRANSFER_LOSS",
  /** The token's events misstate the amount that a wallet gets. */
  "ODD_EVENTS",
  "CANNOT_SELL",
  "SELLABILITY_UNKNOWN",
  "LOW_LIQUIDITY",
  /** An authority can freeze anybody's tokens. This flag and all flags below occur on sol only. */
  "FREEZABLE",
  /** An authority can mint more tokens. */
  "MINTABLE",
  /** The issuer's program runs in each transfer, and can refuse the transfer. */
  "HOOKED",
  /** An authority can later make each transfer run a program. */
  "HOOKABLE",
  /** An authority can raise the transfer fee, up to the whole amount. */
  "TAXABLE",
  /** An authority can take anybody's tokens. */
  "SEIZABLE",
  /** New accounts cannot send tokens until an authority allows it. */
  "FROZEN_BY_DEFAULT",
  /** An authority can stop all transfers. */
  "PAUSABLE",
  "NON_TRANSFERABLE",
  /** Wallets may show amounts of the token that differ from those of the service. */
  "SCALED",
] as const;

export type TokenFlag = (typeof tokenFlags)[number];
