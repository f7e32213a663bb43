import type { CpmmRoute, JupiterRoute } from "./intent.ts";

/** An account of an instruction that Jupiter has built: an address, or its place in a lookup table. */
export type BuildAccount = { isWritable: boolean } & ({ address: string } | { table: string; index: number });

/** An instruction that Jupiter has built for a helper key. */
export type JupiterBuild = {
  /** The address of the key. */
  helper: string;
  /** The decimals of what is spent. */
  sourceDecimals: number;
  accounts: readonly BuildAccount[];
  /** In base64. */
  data: string;
};

/** The route of a message, with what Jupiter has built for it. */
export type MessageRoute = { route: CpmmRoute } | { route: JupiterRoute; build: JupiterBuild };
