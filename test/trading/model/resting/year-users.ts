import type { Leg, Mandate } from "../../../../lib/orders/resting/mandate.ts";
import type { Random } from "../random.ts";
import { limitAt, mandateOf, stopAt, trailingBy } from "./resting-history.ts";
import type { Asked, AskedLeg } from "./year-asked.ts";

/** The wallets of a year, and their users. */
export const owners = [
  { userID: "alice", wallet: "0xA1" },
  { userID: "alice", wallet: "0xA2" },
  { userID: "bob", wallet: "0xB1" },
  { userID: "carol", wallet: "0xC1" },
] as const;

/** A request for an order, in the words of the observer and of the product. */
export type Placed = { asked: Asked; mandate: Mandate; cancelMs: number | undefined };

/** What a user places at once: an order, or exits with the market order that buys what they sell. */
export type Placing = {
  buy?: { orderId: string; wallet: string; userID: string; amount: bigint };
  orders: readonly Placed[];
};

const dayMs = 86_400_000;

/** Units of an order: so many that rounding moves no price by a millionth. */
const units = 10n ** 12n;

/** Distance between the amounts of two orders, because each amount of a slice or an exit must belong to one order. */
const stepOfUnits = 64n;

const whole = 1_000_000;

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

/** Makes a stop trail by at least a share. */
function trailOf(price: number, least: number, random: Random): AskedLeg {
  const trail = Math.round((least + distance(random)) * 1e6) / 1e6;
  return { name: "trailing", kind: "trailing", at: price, trail, worst: price * (1 - trail) * 0.8 };
}

/** Makes the legs of each type of order. Distances are from the price now. */
const types: Readonly<Record<string, (price: number, random: Random) => AskedLeg[]>> = {
  limit: (price, random) => [limitOf("limit", price * (1.002 + distance(random)))],
  buy: (price, random) => [limitOf("limit", price * (1.002 + distance(random)))],
  stop: (price, random) => [stopOf("stop", price * (0.997 - distance(random)))],
  oco: (price, random) => [
    limitOf("takeProfit", price * (1.003 + distance(random))),
    stopOf("stopLoss", price * (0.997 - distance(random))),
  ],
  trailing: (price, random) => [trailOf(price, 0.005, random)],
  // Some slices want more than the price now.
  slices: (price, random) => [limitOf("slice", price * (1.004 - 2 * distance(random)))],
};

/** Chooses a distance between 0.02 and 20 percent. Small ones are more frequent. */
const distance = (random: Random): number => 0.0002 * 1000 ** random.next();

/** Makes the legs of an exit. Some stops lie too close, as after a rise of the token's tax. */
function exitLegs(price: number, random: Random): AskedLeg[] {
  const ofFill = random.chance(0.7);
  const base = ofFill ? whole : price;
  const stops = [[], [stopOf("stopLoss", base * (0.98 - distance(random)))], [trailOf(price, 0.03, random)]];
  const stop = random.pick(stops) ?? [];
  const gain = stop.length === 0 || random.chance(0.6);
  const gains = gain ? [limitOf("takeProfit", base * (1.003 + distance(random)))] : [];
  const legs = [...gains, ...stop].map((leg) => ({ ...leg, ofFill: ofFill && leg.kind !== "trailing" }));
  const alone = { limit: "limit", stop: "stop", trailing: "trailing" } as const;
  return legs.length > 1 ? legs : legs.map((leg) => ({ ...leg, name: alone[leg.kind] }));
}

function legOf({ name, kind, at, trail = 0, worst, ofFill }: AskedLeg): Leg {
  const price = { coins: ppm(worst), tokens: BigInt(whole) };
  if (name === "slice") return { kind: name, worst: price };
  // The mandate's own bound lies far below what follows from the fill.
  const bound = { coins: 1n, tokens: 100n };
  if (ofFill) return { kind: kind === "limit" ? "gain" : "loss", ppm: ppm(at), worst: bound };
  if (kind === "limit") return limitAt(ppm(at));
  if (kind === "stop") return stopAt(ppm(at));
  return { ...trailingBy(ppm(trail * 1e6)), worst: price } as Leg;
}

/** Chooses what a user places next: its type, its prices, its life and, for some, the time of its cancellation. */
export function nextPlacing(random: Random, now: Now): Placing {
  const { number, price } = now;
  const owner = random.pick(owners) as (typeof owners)[number];
  const type = random.pick([...Object.keys(types), "exits"]) as string;
  const own = { ...now, owner };
  if (type === "exits") return exitsOf(random, own);
  const legs = (types[type] as (typeof types)[string])(price, random);
  const amount = units + BigInt(number) * stepOfUnits;
  const count = 2 + random.below(6);
  // A time from one minute to two hours.
  const slices = { count, everySeconds: Math.floor(60 * 120 ** random.next()) };
  const changes: Partial<Mandate> = {
    amount,
    ...(type === "buy" && {
      side: "buy",
      token: "0xB0B0",
      // The chain's price counts tokens for a coin here.
      legs: legs.map(({ at }) => ({ kind: "limit", price: { coins: BigInt(whole), tokens: ppm(at) } })),
    }),
    ...(type === "slices" && { slices, amount: amount * BigInt(count) + 1n }),
  };
  return { orders: [orderOf(random, { ...own, orderId: `o${number}`, legs, changes })] };
}

/** The number of a placing, and the price and the time at it. */
type Now = { number: number; price: number; nowMs: number };

type Own = Now & { owner: (typeof owners)[number] };

/** Makes one or two exits, which sell all that a buy receives. */
function exitsOf(random: Random, own: Own): Placing {
  const amount = units + BigInt(own.number) * stepOfUnits;
  const shares = random.chance(0.5) ? [1_000_000n] : [300_000n, 700_000n];
  const of = `b${own.number}`;
  const orders = shares.map((sharePpm, index) => {
    const isLast = index === shares.length - 1;
    const exit = { of, sharePpm, ...(isLast && { others: shares.slice(0, -1) }) };
    const legs = exitLegs(own.price, random);
    return orderOf(random, { ...own, orderId: `o${own.number}e${index}`, legs, changes: { amount, exit } });
  });
  return { buy: { orderId: of, ...own.owner, amount }, orders };
}

function orderOf(
  random: Random,
  {
    owner,
    nowMs,
    orderId,
    legs,
    changes,
  }: Own & {
    orderId: string;
    legs: readonly AskedLeg[];
    changes: Partial<Mandate>;
  },
): Placed {
  const { slices, exit } = changes;
  // A time from ten minutes to 30 days. Slices have a day more than their turns.
  const chosenSeconds = Math.floor(600 * 4320 ** random.next());
  const lifeSeconds = slices === undefined ? chosenSeconds : slices.count * slices.everySeconds + 86_400;
  const mandate = mandateOf(orderId, legs.map(legOf), {
    ...owner,
    feesLimit: 10n ** 7n,
    feesStop: 10n ** 7n,
    createdAt: nowMs,
    expiresAt: Math.floor(nowMs / 1000) + lifeSeconds,
    ...changes,
  });
  const asked: Asked = {
    orderId,
    wallet: owner.wallet,
    legs,
    createdMs: nowMs,
    endMs: mandate.expiresAt * 1000,
    ...(slices && { slices }),
    ...(exit && { exitOf: exit.of }),
  };
  const cancelMs = random.chance(0.15) ? nowMs + Math.floor(random.next() * lifeSeconds * 1000) : undefined;
  return { asked, mandate, cancelMs };
}

/** Time until the next order. Users place more of them while prices move. */
export const nextPlacingMs = (random: Random, perDay: number): number =>
  Math.ceil((random.next() * 2 * dayMs) / perDay);
