import { newResting } from "../../../../lib/orders/resting/life.ts";
import { classOf, type Leg, type Mandate } from "../../../../lib/orders/resting/mandate.ts";
import { floorOf } from "../../../../lib/orders/resting/prices.ts";
import { amountOfChild } from "../../../../lib/orders/resting/slices.ts";
import { firstMark } from "../../../../lib/orders/resting/trailing.ts";
import { Random } from "../random.ts";
import { Violation } from "../violation.ts";
import { nonceOf, RestingChain, usualWallet } from "./resting-chain.ts";
import type { Intruder } from "./resting-checks.ts";
import { politely, RestingHosts } from "./resting-hosts.ts";
import { mandateHash, startMark } from "./resting-runs.ts";
import { type RestingSystem, RestingWorld, restingSystem } from "./resting-world.ts";

export const startSeconds = Date.UTC(2026, 10, 21, 20) / 1000;
const startPrice = 1_000_000n;
const amount = 1_000_000n;

export const limitAt = (ppm: bigint): Leg => ({ kind: "limit", price: { coins: ppm, tokens: 1_000_000n } });
export const stopAt = (ppm: bigint): Leg => ({
  kind: "stop",
  trigger: { coins: ppm, tokens: 1_000_000n },
  worst: { coins: ppm * 8n, tokens: 10_000_000n },
});

/** Sells for at least 0.8 times the first price at which it fires. */
export const trailingBy = (trailPpm: bigint): Leg => ({
  kind: "trailing",
  trailPpm,
  worst: { coins: (1_000_000n - trailPpm) * 8n, tokens: 10_000_000n },
});

export const mandateOf = (
  orderId: string,
  legs: readonly Leg[],
  changes: Partial<Mandate> = {},
): Mandate => ({
  chain: "eth",
  wallet: usualWallet,
  userID: "alice",
  orderId,
  side: "sell",
  token: "0x5FbD",
  amount,
  legs,
  isPrivate: true,
  feesLimit: 1000n,
  feesStop: 1000n,
  createdAt: startSeconds * 1000 - 60_000,
  expiresAt: startSeconds + 86_400,
  ...changes,
});

/** Sells in four slices, one every two minutes, as long as they bring half of the price now. */
const slicesOf = (orderId: string): Mandate =>
  mandateOf(orderId, [{ kind: "slice", worst: { coins: 1n, tokens: 2n } }], {
    amount: 4n * amount + 8n,
    slices: { count: 4, everySeconds: 120 },
    createdAt: startSeconds * 1000 - 30_000,
    expiresAt: startSeconds + 900,
  });

/** Events in a kind of histories, besides random ones. */
export type RestingPlot = {
  intruder?: Intruder;
  isLiar?: boolean;
  isTorn?: boolean;
  /** Hosts cannot name the transaction that has used a nonce. */
  forgets?: boolean;
  cancels?: boolean;
  /** The table is restored to an earlier time, without what is never restored. */
  restores?: boolean;
  /** The price touches the limit again and again. */
  hovers?: boolean;
  /** Two blocks are replaced again and again, while the price jumps below a stop. */
  forks?: boolean;
  /** Some orders expire in the middle. */
  expires?: boolean;
  /** A stop follows the price. */
  trails?: boolean;
  /** One order sells in slices. */
  slices?: boolean;
  /** A market order, which may fill late or never, buys what an exit sells. */
  exits?: boolean;
  /** Three orders buy, of which the policy allows two a day. */
  buys?: boolean;
  /** Payments to the network that each kind of leg may make. A signature counts as 10. */
  fees?: bigint;
};

const steps = 60;

/** Buys as many tokens for a coin as a sale at the same price brings coins for a token. */
const buyAt = (ppm: bigint): Leg => ({ kind: "limit", price: { coins: 1_000_000n, tokens: ppm } });

type OpenWorld = (...parts: ConstructorParameters<typeof RestingWorld>) => RestingWorld;

/** Plays one history to its end, and adds what happened to the coverage. */
export function playResting(
  seed: number,
  coverage: Set<string>,
  plot: RestingPlot = {},
  system: RestingSystem = restingSystem,
  openWorld: OpenWorld = (...parts) => new RestingWorld(...parts),
): void {
  const random = new Random(seed);
  const chain = new RestingChain(random, startSeconds, startPrice);
  const manners = { isLiar: plot.isLiar ?? false, isTorn: plot.isTorn ?? false, isSlow: true };
  const hosts = new RestingHosts(random, chain, manners);
  hosts.forgets = plot.forgets ?? false;
  const world = openWorld(random, chain, hosts, system, plot.intruder);
  const early = { expiresAt: startSeconds + 120 + random.below(400) };
  const fees = plot.fees === undefined ? {} : { feesLimit: plot.fees, feesStop: plot.fees };
  if (!plot.buys) {
    world.rest(
      mandateOf("P", [limitAt(1_100_000n), stopAt(900_000n)], { ...fees, ...(plot.expires && early) }),
    );
    if (plot.slices) world.rest(slicesOf("S"));
    const single = plot.trails
      ? [trailingBy(100_000n)]
      : [random.chance(0.5) ? limitAt(1_050_000n) : stopAt(950_000n)];
    world.rest(mandateOf("Q", single, { amount: amount + 1n }));
  } else
    for (const n of [0n, 1n, 2n])
      world.rest(mandateOf(`P${n}`, [buyAt(1_050_000n)], { side: "buy", amount: amount + n }));
  if (plot.exits) placeExit(world);
  for (let step = 0; step < steps; step++) {
    movePrice(world, plot);
    if (random.chance(plot.forks ? 0.5 : 0.2)) chain.reorganise(plot.forks ? 2 : 1 + random.below(2));
    else chain.mine();
    world.aheadMs = random.below(12_000);
    world.checks.afterBlock();
    happen(world, plot);
    act(world);
    world.checks.afterStep();
  }
  comeToEnd(world, plot);
  for (const each of world.seen) coverage.add(each);
}

function movePrice({ random, chain }: RestingWorld, { hovers, forks }: RestingPlot): void {
  const turn = random.next();
  if (forks) chain.price = turn < 0.5 ? 760_000n : 880_000n;
  else if (hovers) chain.price = turn < 0.7 ? 1_150_000n : 1_000_000n;
  else if (turn < 0.1) chain.price = BigInt(600_000 + random.below(800_000));
  else if (turn < 0.6) chain.price += BigInt(random.below(120_001) - 60_000);
  if (chain.price < 300_000n) chain.price = 300_000n;
}

/** Plays what users, other programs and intruders do. */
function happen(world: RestingWorld, { cancels, restores, intruder }: RestingPlot): void {
  const { random, chain } = world;
  if (random.chance(0.03)) {
    const terms = { orderId: "", deadline: 0, amount: 0n, minAmountOut: 0n };
    const [wallet, nonce] = [usualWallet, nonceOf(chain.head, usualWallet)];
    chain.send({ kind: "foreign", wallet, nonce, ...terms, hash: `foreign${chain.pool.length}` });
  }
  if (random.chance(0.02)) placeMarket(world);
  if (cancels && random.chance(0.03)) cancel(world, random.pick([...world.parents.keys()]) as string);
  if (cancels && random.chance(0.01)) world.cancelledAll = Math.max(world.nowMs, world.cancelledAll);
  if (restores && random.chance(0.02)) restore(world);
  if (intruder === "fireOrders" && random.chance(0.2)) intrude(world);
}

/** A world of orders, on any chain. */
type Orders = Pick<RestingWorld, "nowMs" | "random" | "cancelledAll" | "jobs" | "addJob" | "rest">;

function placeMarket(world: Orders, bought = amount): void {
  const { createdAt } = { createdAt: Math.max(world.nowMs, world.cancelledAll + 1) };
  const orderId = `market${world.jobs.size}`;
  const { parent: _, ...terms } = childOf(world, orderId, mandateOf("", [limitAt(1n)]), 0);
  world.addJob(orderId, { ...terms, amount: bought, createdAt, minAmountOut: 1n }, "market");
}

const atFill = (kind: "gain" | "loss", ppm: bigint): Leg => ({
  kind,
  ppm,
  worst: { coins: ppm / 4n, tokens: 1_000_000n },
});

/** Lets an exit wait for a buy, which is not placed in half of the histories. */
export function placeExit(world: Orders, changes: Partial<Mandate> = {}): void {
  const bought = amount + 2n;
  const exit = { of: `market${world.jobs.size}`, sharePpm: 1_000_000n };
  if (world.random.chance(0.5)) placeMarket(world, bought);
  const legs = [atFill("gain", 1_100_000n), atFill("loss", 900_000n)];
  const of = world.jobs.size > 0 ? exit.of : "never";
  world.rest(mandateOf("E", legs, { amount: bought, exit: { ...exit, of }, ...changes }));
}

function childOf({ nowMs, random }: Orders, orderId: string, mandate: Mandate, leg: number) {
  const { chain, wallet, userID, side, token, isPrivate } = mandate;
  const { orderId: parentId, legs, slices } = mandate;
  // An intruder asks for any slice.
  const slice = slices && 1 + random.below(slices.count);
  const own = amountOfChild(mandate, slice);
  const minAmountOut = floorOf(side, legs[leg] as Leg, own);
  const terms = { chain, wallet, userID, side, token, isPrivate, amount: own, minAmountOut };
  return {
    ...terms,
    orderId,
    quotedOut: minAmountOut,
    validUntil: Math.floor(nowMs / 1000) + 60,
    createdAt: nowMs,
    parent: { orderId: parentId, mandate: mandateHash, leg, n: 1, ...(slice !== undefined && { slice }) },
  };
}

function cancel(world: RestingWorld, orderId: string): void {
  world.cancelled.add(orderId);
  for (const job of world.jobs.values()) if (job.child?.parent.orderId === orderId) job.isCancelling = true;
}

/** Puts the parents back as they were placed. Ledgers, tallies, proofs and cancellations are lost. */
function restore(world: RestingWorld): void {
  for (const { mandate } of world.parents.values()) {
    world.parents.set(mandate.orderId, newResting(mandate, "mac", firstMark(mandate, startMark)));
    world.isVoid.add(mandate.orderId);
  }
  for (const items of [world.jobs, world.ledgers, world.tallies, world.ended, world.cancelled]) items.clear();
  world.runs.splice(0);
  world.seen.add("restored");
}

/** Does what a fireOrders that was taken over can do: place any child, and forget those that are out. */
function intrude(world: RestingWorld): void {
  const { random } = world;
  const parent = random.pick([...world.parents.values()]);
  if (parent === undefined) return;
  const { mandate } = parent;
  const child = childOf(world, `evil${world.jobs.size}`, mandate, random.below(mandate.legs.length));
  const odd = random.below(6);
  world.addJob(
    child.orderId,
    {
      ...child,
      ...(odd === 0 && { amount: 2n * mandate.amount }),
      ...(odd === 1 && { minAmountOut: 1n }),
      ...(odd === 2 && { validUntil: child.validUntil + 86_400 }),
    },
    classOf(mandate.legs[child.parent.leg] as Leg),
  );
  world.parents.set(mandate.orderId, { ...parent, state: "resting", out: [], revision: parent.revision + 1 });
}

/** Lets some runs of the functions continue. Each may be skipped, or killed after any effect. */
function act(world: RestingWorld): void {
  const { random } = world;
  if (random.chance(0.05)) return;
  for (let turn = 0; turn < 60; turn++) {
    const isKilled = () => random.chance(0.06);
    if (random.chance(0.06)) world.work(isKilled);
    if (random.chance(0.05) && world.runs.length < 2) world.startFiring();
    const run = random.pick(world.runs);
    if (run === undefined) continue;
    const kill = random.chance(0.01) ? (random.chance(0.5) ? "before" : "after") : "none";
    world.stepRun(run, kill);
  }
}

/** Ends all faults, holds the price below the stops and then above the limits, and checks the ends. */
function comeToEnd(world: RestingWorld, plot: RestingPlot): void {
  const { chain, hosts } = world;
  world.runs.splice(0);
  hosts.manners = politely;
  chain.delays = 0;
  // After an intrusion or a restore only the chain counts.
  const isWhole = plot.intruder === undefined && !plot.restores && !plot.buys && !plot.exits;
  const isDone = () => [...world.parents.values()].every(({ state }) => state === "done");
  for (let block = 0; block < (isWhole ? 500 : 60) && !(isDone() && block > 8); block++) {
    chain.price = block < 40 ? 850_000n : 1_200_000n;
    chain.mine();
    world.aheadMs = 1000;
    world.checks.afterBlock();
    for (let round = 0; round < 2; round++) {
      world.work(() => false);
      world.startFiring();
      for (const run of [...world.runs]) while (world.runs.includes(run)) world.stepRun(run);
    }
    world.checks.afterStep();
  }
  if (isWhole) world.checks.atEnd();
}

/** Plays several histories. A violation names its history. */
export function playRestings(
  {
    from,
    count,
    plot,
    system,
    openWorld,
  }: {
    from: number;
    count: number;
    plot?: RestingPlot;
    system?: RestingSystem;
    openWorld?: OpenWorld;
  },
  reached = new Set<string>(),
): Set<string> {
  for (let seed = from; seed < from + count; seed++)
    try {
      playResting(seed, reached, plot, system, openWorld);
    } catch (error) {
      throw error instanceof Violation ? new Violation(`history ${seed}: ${error.message}`) : error;
    }
  return reached;
}
