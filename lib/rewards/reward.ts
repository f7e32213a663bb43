export const rewardTypes = ["access", "credits", "education", "merchandise"] as const;

export type RewardType = (typeof rewardTypes)[number];

export type Reward = {
  id: string;
  name: string;
  description: string;
  type: RewardType;
  /** Points. */
  cost: number;
  available: boolean;
  imageUrl: string;
  /** Number of pieces left. -1 means unlimited. */
  stock: number;
};

/** True if a reward can run out. */
export const isLimited = ({ stock }: Pick<Reward, "stock">): boolean => stock >= 0;

/** Lists the ids of rewards that can run out. */
export const limitedIds = (catalogue: readonly Reward[]): string[] =>
  catalogue.filter(isLimited).map(({ id }) => id);

/**
 * Returns how many pieces of a reward are left, or -1 for an unlimited reward.
 *
 * @param counted the counted stock. Undefined if nothing was sold yet; then the catalogue's stock applies.
 */
export const stockOf = (reward: Reward, counted: number | undefined): number =>
  isLimited(reward) ? (counted ?? reward.stock) : -1;

/** Builds the catalogue for a user with this number of points, with the current stock. */
export function rewardsFor(
  points: number,
  catalogue: readonly Reward[],
  stocks: ReadonlyMap<string, number>,
): (Reward & { userCanAfford: boolean })[] {
  return catalogue.map((reward) => ({
    ...reward,
    stock: stockOf(reward, stocks.get(reward.id)),
    userCanAfford: points >= reward.cost,
  }));
}
