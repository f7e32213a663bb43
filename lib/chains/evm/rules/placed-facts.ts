import type { LaneView } from "../../../orders/effects.ts";
import {
  countIn,
  type PlacedFacts,
  placedFacts,
  placedText,
  readPlaced,
  unitsIn,
} from "../../../orders/placed-facts.ts";
import type { Evm } from "./family.ts";
import type { EvmOrderFacts, EvmSnapshot, EvmSnapshots, EvmWalletFacts } from "./host-snapshot.ts";
import { allowsRoute, type EvmIntent, isSameEvmRoute } from "./intent.ts";

/** Writes the facts as text, in which a route is named by its position in the intent. */
export const evmFactsText = (facts: PlacedFacts<EvmWalletFacts>, intent: EvmIntent): string =>
  placedText(facts, (host) => hostText(host, intent));

function hostText({ latest, nonce, coins, baseFee, order }: EvmWalletFacts, intent: EvmIntent): string {
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

/** Reads the text of {@link evmFactsText}. Undefined for any other text. */
export const evmFactsIn = (text: string, intent: EvmIntent): PlacedFacts<EvmWalletFacts> | undefined =>
  readPlaced(text, (host) => hostIn(host, intent));

function hostIn(text: string, intent: EvmIntent): EvmWalletFacts {
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

/**
 * Returns the facts that both hosts gave when a lane's newest order was placed, provided that they still cover
 * everything that has happened, and the hosts know the blocks of the wallet's earlier transactions. The placing may
 * have planned the order's first transaction from the same facts.
 *
 * @param setup Identifies the chain's current configuration.
 */
export function placedEvmSnapshots(
  view: LaneView<Evm>,
  setup: string,
  nowMs: number,
): EvmSnapshots | undefined {
  const placed = placedFacts<Evm, EvmWalletFacts>(view, { setup, nowMs }, evmFactsIn);
  if (placed === undefined) return undefined;
  const { intent, hosts } = placed;
  const { slots } = view;
  const areKnown = slots.every(({ state, place, orderId }) =>
    orderId === intent.orderId
      ? state === "planned" && hosts.every((host) => place === host.nonce.latest)
      : state === "mined" && hosts.every((host) => place < host.nonce.latest),
  );
  // A sale of less than the order's amount needs new quotes.
  const isEnough = intent.side === "buy" || hosts.every(({ order: { held = 0n } }) => held >= intent.amount);
  if (!areKnown || !isEnough) return undefined;
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
