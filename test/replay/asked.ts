import type { ChainName } from "trading-terminal-devnet/chain-facts";
import type { Side } from "./pools.ts";

/** An exact price: units of the coin for units of the token. */
export type Price = { coins: bigint; tokens: bigint };

/** A way in which an order fires. `worst` is the worst price at which it may fill, if the request alone implies it. */
export type AskedLeg = {
  name: "limit" | "stop" | "takeProfit" | "stopLoss" | "trailing" | "slice";
  /** Units of the coin for buys, and of the token for sales. */
  amount: bigint;
  worst?: Price;
} & Terms;

/** What a leg waits for. A trailing stop falls by a share of the highest price, and a slice has only its time. */
type Terms =
  | { kind: "limit" | "stop"; at: Price }
  | { kind: "trailing"; trail: number }
  | { kind: "slice"; slice: number; fromMs: number; toMs: number };

/** Returns the leg's terms if it is of this kind. */
export type LegOf<Kind extends AskedLeg["kind"]> = Extract<AskedLeg, { kind: Kind }>;

/** A resting order as its user requested it. */
export type Asked = {
  orderId: string;
  userID: string;
  chain: ChainName;
  wallet: string;
  token: string;
  side: Side;
  /** Units of the coin for buys, and of the token for sales. */
  amount: bigint;
  legs: readonly AskedLeg[];
  /** Maximum number of fills. */
  fills: number;
  createdAtMs: number;
  expiresAtMs: number;
  /** Time of the first request to cancel it, or of the restore that has ended it. */
  cancelledAtMs?: number;
};

/** A request that has placed an order, with the id and the time of the answer. */
export type Request = Pick<Asked, "orderId" | "userID" | "chain" | "wallet" | "createdAtMs"> & {
  /** Decimals of the token. */
  decimals: number;
  body: Readonly<Record<string, unknown>>;
};

type Stop = { stopPrice: string; price?: string };
type Body = Stop & {
  side: Side;
  token: string;
  type: string;
  price: string;
  amount: string;
  takeProfit: { price: string };
  stopLoss: Stop;
  trailPercent: number;
  slices: number;
  intervalSeconds: number;
  expiresInSeconds?: number;
};

type Reading = {
  body: Body;
  amount: bigint;
  createdAtMs: number;
  /** Parses a price. */
  priceOf: (text: string) => Price;
};

const limit = (name: "limit" | "takeProfit", price: string, { amount, priceOf }: Reading): AskedLeg => ({
  name,
  kind: "limit",
  amount,
  at: priceOf(price),
  worst: priceOf(price),
});

function stop(name: "stop" | "stopLoss", terms: Stop, { amount, priceOf }: Reading): AskedLeg {
  const { stopPrice, price } = terms;
  const at = priceOf(stopPrice);
  // A stop sells for at least 0.8 of its price, unless the request says otherwise.
  const worst = price === undefined ? { coins: at.coins * 8n, tokens: at.tokens * 10n } : priceOf(price);
  return { name, kind: "stop", amount, at, worst };
}

const given = ({ body: { price }, priceOf }: Reading) =>
  price === undefined ? {} : { worst: priceOf(price) };

/** Reads the legs of each type of order. */
const types: Readonly<Record<string, (reading: Reading) => AskedLeg[]>> = {
  limit: (reading) => [limit("limit", reading.body.price, reading)],
  stop: (reading) => [stop("stop", reading.body, reading)],
  oco: (reading) => [
    limit("takeProfit", reading.body.takeProfit.price, reading),
    stop("stopLoss", reading.body.stopLoss, reading),
  ],
  trailing_stop: (reading) => [
    {
      name: "trailing",
      kind: "trailing",
      amount: reading.amount,
      trail: reading.body.trailPercent / 100,
      ...given(reading),
    },
  ],
  twap(reading) {
    const { amount, createdAtMs, body } = reading;
    const [count, everyMs] = [BigInt(body.slices), body.intervalSeconds * 1000];
    return Array.from({ length: body.slices }, (_, before) => {
      const part = amount / count;
      // A slice is due in whole seconds, rounded up.
      const fromMs = Math.ceil((createdAtMs + before * everyMs) / 1000) * 1000;
      return {
        name: "slice",
        kind: "slice",
        slice: before + 1,
        amount: before + 1 === body.slices ? amount - part * (count - 1n) : part,
        fromMs,
        toMs: fromMs + everyMs,
        ...given(reading),
      };
    });
  },
};

export const coinDecimalsOf = (chain: ChainName): number => (chain === "sol" ? 9 : 18);

/** Parses the price of one whole token in whole coins. */
export function priceFrom(text: string, { chain, decimals }: Pick<Request, "chain" | "decimals">): Price {
  const [units, after] = digitsOf(text);
  return { coins: units * 10n ** BigInt(coinDecimalsOf(chain)), tokens: 10n ** BigInt(after + decimals) };
}

const usualRestSeconds = 2_592_000;
const daySeconds = 86_400;

/** Reads a request that has placed an order. */
export function askedOf({ decimals, body: sent, createdAtMs, ...of }: Request): Asked {
  const body = sent as Body;
  const { side, token, type } = body;
  const coinDecimals = coinDecimalsOf(of.chain);
  const [digits, places] = digitsOf(body.amount);
  const amount = digits * 10n ** BigInt((side === "buy" ? coinDecimals : decimals) - places);
  const priceOf = (text: string) => priceFrom(text, { chain: of.chain, decimals });
  const legs = types[type]?.({ body, amount, createdAtMs, priceOf });
  if (legs === undefined) throw new Error(`The judge does not know the type ${type}`);
  const isSliced = type === "twap";
  const restSeconds = isSliced
    ? body.slices * body.intervalSeconds + daySeconds
    : (body.expiresInSeconds ?? usualRestSeconds);
  return {
    ...of,
    side,
    token,
    amount,
    legs,
    fills: isSliced ? body.slices : 1,
    createdAtMs,
    expiresAtMs: createdAtMs + 1000 * restSeconds,
  };
}

function digitsOf(text: string): [digits: bigint, places: number] {
  const [whole = "0", places = ""] = text.split(".");
  return [BigInt(whole + places), places.length];
}

export const numberOf = ({ coins, tokens }: Price): number => Number(coins) / Number(tokens);

/** True if a fill respects a price to the last unit. */
export const respects = (
  side: Side,
  { coins, tokens }: Price,
  { spent, received }: { spent: bigint; received: bigint },
): boolean => (side === "sell" ? received * tokens >= spent * coins : received * coins >= spent * tokens);
