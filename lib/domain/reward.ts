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

/** The catalogue as a user with these points sees it. */
export function rewardsFor(
  points: number,
  catalogue: readonly Reward[],
): (Reward & { userCanAfford: boolean })[] {
  return catalogue.map((reward) => ({ ...reward, userCanAfford: points >= reward.cost }));
}
