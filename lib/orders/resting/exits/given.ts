/** The price of a take-profit: in coins for one token, or in percent above what the buy pays for one. */
export type GivenGain = { price?: string | undefined; percent?: number | undefined };

/** The prices of a stop, or a negative percentage below what the buy pays for one token. */
export type GivenLoss = {
  stopPrice?: string | undefined;
  price?: string | undefined;
  percent?: number | undefined;
};

/** Instruction to sell a part of a buy, from its fill on. */
export type GivenExit = {
  /** The part, in percent of what the buy receives. */
  percent: number;
  takeProfit?: GivenGain | undefined;
  stopLoss?: GivenLoss | undefined;
  /** A stop that follows the price upwards. */
  trailing?: GivenTrail | undefined;
};

type GivenTrail = { trailPercent: number };

export type PercentExit = {
  percent: number;
  takeProfit?: { percent: number } | undefined;
  stopLoss?: { percent: number } | undefined;
  trailing?: GivenTrail | undefined;
};

/** An exit as the record of its buy shows it. */
export type PlacedExit = GivenExit & { orderId: string };

/** Minimum distance of an exit's trailing stop in percent, so that it does not fire as soon as it rests. */
export const leastTrail = 3;

export const mostExits = 3;

/** True if exits sell all that their buy receives. The last one then takes what rounding has left. */
export const sellAll = (exits: readonly Pick<GivenExit, "percent">[]): boolean =>
  tenThousandths(exits) === 1_000_000;

export const sellTooMuch = (exits: readonly Pick<GivenExit, "percent">[]): boolean =>
  tenThousandths(exits) > 1_000_000;

const tenThousandths = (exits: readonly Pick<GivenExit, "percent">[]): number =>
  exits.reduce((sum, { percent }) => sum + Math.round(percent * 10_000), 0);
