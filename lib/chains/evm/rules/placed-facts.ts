import type { LaneView } from "../../../orders/effects.ts";
import type { TradeOrder } from "../../../orders/trade-order.ts";
import type { Evm } from "./family.ts";
import type { EvmOrderFacts, EvmSnapshot, EvmSnapshots, WalletFacts } from "./host-snapshot.ts";
import { allowsRoute, type EvmIntent, isSameEvmRoute } from "./intent.ts";

/**
 * The facts that both hosts gave when an order was placed. Its job stores them for the first run, as {@link factsText}.
 */
export type PlacedFacts = {
  /** Identifies the configuration of the chain, including its hosts. */
  setup: string;
  /** The jobs of the lane, including the new one. */
  jobs: number;
  hosts: readonly [WalletFacts, WalletFacts];
};

/** Maximum age of the facts, counted from the request that asked for them. */
const mostAgeMs = 2000;

const separator = "|";

/**
 * Writes the facts as short text, so that most jobs stay below a kilobyte. A route is named by its position in the
 * intent.
 */
export function factsText({ setup, jobs, hosts }: PlacedFacts, intent: EvmIntent): string {
  const [one, other] = hosts.map((host) => hostText(host, intent)) as [string, string];
  return [setup, String(jobs), one, ...(other === one ? [] : [other])].join(separator);
}

function hostText({ latest, nonce, coins, baseFee, order }: WalletFacts, intent: EvmIntent): string {
  const { fees, isListed, held, routes } = order;
  const routeValues = routes
    .filter((route) => allowsRoute(intent, route))
    .flatMap(({ amountOut, networkFee, gasLimit, l1Fee, allowance, wantsZeroFirst, ...route }) => [
      intent.routes.findIndex((each) => isSameEvmRoute(each, route)),
      ...[amountOut, networkFee, gasLimit.approve, gasLimit.swap, l1Fee.approve, l1Fee.swap, allowance],
      Number(wantsZeroFirst),
    ]);
  return [
    ...[latest.hash, latest.number, latest.time, nonce.latest, nonce.pending, coins, baseFee],
    ...[fees.maxFeePerGas, fees.maxPriorityFeePerGas, fees.floor ?? "", Number(isListed), held ?? ""],
    ...routeValues,
  ].join();
}

const valuesOfHost = 12;
const valuesOfRoute = 9;

/** Reads the text of {@link factsText}. Undefined for any other text. */
export function factsIn(text: string, intent: EvmIntent): PlacedFacts | undefined {
  const [setup = "", jobs = "", one = "", other = one, ...more] = text.split(separator);
  try {
    const hosts = [hostIn(one, intent), hostIn(other, intent)] as const;
    return more.length > 0 ? undefined : { setup, jobs: countIn(jobs), hosts };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function hostIn(text: string, intent: EvmIntent): WalletFacts {
  const values = text.split(",");
  if (values.length < valuesOfHost || (values.length - valuesOfHost) % valuesOfRoute > 0)
    throw new SyntaxError("Facts have another length");
  const [hash = "", number, time, latest, pending, coins, baseFee, most, tip, floor, isListed, held] = values;
  const order: EvmOrderFacts = {
    fees: {
      maxFeePerGas: unitsIn(most),
      maxPriorityFeePerGas: unitsIn(tip),
      ...(floor !== "" && { floor: unitsIn(floor) }),
    },
    isListed: isListed === "1",
    ...(held !== "" && { held: unitsIn(held) }),
    routes: Array.from({ length: (values.length - valuesOfHost) / valuesOfRoute }, (_, index) => {
      const from = valuesOfHost + index * valuesOfRoute;
      return routeIn(values.slice(from, from + valuesOfRoute), intent);
    }),
  };
  return {
    latest: { number: countIn(number), hash, time: countIn(time) },
    nonce: { latest: countIn(latest), pending: countIn(pending) },
    coins: unitsIn(coins),
    baseFee: unitsIn(baseFee),
    order,
  };
}

function routeIn(
  [place, ...values]: readonly string[],
  { routes }: EvmIntent,
): EvmOrderFacts["routes"][number] {
  const route = routes[countIn(place)];
  if (route === undefined) throw new SyntaxError("The order has no such route");
  const [amountOut, networkFee, approveGas, swapGas, approveL1Fee, swapL1Fee, allowance] =
    values.map(unitsIn);
  // Rejects a gas limit of zero, because fees are divided by it.
  if (approveGas === 0n || swapGas === 0n) throw new SyntaxError("A gas limit is zero");
  return {
    ...route,
    ...({ amountOut, networkFee, allowance } as Record<"amountOut" | "networkFee" | "allowance", bigint>),
    gasLimit: { approve: approveGas as bigint, swap: swapGas as bigint },
    l1Fee: { approve: approveL1Fee as bigint, swap: swapL1Fee as bigint },
    wantsZeroFirst: values.at(-1) === "1",
  };
}

function unitsIn(text: string | undefined): bigint {
  if (text === undefined || !/^\d{1,78}$/.test(text)) throw new SyntaxError("A fact is not a whole number");
  return BigInt(text);
}

function countIn(text: string | undefined): number {
  const count = Number(unitsIn(text));
  if (!Number.isSafeInteger(count)) throw new SyntaxError("A fact is too large");
  return count;
}

/**
 * True if the order can change only when the chain drops a transaction. An expired order also depends on the latest
 * block.
 */
const isOver = ({ life }: TradeOrder<Evm>) => life.status !== "open" && life.status !== "expired";

/**
 * Returns the facts that both hosts gave when a lane's newest order was placed, provided that they still cover
 * everything that has happened: no run has touched the order, all other orders have ended, and the hosts know the
 * blocks of their transactions. A function that can write the job can invent the facts, so they serve only to make a
 * plan, and the signer checks the plan.
 *
 * @param setup Identifies the chain's current configuration.
 */
export function placedSnapshots(
  { jobs, slots, orders }: LaneView<Evm>,
  setup: string,
  nowMs: number,
): EvmSnapshots | undefined {
  const order = orders.at(-1);
  const text = jobs.find(({ orderId }) => orderId === order?.intent.orderId)?.facts;
  const facts = order && text !== undefined ? factsIn(text, order.intent) : undefined;
  if (order === undefined || facts === undefined || order.revision > 1) return undefined;
  const { intent, placed } = order;
  const { hosts } = facts;
  const ageMs = nowMs - Date.parse(placed.createdAt);
  const isFresh = ageMs >= 0 && ageMs <= mostAgeMs;
  const isWhole = facts.setup === setup && facts.jobs === jobs.length;
  const areOver = orders.every((each) => each === order || isOver(each));
  const areKnown = slots.every(
    ({ state, place }) => state === "mined" && hosts.every((host) => place < host.nonce.latest),
  );
  // A sale of less than the order's amount needs new quotes.
  const isEnough = intent.side === "buy" || hosts.every(({ order: { held = 0n } }) => held >= intent.amount);
  if (!isFresh || !isWhole || !areOver || !areKnown || !isEnough) return undefined;
  const receipts = new Map(
    slots.flatMap(({ receipt }) => (receipt ? [[receipt.hash, receipt] as const] : [])),
  );
  const [a, b] = hosts.map(
    ({ order: facts, ...rest }): EvmSnapshot => ({
      ...rest,
      finalized: { number: 0, hash: "", time: 0 },
      clearFees: facts.fees,
      clearL1Fee: 0n,
      orders: new Map([[intent.orderId, facts]]),
      blocks: new Map(),
      receipts,
    }),
  );
  return [a, b];
}
