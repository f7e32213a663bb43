import * as v from "valibot";
import {
  type GivenExit,
  leastTrail,
  mostExits,
  type PercentExit,
  sellTooMuch,
} from "../orders/resting/exits/given.ts";
import { GivenPercentSchema, percentWithin } from "./scalars.ts";
import { GivenPriceSchema, stopPrices } from "./trading-scalars.ts";

const gain = percentWithin(
  0.0001,
  100_000,
  "Percent above what the buy has paid for one token, without network fees",
);

const loss = percentWithin(
  -95,
  -0.0001,
  "A negative percentage: how far below the buy's price it sells, for at least 0.8 × that price",
);

const share = v.pipe(
  GivenPercentSchema,
  v.description("Part of what the buy receives. The last of 100 percent takes what the others leave"),
);

const trail = v.strictObject({
  trailPercent: percentWithin(
    leastTrail,
    90,
    "How far below the highest price since the fill it sells, in percent",
  ),
});

const listOf = <Exit extends GivenExit>(exit: v.GenericSchema<Exit>) =>
  v.pipe(
    v.array(
      v.pipe(
        exit,
        v.check(
          ({ takeProfit, stopLoss, trailing }) => (takeProfit ?? stopLoss ?? trailing) !== undefined,
          "needs takeProfit, stopLoss or trailing",
        ),
        v.check(
          ({ stopLoss, trailing }) => stopLoss === undefined || trailing === undefined,
          "needs either stopLoss or trailing",
        ),
      ),
    ),
    v.maxLength(mostExits, `must be a list of at most ${mostExits}`),
    v.check((exits) => !sellTooMuch(exits), "must not sell more than 100 percent"),
  );

export const exitsOfBuy = v.optional(
  v.pipe(
    listOf<GivenExit>(
      v.strictObject({
        percent: share,
        takeProfit: v.optional(
          v.pipe(
            v.strictObject({ price: v.optional(GivenPriceSchema), percent: v.optional(gain) }),
            v.check(
              ({ price, percent }) => (price === undefined) !== (percent === undefined),
              "needs either price or percent",
            ),
          ),
        ),
        stopLoss: v.optional(
          v.pipe(
            v.strictObject({
              stopPrice: v.optional(stopPrices.stopPrice),
              price: stopPrices.price,
              percent: v.optional(loss),
            }),
            v.check(
              ({ stopPrice, price, percent }) =>
                percent === undefined ? stopPrice !== undefined : (stopPrice ?? price) === undefined,
              "needs either stopPrice or percent",
            ),
          ),
        ),
        trailing: v.optional(trail),
      }),
    ),
    v.description(
      "Orders that sell parts of what the buy receives, and rest from its fill on. For buys only",
    ),
  ),
);

/** Exits that fit any buy, as a preset has them. */
export const PercentExitsSchema = listOf<PercentExit>(
  v.strictObject({
    percent: share,
    takeProfit: v.optional(v.strictObject({ percent: gain })),
    stopLoss: v.optional(v.strictObject({ percent: loss })),
    trailing: v.optional(trail),
  }),
);
