import { isBase58 } from "../../../core/base58.ts";
import { solBlockhashBlocks } from "../../../core/network-facts.ts";
import type { LaneView } from "../../../orders/effects.ts";
import {
  countIn,
  type PlacedFacts,
  placedFacts,
  placedText,
  readPlaced,
  unitsIn,
} from "../../../orders/placed-facts.ts";
import type { Sol } from "./family.ts";
import type { SolPayingRoute, SolSnapshot, SolSnapshots, SolWalletFacts } from "./host-snapshot.ts";
import { isSameSolRoute, type SolIntent } from "./intent.ts";

/** True if the facts are about the route that the order would use first. */
export const areForOrder = ({ order: { routes } }: SolWalletFacts, intent: SolIntent): boolean => {
  const [[paying], [best]] = [routes, intent.routes];
  return paying !== undefined && best !== undefined && isSameSolRoute(paying, best);
};

/** Writes the facts as text. Leaves out the route, because it is the order's first one. */
export const solFactsText = (facts: PlacedFacts<SolWalletFacts>): string => placedText(facts, hostText);

function hostText({ slot, coins, blockhash, order }: SolWalletFacts): string {
  const { held, routes, computeUnitLimit, baseFeeLamports, rents } = order;
  return [
    ...[slot, blockhash.hash, blockhash.lastValidBlockHeight, coins, held ?? ""],
    ...[computeUnitLimit, baseFeeLamports, rents.marker, rents.wsol, rents.token, rents.market],
    ...routes.flatMap((route) => [route.amountOut, ...marketValues(route)]),
  ].join();
}

function marketValues(route: SolPayingRoute): (string | bigint)[] {
  if ("curve" in route) {
    const { table, vault, isMayhem, rest } = route.curve;
    return [table, vault, flagText(isMayhem), rest ?? ""];
  }
  if ("pumpPool" in route) {
    const { table, vault, isMayhem, hasCreator, hasCashback } = route.pumpPool;
    return [table, vault, ...[isMayhem, hasCreator, hasCashback].map(flagText)];
  }
  return [];
}

const flagText = (flag: boolean): string => (flag ? "1" : "0");

/** Reads the text of {@link solFactsText}. Undefined for any other text. */
export const solFactsIn = (text: string, intent: SolIntent): PlacedFacts<SolWalletFacts> | undefined =>
  readPlaced(text, (host) => hostIn(host, intent));

function hostIn(text: string, { side, routes: [route] }: SolIntent): SolWalletFacts {
  const [slot, hash, lastValid, coins, held, units, baseFee, marker, wsol, token, market, ...paying] =
    text.split(",");
  if (side === "buy" && held !== "") throw new SyntaxError("A buy sells no tokens");
  return {
    slot: countIn(slot),
    coins: lamportsIn(coins),
    blockhash: { hash: addressIn(hash), lastValidBlockHeight: countIn(lastValid) },
    order: {
      ...(side === "sell" && { held: lamportsIn(held) }),
      routes: [payingIn(route, paying)],
      computeUnitLimit: countIn(units),
      baseFeeLamports: lamportsIn(baseFee),
      rents: {
        marker: lamportsIn(marker),
        wsol: lamportsIn(wsol),
        token: lamportsIn(token),
        market: lamportsIn(market),
      },
    },
  };
}

/** Number of values that describe the state of a market. */
const marketLength = { "raydium-cpmm": 0, pump: 4, pumpswap: 5 } as const;

function payingIn(
  route: SolIntent["routes"][number] | undefined,
  [amount, ...values]: readonly string[],
): SolPayingRoute {
  if (route === undefined || route.venue === "jupiter-metis")
    throw new SyntaxError("No pool is the best route");
  if (values.length !== marketLength[route.venue]) throw new SyntaxError("Facts have another length");
  const amountOut = lamportsIn(amount);
  if (route.venue === "raydium-cpmm") return { ...route, amountOut };
  const [table, vault, isMayhem, ...others] = values;
  const market = { table: addressIn(table), vault: addressIn(vault), isMayhem: flagIn(isMayhem) };
  const [first, second] = others;
  if (route.venue === "pump")
    return { ...route, amountOut, curve: { ...market, ...(first !== "" && { rest: lamportsIn(first) }) } };
  const pumpPool = { ...market, hasCreator: flagIn(first), hasCashback: flagIn(second) };
  return { ...route, amountOut, pumpPool };
}

/** Amounts on Solana have 64 bits. */
const mostLamports = 2n ** 64n - 1n;

function lamportsIn(text: string | undefined): bigint {
  const lamports = unitsIn(text);
  if (lamports > mostLamports) throw new SyntaxError("A fact is too large");
  return lamports;
}

function addressIn(text = ""): string {
  if (!isBase58(text, 32)) throw new SyntaxError("A fact is not an address");
  return text;
}

function flagIn(text: string | undefined): boolean {
  if (text !== "0" && text !== "1") throw new SyntaxError("A fact is not a flag");
  return text === "1";
}

/**
 * Returns the facts that both hosts gave when a lane's newest order was placed, provided that they still cover
 * everything that has happened, and the wallet has no message that is not settled.
 *
 * @param setup Identifies the chain's current configuration.
 */
export function placedSolSnapshots(
  view: LaneView<Sol>,
  setup: string,
  nowMs: number,
): SolSnapshots | undefined {
  const placed = placedFacts<Sol, SolWalletFacts>(view, { setup, nowMs }, solFactsIn);
  if (placed === undefined || view.slots.length > 0) return undefined;
  const { orderId } = placed.intent;
  const [a, b] = placed.hosts.map(
    ({ slot, coins, blockhash, order }): SolSnapshot => ({
      height: { slot, blockHeight: blockhash.lastValidBlockHeight - solBlockhashBlocks },
      coins,
      rentLamports: { marker: order.rents.marker },
      blockhash,
      orders: new Map([[orderId, order]]),
      receipts: new Map(),
      markers: new Map(),
    }),
  );
  return [a, b];
}
