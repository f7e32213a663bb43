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

/** Something that happened to a wallet, with details that its type defines and that are no secret. */
export type WalletEvent = { type: WalletEventType; time: string } & Readonly<Record<string, unknown>>;
