export const walletEventTypes = [
  "created",
  "imported",
  "renamed",
  "policyChanged",
  "retired",
  "restored",
  "exportRequested",
  "exportCancelled",
  "exported",
] as const;

export type WalletEventType = (typeof walletEventTypes)[number];

/** An event of a wallet. Its type defines the details, which contain no secret. */
export type WalletEvent = { type: WalletEventType; time: string } & Readonly<Record<string, unknown>>;
