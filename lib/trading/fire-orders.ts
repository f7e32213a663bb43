import { isDeepStrictEqual } from "node:util";
import { boughtBy, childWordsOf } from "../chains/families/child-words.ts";
import { type FoundUnits, firingOf, heldBy, signedBy } from "../chains/families/fire.ts";
import type { ChainReader, Chains } from "../chains/families/open-chains.ts";
import { pricesOn } from "../chains/families/prices.ts";
import { askQuotes, setupOn } from "../chains/families/quote.ts";
import type { TokenPrices } from "../chains/hosts/token-prices.ts";
import { dayOf } from "../core/time.ts";
import { greatest } from "../orders/bigints.ts";
import type { Order } from "../orders/execution.ts";
import { submissionOf } from "../orders/order-details.ts";
import { reservedBy } from "../orders/reserved.ts";
import { birthAmount } from "../orders/resting/exits/after-buy.ts";
import { amountOf } from "../orders/resting/exits/entry.ts";
import { factsOfChildren, isRefusedForGood } from "../orders/resting/facts.ts";
import type {
  AskedChildOrder,
  Birth,
  ChildRefusal,
  ChildView,
  FiringEffects,
  ParentView,
  PreparedChild,
} from "../orders/resting/firing.ts";
import { type FireAnswer, type FireRequest, wordOf } from "../orders/resting/hand-over.ts";
import type { OutChild, RestingOrder } from "../orders/resting/life.ts";
import { classOf, isLongOver, type LegClass } from "../orders/resting/mandate.ts";
import { restingStep } from "../orders/resting/resting-step.ts";
import { amountOfChild, fillIdOf, nextSliceOf } from "../orders/resting/slices.ts";
import { type StoredResting, storedAfter } from "../orders/resting/stored.ts";
import { spendable } from "../orders/resting/tally.ts";
import { slippageOf } from "../orders/resting/terms.ts";
import { randomBlocks } from "../orders/resting/touch.ts";
import { type TradeStep, unchanged } from "../orders/table-step.ts";
import { type AnyOrder, hasEnded } from "../orders/trade-order.ts";
import type { Table } from "../table/table.ts";
import { type Performers, type PerformersOf, runEffects, runProcedure } from "./execution/run-procedure.ts";
import { busyIn, type ChildOut, type FiringView, readChildrenOut, readFiring } from "./items/firing-views.ts";
import { readOrder, readPlacing } from "./items/views.ts";
import { writeStep } from "./items/write-step.ts";
import { type MadeChild, makingChild } from "./procedures/child-order.ts";
import { firing } from "./procedures/firing.ts";
import { wakeFor, writesOfOrder } from "./procedures/new-order.ts";
import { type Macs, mandateHash } from "./signing/intent-mac.ts";

type FireDeps = {
  table: Table;
  chains: Chains;
  macs: Pick<Macs, "makeChildMac">;
  /** Wakes the lane of a wallet. */
  wake: NonNullable<Performers["wake"]>;
  nowMs?: () => number;
};

/** Number of attempts to write to a child's order, which its lane may write to at the same time. */
const mostTries = 3;

/** Fires the orders whose prices are reached, and moves those whose children have an outcome. */
export async function fireOrders(deps: FireDeps, request: FireRequest): Promise<FireAnswer> {
  const { chain, orders } = request;
  const reader = deps.chains.get(chain);
  if (reader === undefined) return {};
  const run = new FiringRun(deps, reader, request);
  const orderIds = orders.map(({ orderId }) => orderId);
  const dice = Array.from({ length: randomBlocks }, Math.random);
  const { waiting } = await runEffects(firing(firingOf(chain), { chain, orderIds, dice }), run.performers);
  await run.publishFacts();
  return run.answer(waiting);
}

/** Performs the effects of firing for some orders of one token. */
class FiringRun {
  readonly #deps: FireDeps;
  readonly #reader: ChainReader;
  readonly #request: FireRequest;
  readonly #prices: TokenPrices;
  readonly #nowMs: () => number;
  readonly #views = new Map<string, FiringView>();
  /** The orders as they are stored now. */
  readonly #stored = new Map<string, StoredResting>();
  readonly #made = new Map<string, MadeChild>();

  constructor(deps: FireDeps, reader: ChainReader, request: FireRequest) {
    this.#deps = deps;
    this.#reader = reader;
    this.#request = request;
    this.#prices = pricesOn(reader);
    this.#nowMs = deps.nowMs ?? Date.now;
  }

  readonly performers: PerformersOf<FiringEffects> = {
    now: () => this.#nowMs(),
    readParents: () => this.#readParents(),
    childWords: ({ questions }) => Promise.all(questions.map((asked) => childWordsOf(this.#reader, asked))),
    priceWords: ({ questions }) => this.#prices.priceWords(questions),
    quoteSums: (ask) => this.#prices.quoteSums(ask),
    prepareChildren: ({ children }) => Promise.all(children.map((child) => this.#prepareChild(child))),
    moveParent: ({ order }) => this.#write(order),
    fire: (ask) => this.#fire(ask),
    yieldToStop: (ask) => this.#yieldToStop(ask),
    birthWords: (ask) => this.#birthWords(ask),
  };

  /** Shows clients what has changed about children without a move of their order. */
  async publishFacts(): Promise<void> {
    for (const stored of this.#stored.values()) {
      if (stored.state !== "done" && !isDeepStrictEqual(this.#factsOf(stored), stored.facts))
        await this.#write(stored);
    }
  }

  answer(waiting: readonly string[]): FireAnswer {
    const nowMs = this.#nowMs();
    const { orders } = this.#request;
    return Object.fromEntries(
      orders.map(({ orderId }) => [
        orderId,
        wordOf(this.#stored.get(orderId), nowMs, waiting.includes(orderId)),
      ]),
    );
  }

  async #readParents(): Promise<FiringEffects["readParents"]["answer"]> {
    const { table } = this.#deps;
    const { chain, token, orders } = this.#request;
    const names = orders.map((order) => ({ ...order, chain, token }));
    const [views, children] = await Promise.all([
      readFiring(table, chain, names, dayOf(this.#nowMs())),
      readChildrenOut(table, chain, token),
    ]);
    for (const view of views) {
      const { orderId } = view.resting.mandate;
      this.#views.set(orderId, view);
      this.#stored.set(orderId, view.resting);
    }
    const held = await this.#heldBy(views);
    return {
      parents: views.map((view) => this.#parentOf(view, held)),
      out: outOf(children, this.#nowMs()),
    };
  }

  /** Asks what the wallets hold, unless no order may fire. */
  #heldBy(views: readonly FiringView[]): Promise<FoundUnits> | FoundUnits {
    const mandates = views.flatMap(({ resting: { state, mandate } }) =>
      state === "resting" || state === "suspended" || state === "firing" ? [mandate] : [],
    );
    const walletsOn = (side: "buy" | "sell") => [
      ...new Set(mandates.flatMap((mandate) => (mandate.side === side ? [mandate.wallet] : []))),
    ];
    if (mandates.length === 0) return { coins: new Map(), tokens: new Map(), most: new Map() };
    return heldBy(this.#reader, {
      token: this.#request.token,
      buyers: walletsOn("buy"),
      sellers: walletsOn("sell"),
    });
  }

  #parentOf(view: FiringView, held: FoundUnits): ParentView {
    const { resting: order, tally, ended, end, settings, limits } = view;
    const { mandate } = order;
    const submission = submissionOf(mandate);
    const { isOneOut } = firingOf(mandate.chain);
    const busy = isOneOut ? busyIn(view) : undefined;
    const maxSlippage = limits.stored?.policy.maxSlippage;
    return {
      order,
      children: new Map(order.out.map((child) => [child.orderId, childOf(view, child, this.#nowMs())])),
      end: { ...end, isVoid: order.tableId !== this.#deps.table.id || isRefusedForGood(order, view) },
      tally,
      ended,
      exit: view.exit && { ...view.exit, isDust: isDust(order, held) },
      amount: spendableBy(view, held, this.#nowMs()),
      slippagePpm: mandate.legs.map((leg) =>
        slippageOf(mandate, leg, submission, settings.slippage, maxSlippage),
      ),
      isPublic: submission === "public",
      busy: busy && {
        orderId: busy.intent.orderId,
        kind: kindOf(busy),
        yields: busy.yields ?? false,
      },
    };
  }

  /** Asks for the balance after both hosts have shown the fill, so that it includes what the buy has brought. */
  async #birthWords({ order, signed }: FiringEffects["birthWords"]["ask"]): Promise<Birth | undefined> {
    const { wallet, token } = order.mandate;
    const [bought, { most }] = await Promise.all([
      boughtBy(this.#reader, wallet, signed),
      heldBy(this.#reader, { token, buyers: [], sellers: [wallet] }),
    ]);
    if (bought === undefined) return undefined;
    const amount = birthAmount(order.mandate, bought.received, most.get(wallet));
    const question = { side: "sell", token, amount, distances: [] } as const;
    const [words = [undefined, undefined]] = await this.#prices.priceWords(amount > 0n ? [question] : []);
    return { bought, amount, words };
  }

  async #prepareChild({ order, ...asked }: AskedChildOrder): Promise<PreparedChild | ChildRefusal> {
    const { orderId } = order.mandate;
    const { resting, tally, ended } = this.#views.get(orderId) as FiringView;
    const { table, macs } = this.#deps;
    const request = {
      ...asked,
      parent: { ...resting, ...order },
      mandateHash: mandateHash(order.mandate),
      setup: setupOn(this.#reader),
      nowMs: this.#nowMs(),
      tally,
      ended,
    };
    const made = await runProcedure(makingChild(request), {
      readPlacing: (ask) => readPlacing(table, ask),
      quote: ({ question }) => askQuotes(this.#reader, question),
      makeMac: ({ intent }) => macs.makeChildMac(intent),
      now: this.#nowMs,
    });
    if ("attention" in made) return made;
    this.#made.set(asked.orderId, made);
    return { price: made.price, validUntil: asked.validUntil };
  }

  async #fire({ order, orderId }: FiringEffects["fire"]["ask"]): Promise<boolean> {
    const { userID, orderId: parentId } = order.mandate;
    const { made, view } = this.#made.get(orderId) as MadeChild;
    const isFired = await this.#write(order, [
      { kind: "check", of: "cancellation", item: { userID, orderId: parentId }, when: "absent" },
      ...writesOfOrder(made, view),
    ]);
    if (isFired) await runProcedure(wakeFor(made), { wake: this.#deps.wake });
    return isFired;
  }

  /** Writes a moved order, and a step that belongs to it. Returns false if another run has moved it. */
  async #write(order: RestingOrder, step: TradeStep = []): Promise<boolean> {
    const { orderId } = order.mandate;
    const known = this.#stored.get(orderId);
    if (known?.revision !== order.revision) return false;
    const next = storedAfter(known, order, this.#factsOf({ ...known, ...order }), this.#nowMs());
    if (!(await writeStep(this.#deps.table, [...restingStep(next, known), ...step]))) return false;
    this.#stored.set(orderId, next);
    return true;
  }

  #factsOf(order: StoredResting) {
    return factsOfChildren(order, order.facts, this.#views.get(order.mandate.orderId) as FiringView);
  }

  async #yieldToStop({ lane, orderId }: FiringEffects["yieldToStop"]["ask"]): Promise<undefined> {
    const { table, wake } = this.#deps;
    const orders = [...this.#views.values()].flatMap((view) => view.orders);
    let order = orders.find(({ intent }) => intent.orderId === orderId);
    for (let tries = 0; tries < mostTries && order !== undefined && !order.yields; tries++) {
      const { userID, token } = order.intent;
      const item: AnyOrder = { ...order, yields: true, revision: order.revision + 1 };
      if (await writeStep(table, [{ kind: "put", of: "order", item, when: unchanged(order) }])) {
        await wake({ lane, job: { orderId, userID, token } });
        return undefined;
      }
      // The order's lane has written meanwhile.
      ({ order } = await readOrder(table, userID, orderId));
    }
    return undefined;
  }
}

/**
 * Time in which an unsigned child counts as out. A child that its lane holds back for longer must not keep others
 * waiting.
 */
const signingMs = 10_000;

/**
 * Adds up, for each side, what children that may soon fill sell or spend. Only one child of an order, or of a slice,
 * can fill.
 */
function outOf(children: readonly ChildOut[], nowMs: number): Record<Order["side"], bigint> {
  const soon = children.filter(({ parent, order, ledger }) => {
    const signed = ledger && signedBy(ledger, []);
    const untilMs = signed ? signed.deadline * 1000 : Date.parse(order.placed.createdAt) + signingMs;
    return !hasEnded(order) && nowMs < untilMs && parent.filled === undefined;
  });
  const outs = { buy: 0n, sell: 0n };
  const fillOf = ({ order: { intent } }: ChildOut) => intent.parent && fillIdOf(intent.parent);
  for (const [, own] of Map.groupBy(soon, fillOf))
    for (const [side, same] of Map.groupBy(own, ({ parent }) => parent.mandate.side))
      outs[side] += greatest(0n, ...same.map(({ order }) => order.amount));
  return outs;
}

function childOf(view: FiringView, { orderId }: OutChild, nowMs: number): ChildView {
  const { resting, ended } = view;
  const order = view.children.get(orderId);
  const ledger = view.ledgers.get(orderId);
  // The signer signs only one child of a slice.
  const siblings = resting.mandate.slices ? [] : [...view.ledgers.values()].filter((each) => each !== ledger);
  return {
    // A lost order is no reason to wait: the ledger decides.
    hasEnded: order === undefined || hasEnded(order),
    yields: order?.yields ?? false,
    isRefused: view.isRefused,
    // A proof may have expired, and is no longer needed: no other child is ever signed.
    isProvenDead:
      isLongOver(resting.mandate, nowMs) || (ended?.dead.some(({ child }) => child === orderId) ?? false),
    signed: ledger && signedBy(ledger, siblings),
  };
}

/**
 * Computes what an order, or its slice, can spend: of a sale, what is left of its amount; of a buy, all of it or
 * nothing.
 */
function spendableBy({ resting, orders }: FiringView, held: FoundUnits, nowMs: number): bigint {
  const { mandate } = resting;
  const { side, wallet, token } = mandate;
  const slice = nextSliceOf(mandate, resting.firings, nowMs);
  const amount = amountOfChild({ ...mandate, amount: amountOf(resting) }, slice);
  const units = side === "buy" ? held.coins.get(wallet) : held.tokens.get(wallet);
  // Stops no order, because prices of the same hosts will be missing, too.
  if (units === undefined) return amount;
  if (side === "buy") return units < amount ? 0n : amount;
  const others = orders.filter(
    ({ intent }) => intent.parent?.orderId !== mandate.orderId || mandate.slices !== undefined,
  );
  return spendable(amount, greatest(units - (reservedBy(others).tokens.get(token) ?? 0n), 0n));
}

/** True if both hosts say that a wallet has next to nothing of what an order sells. */
function isDust(order: StoredResting, { most }: FoundUnits): boolean {
  const units = most.get(order.mandate.wallet);
  return units !== undefined && spendable(amountOf(order), units) === 0n;
}

function kindOf({ intent, mandate }: AnyOrder): LegClass | "market" {
  const leg = intent.parent && mandate?.legs[intent.parent.leg];
  return leg === undefined ? "market" : classOf(leg);
}
