import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import type { EvmOrderFacts, EvmReceipt, EvmSnapshot } from "../../../lib/chains/evm/rules/host-snapshot.ts";
import type { EvmIntent, EvmRoute } from "../../../lib/chains/evm/rules/intent.ts";
import { bestRoute } from "../../../lib/chains/evm/rules/route-choice.ts";
import type { Question } from "../../../lib/orders/effects.ts";
import { localV3 } from "../../support/trading.ts";
import type { Lie } from "./chain-under-test.ts";

const madeUp = { fee: 5n, l1Fee: 0n, gasUsed: 5n, gasPrice: 1n, spent: 11n, received: 13n };

const failed = ({ hash, block, fee, l1Fee, gasUsed, gasPrice }: EvmReceipt): EvmReceipt => ({
  hash,
  block,
  fee,
  l1Fee,
  gasUsed,
  gasPrice,
  status: "failed",
  isSlippage: true,
});

const truths = new WeakMap<EvmSnapshot, EvmSnapshot>();

/** Returns the true snapshot that a lie has replaced. */
export const truthOf = (snapshot: EvmSnapshot): EvmSnapshot => truths.get(snapshot) ?? snapshot;

export const isLie = (snapshot: EvmSnapshot): boolean => truths.has(snapshot);

/** Replaces a host's snapshot with a lie. */
export function lyingSnapshot(snapshot: EvmSnapshot, lie: Lie, question: Question<Evm>): EvmSnapshot {
  const altered = { ...alteredBy(lie, snapshot, question) };
  truths.set(altered, snapshot);
  return altered;
}

function alteredBy(lie: Lie, snapshot: EvmSnapshot, question: Question<Evm>): EvmSnapshot {
  const { hashes } = question;
  const { latest, nonce, orders, receipts } = snapshot;
  switch (lie) {
    case "nonce high":
    case "nonce low": {
      const shifted = (value: number) => Math.max(0, value + (lie === "nonce high" ? 1 : -1));
      const { latest, pending } = nonce;
      return { ...snapshot, nonce: { latest: shifted(latest), pending: shifted(pending) } };
    }
    case "receipts withheld":
      return { ...snapshot, receipts: new Map() };
    case "oldest failed": {
      const [oldest] = [...receipts.values()].toSorted((a, b) => a.block.number - b.block.number);
      if (oldest === undefined) return snapshot;
      return { ...snapshot, receipts: new Map(receipts).set(oldest.hash, failed(oldest)) };
    }
    case "balances made up":
      return {
        ...snapshot,
        held: new Map([...(snapshot.held ?? [])].map(([token]) => [token, 0n])),
        receipts: new Map(
          [...receipts].map(([hash, receipt]) => {
            const isNamed = receipt.status === "ok" && receipt.moved !== undefined;
            return [hash, isNamed ? { ...receipt, moved: (receipt.moved ?? 0n) + 3n } : receipt];
          }),
        ),
      };
    case "receipt made up": {
      const [hash] = hashes.filter((each) => !receipts.has(each));
      if (hash === undefined) return snapshot;
      return {
        ...snapshot,
        receipts: new Map(receipts).set(hash, { hash, status: "ok", block: latest, ...madeUp }),
      };
    }
    case "gas made up":
      return { ...snapshot, clearGas: 10n ** 12n };
    case "quote low":
    case "route preferred":
    case "route hidden":
    case "route invented": {
      const intents = new Map(question.orders.map((intent) => [intent.orderId, intent]));
      const lieAbout = ([orderId, facts]: readonly [string, EvmOrderFacts]) =>
        [
          orderId,
          { ...facts, routes: liesAboutRoutes(lie, facts, intents.get(orderId) as EvmIntent) },
        ] as const;
      return { ...snapshot, orders: new Map([...orders].map(lieAbout)) };
    }
  }
}

/** A pool that does not exist. */
const invented: EvmRoute = { ...localV3, feeBps: 100 };

function liesAboutRoutes(
  lie: "quote low" | `route ${string}`,
  { routes, isListed }: EvmOrderFacts,
  { side, amount: amountIn, minAmountOut }: EvmIntent,
): EvmOrderFacts["routes"] {
  const best = bestRoute(routes, { side, amountIn, isListed });
  if (best === undefined) return routes;
  switch (lie) {
    case "quote low":
      return routes.map((route) => ({ ...route, amountOut: route.amountOut / 100n }));
    case "route preferred":
      // Reverses the order of routes: routes below the minimum now pay it, and all other routes fall short.
      return routes.map((route) => {
        const amountOut = route.amountOut < minAmountOut ? minAmountOut : minAmountOut - 1n;
        return { ...route, amountOut };
      });
    case "route hidden":
      return routes.filter((route) => route !== best);
    default:
      return [{ ...best, ...invented, amountOut: minAmountOut }];
  }
}
