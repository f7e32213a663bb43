import type { Question } from "../../../lib/trading/core/effects.ts";
import type { HostSnapshot } from "../../../lib/trading/core/evm/host-snapshot.ts";
import type { Lie } from "./chain-under-test.ts";

const madeUp = { fee: 5n, l1Fee: 0n, gasUsed: 5n, gasPrice: 1n, spent: 11n, received: 13n };

/** Replaces a host's snapshot by a lie. */
export function lyingSnapshot(snapshot: HostSnapshot, lie: Lie, { hashes }: Question): HostSnapshot {
  const { latest, nonce, orders, receipts } = snapshot;
  switch (lie) {
    case "nonce high":
    case "nonce low": {
      const shifted = (value: number) => Math.max(0, value + (lie === "nonce high" ? 1 : -1));
      const { latest, pending, finalized } = nonce;
      return {
        ...snapshot,
        nonce: { latest: shifted(latest), pending: shifted(pending), finalized: shifted(finalized) },
      };
    }
    case "receipts withheld":
      return { ...snapshot, receipts: new Map() };
    case "receipt made up": {
      const [hash] = hashes.filter((each) => !receipts.has(each));
      if (hash === undefined) return snapshot;
      return {
        ...snapshot,
        receipts: new Map(receipts).set(hash, { hash, status: "ok", block: latest, ...madeUp }),
      };
    }
    case "quote low":
      return {
        ...snapshot,
        orders: new Map(
          [...orders].map(([orderId, facts]) => {
            const { quote } = facts;
            return [
              orderId,
              quote ? { ...facts, quote: { ...quote, amountOut: quote.amountOut / 100n } } : facts,
            ];
          }),
        ),
      };
  }
}
