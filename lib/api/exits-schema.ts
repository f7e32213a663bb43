import * as v from "valibot";
import {
  type GivenExit,
  hasLeg,
  hasOneLoss,
  hasOnePrice,
  hasOneStop,
  leastTrail,
  mostExits,
  type PercentExit,
  sellTooMuch,
} from "../orders/resting/exits/given.ts";
import { decimalPlaces } from "./scalars.ts";
import { GivenPercentSchema, GivenPriceSchema, stopPrices } from "./trading-scalars.ts";

const gain = v.pipe(
  v.number(),
  v.minValue(0.0001),
  v.maxValue(100_000),
  decimalPlaces(4),
  v.description("Percent above what the buy has paid for one token, without network fees"),
);

const loss = v.pipe(
  v.number(),
  v.minValue(-95),
  v.maxValue(-0.0001),
  decimalPlaces(4),
  v.description(
    "A negative percentage: how far below the buy's price it sells, for at least 0.8 × that price",
  ),
);

const share = v.pipe(
  GivenPercentSchema,
  v.description("Part of what the buy receives. The last of 100 percent takes what the others leave"),
);

const trail = v.strictObject({
  trailPercent: v.pipe(
    v.number(),
    v.minValue(leastTrail),
    v.maxValue(90),
    decimalPlaces(4),
    v.description("How far below the highest price since the fill it sells, in percent"),
  ),
});

const legRule = <Exit extends GivenExit>() =>
  v.check<Exit, string>(hasLeg, "needs takeProfit, stopLoss or trailing");

const lossRule = <Exit extends GivenExit>() =>
  v.check<Exit, string>(hasOneLoss, "needs either stopLoss or trailing");

const sumRule = <Exit extends GivenExit>() =>
  v.check<Exit[], string>((exits) => !sellTooMuch(exits), "must not sell more than 100 percent");

const ExitsSchema = v.pipe(
  v.array(
    v.pipe(
      v.strictObject({
        percent: share,
        takeProfit: v.optional(
          v.pipe(
            v.strictObject({ price: v.optional(GivenPriceSchema), percent: v.optional(gain) }),
            v.check(hasOnePrice, "needs either price or percent"),
          ),
        ),
        stopLoss: v.optional(
          v.pipe(
            v.strictObject({
              stopPrice: v.optional(stopPrices.stopPrice),
              price: stopPrices.price,
              percent: v.optional(loss),
            }),
            v.check(hasOneStop, "needs either stopPrice or percent"),
          ),
        ),
        trailing: v.optional(trail),
      }),
      legRule(),
      lossRule(),
    ),
  ),
  v.maxLength(mostExits),
  sumRule(),
) satisfies v.GenericSchema<GivenExit[]>;

/** The field `exits` of a buy. */
export const exitsOfBuy = v.optional(
  v.pipe(
    ExitsSchema,
    v.description(
      "Orders that sell parts of what the buy receives, and rest from its fill on. For buys only",
    ),
  ),
);

/** Exits that fit any buy, as a preset has them. */
export const PercentExitsSchema = v.pipe(
  v.array(
    v.pipe(
      v.strictObject({
        percent: share,
        takeProfit: v.optional(v.strictObject({ percent: gain })),
        stopLoss: v.optional(v.strictObject({ percent: loss })),
        trailing: v.optional(trail),
      }),
      legRule(),
      lossRule(),
    ),
  ),
  v.maxLength(mostExits),
  sumRule(),
) satisfies v.GenericSchema<PercentExit[]>;
