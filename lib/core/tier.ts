/** Subscription tiers. Each has a usage plan, and a maximum number of wallets that the configuration may override. */
export const tiers = {
  Base: { plan: "Standard", walletLimit: 10 },
  Pro: { plan: "Pro", walletLimit: 50 },
  Enterprise: { plan: "Enterprise", walletLimit: 500 },
} as const;

export type Tier = keyof typeof tiers;

export const tierNames = Object.keys(tiers) as Tier[];

/** Maximum number of wallets that a user of each tier may hold. */
export type WalletLimits = Readonly<Record<Tier, number>>;
