import bs58 from "bs58";
import { solPlacing } from "../../../../lib/chains/sol/place.ts";
import type { SolSetup } from "../../../../lib/chains/sol/rules/check-trade.ts";
import type { Sol } from "../../../../lib/chains/sol/rules/family.ts";
import type {
  SolPayingRoute,
  SolSnapshot,
  SolWalletFacts,
} from "../../../../lib/chains/sol/rules/host-snapshot.ts";
import type { SolIntent } from "../../../../lib/chains/sol/rules/intent.ts";
import { solFactsText } from "../../../../lib/chains/sol/rules/placed-facts.ts";
import type { SolTradeFacts } from "../../../../lib/chains/sol/rules/trade-facts.ts";
import type { TradeOrder } from "../../../../lib/orders/trade-order.ts";
import { solFacts } from "../../../support/sol-facts.ts";
import type { Random } from "../random.ts";
import type { SolChainUnderTest } from "./sol-chain-under-test.ts";

/** Name of the chain's configuration. */
export const setup = "setup";

type World = { chain: SolChainUnderTest; random: Random };

/**
 * Returns what both hosts say when an order is placed, as text for its job. Hosts may lie. Some orders have no such
 * text.
 */
export async function factsAtPlacing(
  { chain, random }: World,
  order: TradeOrder<Sol>,
  jobs: number,
): Promise<string | undefined> {
  const { intent } = order;
  if (!chain.scale.keepsFacts || random.chance(0.3)) return undefined;
  const { wallet, orderId } = intent;
  const run = {};
  const question = {
    chain: "sol",
    wallet,
    hashes: [],
    orders: [intent],
    marked: [],
    wantsBlockhash: true,
  } as const;
  const quotes = [
    quoteFrom(await chain.hostSnapshot(0, question, run), orderId),
    quoteFrom(await chain.hostSnapshot(1, question, run), orderId),
  ] as const;
  return solPlacing.factsForRun({ ...assessed, facts: solFacts, quotes }, order, jobs);
}

const limits = { maxNetworkFee: 1n, baseFeeLamports: 0n };
const ofSetup: SolSetup = { chain: "sol", name: setup, listed: [], baseFeeCap: 1n, limits };
const assessed = { setup: ofSetup, check: {} as Sol["check"] };

function quoteFrom(snapshot: SolSnapshot | undefined, orderId: string): SolTradeFacts | undefined {
  const facts = snapshot?.orders.get(orderId);
  if (snapshot?.blockhash === undefined || facts === undefined) return undefined;
  const { height, coins, blockhash } = snapshot;
  const routes = facts.routes.slice(0, 1);
  return { ...solFacts, forPlanning: { slot: height.slot, coins, blockhash, order: { ...facts, routes } } };
}

/**
 * Makes up facts that a run believes, as an attacker who can write jobs could. The life of the blockhash is true,
 * because an attacker who makes that up can lie about the order's end, too.
 */
export function madeUpFacts(
  { chain: { head, scale }, random }: World,
  { side, amount, routes: [route] }: SolIntent,
  jobs: number,
): string {
  if (random.chance(0.1)) return "made up";
  const unknown = bs58.encode(new Uint8Array(32).fill(7));
  const most = 10n ** 15n;
  const host: SolWalletFacts = {
    slot: random.below(1000),
    coins: most,
    blockhash: {
      hash: random.chance(0.7) ? head.hash : unknown,
      lastValidBlockHeight: head.height + scale.lifetime,
    },
    order: {
      ...(side === "sell" && { held: random.chance(0.5) ? amount : amount + 1n }),
      routes: [{ ...route, amountOut: most } as SolPayingRoute],
      computeUnitLimit: 1 + random.below(2 * scale.computeUnitLimit),
      baseFeeLamports: 0n,
      rents: { marker: 1n + BigInt(random.below(9)), wsol: scale.rents.wsol, token: 0n, market: 0n },
    },
  };
  return solFactsText({ setup, jobs, hosts: [host, host] });
}
