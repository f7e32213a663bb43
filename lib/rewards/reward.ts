export const rewardTypes = ["access", "credits", "education", "merchandise"] as const;

export type RewardType = (typeof rewardTypes)[number];

/** A reward of the catalogue. */
export type Reward = {
  id: string;
  name: string;
  description: string;
  type: RewardType;
  /** Points. */
  cost: number;
  available: boolean;
  imageUrl: string;
  /** How many are left. -1 means unlimited. */
  stock: number;
};

/** Whether a reward can run out. */
export const isLimited = ({ stock }: Pick<Reward, "stock">): boolean => stock >= 0;

/** The rewards that can run out. */
export const limitedIds = (catalogue: readonly Reward[]): string[] =>
  catalogue.filter(isLimited).map(({ id }) => id);

/**
 * How many of a reward are left, -1 for an unlimited one.
 *
 * @param counted the stock as it is counted. Absent: nothing was sold, so it is what the catalogue says.
 */
export const stockOf = (reward: Reward, counted: number | undefined): number =>
  isLimited(reward) ? (counted ?? reward.stock) : -1;

/** The catalogue as a user with these points sees it, with what is left. */
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
