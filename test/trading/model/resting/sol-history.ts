import { classOf, type Leg, type Mandate } from "../../../../lib/orders/resting/mandate.ts";
import { floorOf } from "../../../../lib/orders/resting/prices.ts";
import { amountOfChild } from "../../../../lib/orders/resting/slices.ts";
import { Random } from "../random.ts";
import { Violation } from "../violation.ts";
import type { Intruder } from "./resting-checks.ts";
import { placeExit } from "./resting-history.ts";
import { politely } from "./resting-hosts.ts";
import { mandateHash } from "./resting-runs.ts";
import { SolChain } from "./sol-chain.ts";
import { type SolSystem, SolWorld, solSystem } from "./sol-world.ts";

export const solStartSeconds = Date.UTC(2026, 10, 21, 20) / 1000;
const amount = 1_000_000n;
const limit: Leg = { kind: "limit", price: { coins: 11n, tokens: 10n } };
const stop: Leg = {
  kind: "stop",
  trigger: { coins: 9n, tokens: 10n },
  worst: { coins: 72n, tokens: 100n },
};

const trailing: Leg = { kind: "trailing", trailPpm: 100_000n, worst: stop.worst };

const solTerms = { chain: "sol", wallet: "wallet", token: "token" } as const;

export const solMandateOf = (
  orderId: string,
  legs: readonly Leg[] = [limit, stop],
  changes: Partial<Mandate> = {},
): Mandate => ({
  ...solTerms,
  userID: "alice",
  orderId,
  side: "sell",
  amount,
  legs,
  isPrivate: false,
  feesLimit: 1000n,
  feesStop: 1000n,
  createdAt: solStartSeconds * 1000 - 60_000,
  expiresAt: solStartSeconds + 86_400,
  ...changes,
});

/** Sells in three slices, one every 40 seconds, as long as they bring half of the price now. */
const slicesOf = (orderId: string): Mandate =>
  solMandateOf(orderId, [{ kind: "slice", worst: { coins: 1n, tokens: 2n } }], {
    amount: 3n * amount + 8n,
    slices: { count: 3, everySeconds: 40 },
    createdAt: solStartSeconds * 1000 - 10_000,
    expiresAt: solStartSeconds + 300,
  });

/** Events in a kind of histories, besides random ones. */
export type SolPlot = {
  intruder?: Intruder;
  isLiar?: boolean;
  isTorn?: boolean;
  cancels?: boolean;
  /** An executeOrders that was taken over asks for clears of children. */
  clears?: boolean;
  /** The price jumps between both legs and stays there for a while. */
  whips?: boolean;
  /** A stop follows the price. */
  trails?: boolean;
  /** One order sells in slices. */
  slices?: boolean;
  /** A market order, which may fill late or never, buys what an exit sells. */
  exits?: boolean;
  /** Strangers pay lamports into markers. */
  deposits?: boolean;
};

const steps = 90;

type OpenSolWorld = (...parts: ConstructorParameters<typeof SolWorld>) => SolWorld;

function playSolResting(
  seed: number,
  coverage: Set<string>,
  plot: SolPlot,
  system: SolSystem,
  openWorld: OpenSolWorld,
): void {
  const random = new Random(seed);
  const manners = { isLiar: plot.isLiar ?? false, isTorn: plot.isTorn ?? false, isSlow: true };
  const chain = new SolChain(random, solStartSeconds, 1_000_000n, manners);
  const world = openWorld(random, chain, system, plot.intruder);
  world.asksForClears = plot.clears ?? false;
  if (plot.whips) chain.delays = random.chance(0.5) ? 0.9 : 0.99;
  world.rest(solMandateOf("P", [limit, stop]));
  world.rest(
    solMandateOf("Q", [plot.trails ? trailing : random.chance(0.5) ? limit : stop], { amount: amount + 1n }),
  );
  if (plot.slices) world.rest(slicesOf("S"));
  if (plot.exits) placeExit(world, solTerms);
  for (let step = 0; step < steps; step++) {
    movePrice(world, plot);
    if (random.chance(0.2)) chain.reorganise();
    else chain.mine();
    world.aheadMs = random.below(2000);
    world.checks.afterBlock();
    happen(world, plot);
    for (let turn = 0; turn < 30; turn++) act(world);
    if ([...world.parents.values()].some(({ out }) => out.length > 1)) world.seen.add("two legs out");
  }
  comeToEnd(world, plot);
  for (const each of world.seen) coverage.add(each);
}

/** Lets a price stay for some blocks, since a stop fires only after several readings. */
function movePrice({ random, chain }: SolWorld, { whips }: SolPlot): void {
  const turn = random.next();
  if (whips) chain.price = turn < 0.15 ? (turn < 0.075 ? 1_150_000n : 850_000n) : chain.price;
  else if (turn < 0.1) chain.price = BigInt(700_000 + random.below(600_000));
  else if (turn < 0.3) chain.price += BigInt(random.below(80_001) - 40_000);
}

function happen(world: SolWorld, { cancels, deposits, intruder }: SolPlot): void {
  const { random } = world;
  const orderId = random.pick([...world.parents.keys()]) as string;
  if (deposits && random.chance(0.1)) world.chain.deposits.add(orderId);
  if (cancels && random.chance(0.02)) {
    world.cancelled.add(orderId);
    for (const job of world.jobs.values()) if (job.child?.parent.orderId === orderId) job.isCancelling = true;
  }
  if (intruder === "fireOrders" && random.chance(0.05)) intrude(world, orderId);
}

/** Places a child as a fireOrders that was taken over, and forgets those that are out. */
function intrude(world: SolWorld, orderId: string): void {
  const parent = world.parents.get(orderId);
  if (parent === undefined) return;
  const { mandate } = parent;
  const leg = world.random.below(mandate.legs.length);
  const terms = mandate.legs[leg] as Leg;
  const { chain, wallet, userID, side, token, isPrivate } = mandate;
  const slice = mandate.slices && 1 + world.random.below(mandate.slices.count);
  const own = amountOfChild(mandate, slice);
  const minAmountOut = world.random.chance(0.2) ? 1n : floorOf(side, terms, own);
  const child = {
    chain,
    wallet,
    userID,
    side,
    token,
    isPrivate,
    amount: own,
    minAmountOut,
    orderId: `evil${world.jobs.size}`,
    quotedOut: minAmountOut,
    validUntil: Math.floor(world.nowMs / 1000) + 60,
    createdAt: world.nowMs,
    parent: { orderId, mandate: mandateHash, leg, n: 1, ...(slice !== undefined && { slice }) },
  };
  world.addJob(child.orderId, child, classOf(terms));
  world.parents.set(orderId, { ...parent, state: "resting", out: [], revision: parent.revision + 1 });
}

function act(world: SolWorld): void {
  const { random } = world;
  if (random.chance(0.1)) world.work();
  if (random.chance(0.1) && world.runs.length < 2) world.startFiring();
  const run = random.pick(world.runs);
  if (run === undefined) return;
  const kill = random.chance(0.01) ? (random.chance(0.5) ? "before" : "after") : "none";
  world.stepRun(run, kill);
}

/** Ends all faults, holds the price below the stops and then above the limits, and checks the ends. */
function comeToEnd(world: SolWorld, { intruder, exits }: SolPlot): void {
  const { chain } = world;
  world.runs.splice(0);
  chain.manners = politely;
  chain.delays = 0;
  const isDone = () => [...world.parents.values()].every(({ state }) => state === "done");
  const isWhole = intruder === undefined && !exits;
  for (let block = 0; block < (isWhole ? 500 : 60) && !(isDone() && block > 8); block++) {
    chain.price = block < 60 ? 850_000n : 1_200_000n;
    chain.mine();
    world.aheadMs = 500;
    world.checks.afterBlock();
    world.work();
    world.startFiring();
    for (const run of [...world.runs]) while (world.runs.includes(run)) world.stepRun(run);
  }
  if (!isWhole) return;
  world.checks.atEnd();
  world.finish();
}

/** Plays several histories. A violation names its history. */
export function playSolRestings(
  {
    from,
    count,
    plot = {},
    system = solSystem,
    openWorld = (...parts) => new SolWorld(...parts),
  }: { from: number; count: number; plot?: SolPlot; system?: SolSystem; openWorld?: OpenSolWorld },
  reached = new Set<string>(),
): void {
  for (let seed = from; seed < from + count; seed++)
    try {
      playSolResting(seed, reached, plot, system, openWorld);
    } catch (error) {
      throw error instanceof Violation ? new Violation(`history ${seed}: ${error.message}`) : error;
    }
}
