import type { Leg, Mandate } from "../../../../lib/orders/resting/mandate.ts";
import type { Random } from "../random.ts";
import { limitAt, mandateOf, stopAt, trailingBy } from "./resting-history.ts";
import type { AskedLeg } from "./year-observer.ts";

/** A request for an order, in the words of the observer and of the product. */
export type Placed = { legs: readonly AskedLeg[]; mandate: Mandate; cancelMs: number | undefined };

const dayMs = 86_400_000;

/** Units of an order. With so many, rounding moves no price by a millionth. */
const units = 10n ** 12n;

const ppm = (value: number): bigint => BigInt(Math.round(value));

/** Describes a stop by whole millionths. */
const stopOf = (name: AskedLeg["name"], at: number): AskedLeg => ({
  name,
  kind: "stop",
  at: Math.round(at),
  worst: Math.round(at) * 0.8,
});

const limitOf = (name: AskedLeg["name"], at: number): AskedLeg => ({
  name,
  kind: "limit",
  at: Math.round(at),
  worst: Math.round(at),
});

/** Makes the legs of each type of order. Distances are from the price now. */
const types: Readonly<Record<string, (price: number, random: Random) => AskedLeg[]>> = {
  limit: (price, random) => [limitOf("limit", price * (1.002 + distance(random)))],
  buy: (price, random) => [limitOf("limit", price * (1.002 + distance(random)))],
  stop: (price, random) => [stopOf("stop", price * (0.997 - distance(random)))],
  oco: (price, random) => [
    limitOf("takeProfit", price * (1.003 + distance(random))),
    stopOf("stopLoss", price * (0.997 - distance(random))),
  ],
  trailing(price, random) {
    const trail = Math.round((0.005 + distance(random)) * 1e6) / 1e6;
    return [{ name: "trailing", kind: "trailing", at: price, trail, worst: price * (1 - trail) * 0.8 }];
  },
};

/** Chooses a distance between 0.02 and 20 percent. Small ones are more frequent. */
const distance = (random: Random): number => 0.0002 * 1000 ** random.next();

const legOf = ({ kind, at, trail = 0, worst }: AskedLeg): Leg => {
  if (kind === "limit") return limitAt(ppm(at));
  if (kind === "stop") return stopAt(ppm(at));
  const trailPpm = ppm(trail * 1e6);
  return { ...trailingBy(trailPpm), worst: { coins: ppm(worst), tokens: 1_000_000n } } as Leg;
};

/** Chooses the next order of a user: its type, its prices, its life and, for some, the time of its cancellation. */
export function nextOrder(random: Random, number: number, price: number, nowMs: number): Placed {
  const type = random.pick(Object.keys(types)) as string;
  const legs = (types[type] as (typeof types)[string])(price, random);
  // From ten minutes to 30 days.
  const lifeSeconds = Math.floor(600 * 4320 ** random.next());
  const mandate = mandateOf(`o${number}`, legs.map(legOf), {
    amount: units + BigInt(number),
    ...(type === "buy" && {
      side: "buy",
      token: "0xB0B0",
      // The chain's price counts tokens for a coin here.
      legs: legs.map(({ at }) => ({ kind: "limit", price: { coins: 1_000_000n, tokens: ppm(at) } })),
    }),
    feesLimit: 10n ** 7n,
    feesStop: 10n ** 7n,
    createdAt: nowMs,
    expiresAt: Math.floor(nowMs / 1000) + lifeSeconds,
  });
  const cancelMs = random.chance(0.15) ? nowMs + Math.floor(random.next() * lifeSeconds * 1000) : undefined;
  return { legs, mandate, cancelMs };
}

/** Time until the next order. Users place more of them while prices move. */
export const nextPlacingMs = (random: Random, perDay: number): number =>
  Math.ceil((random.next() * 2 * dayMs) / perDay);
