import type { Sol } from "../../../../lib/chains/sol/rules/family.ts";
import type { SolOrderFacts, SolSnapshot } from "../../../../lib/chains/sol/rules/host-snapshot.ts";
import type { Question } from "../../../../lib/orders/effects.ts";

/** Lies that a single host may tell. */
export const solLies = [
  "no receipts",
  "no markers",
  "nothing landed",
  "all markers",
  "far ahead",
  "far behind",
  "an invented blockhash",
  "a short life",
  "a long life",
  "an endless life",
  "endless rents",
  "more coins",
  "better prices",
  "worse prices",
  "invented fills",
  "invented fills below the minimum",
  "invented failures",
  "a block that is not final",
] as const;

/** Random histories report no tokens as missing, so only a plot makes hosts lie about them. */
export type SolLie = (typeof solLies)[number] | "no tokens";

const withFacts = (snapshot: SolSnapshot, change: (facts: SolOrderFacts) => SolOrderFacts): SolSnapshot => ({
  ...snapshot,
  orders: new Map([...snapshot.orders].map(([orderId, facts]) => [orderId, change(facts)])),
});

const priced = (snapshot: SolSnapshot, percent: bigint): SolSnapshot =>
  withFacts(snapshot, (facts) => ({
    ...facts,
    routes: facts.routes.map((route) => ({ ...route, amountOut: (route.amountOut * percent) / 100n })),
  }));

const movedBy = (snapshot: SolSnapshot, blocks: number): SolSnapshot => {
  const moved = ({ slot, blockHeight }: SolSnapshot["height"]) => ({
    slot: Math.max(0, slot + blocks),
    blockHeight: Math.max(0, blockHeight + blocks),
  });
  return { ...snapshot, height: moved(snapshot.height) };
};

const withLife = (snapshot: SolSnapshot, blocks: number): SolSnapshot => {
  const { blockhash } = snapshot;
  const lastValidBlockHeight = Math.max(0, (blockhash?.lastValidBlockHeight ?? 0) + blocks);
  return blockhash ? { ...snapshot, blockhash: { ...blockhash, lastValidBlockHeight } } : snapshot;
};

type Outcome =
  | { status: "ok"; spent: bigint; received: bigint; held: bigint; isBelowMinimum?: true }
  | { status: "failed"; isSlippage: boolean };

const withReceipts = (snapshot: SolSnapshot, { hashes }: Question<Sol>, outcome: Outcome): SolSnapshot => ({
  ...snapshot,
  receipts: new Map(
    hashes.map((hash) => [
      hash,
      {
        hash,
        ...outcome,
        fee: 1n,
        tip: 0n,
        rent: 0n,
        computeUnits: 1,
        block: { number: snapshot.height.slot, hash: String(snapshot.height.slot), time: 1 },
      },
    ]),
  ),
});

export function withLie(snapshot: SolSnapshot, lie: SolLie, question: Question<Sol>): SolSnapshot {
  const marks = (isThere: boolean) => new Map(question.marked.map((orderId) => [orderId, isThere]));
  switch (lie) {
    case "no receipts":
      return { ...snapshot, receipts: new Map() };
    case "no markers":
      return { ...snapshot, markers: marks(false) };
    case "nothing landed":
      return { ...snapshot, receipts: new Map(), markers: marks(false) };
    case "all markers":
      return { ...snapshot, markers: marks(true) };
    case "far ahead":
      return movedBy(snapshot, 1000);
    case "far behind":
      return movedBy(snapshot, -1000);
    case "an invented blockhash":
      return { ...snapshot, blockhash: { hash: "invented", lastValidBlockHeight: 10_000 } };
    case "a short life":
      return withLife(snapshot, -1000);
    case "a long life":
      return withLife(snapshot, 30);
    case "an endless life":
      return withLife(snapshot, 1_000_000);
    case "endless rents":
      return withFacts(snapshot, (facts) => ({
        ...facts,
        computeUnitLimit: 0,
        rents: { marker: 10n ** 9n, wsol: 10n ** 9n, token: 10n ** 9n, market: 0n },
      }));
    case "no tokens":
      return { ...snapshot, held: new Map([...(snapshot.held ?? [])].map(([token]) => [token, 0n])) };
    case "more coins":
      return { ...snapshot, coins: snapshot.coins * 2n };
    case "better prices":
      return priced(snapshot, 200n);
    case "worse prices":
      return priced(snapshot, 50n);
    case "invented fills":
      return withReceipts(snapshot, question, { status: "ok", spent: 1n, received: 10n ** 9n, held: 1n });
    case "invented fills below the minimum": {
      const short = { received: 0n, held: 1n, isBelowMinimum: true } as const;
      return withReceipts(snapshot, question, { status: "ok", spent: 1n, ...short });
    }
    case "invented failures":
      return withReceipts(snapshot, question, { status: "failed", isSlippage: true });
    // The chain tells this lie itself, because only it knows such blocks.
    case "a block that is not final":
      return snapshot;
  }
}
