import type { Network } from "../../../lib/core/network.ts";
import type { ItemWrite } from "../../../lib/orders/table-step.ts";
import type { prepareRun } from "../../../lib/trading/execution/prepare.ts";
import { wideLimits } from "../../support/trading.ts";
import { lies } from "./chain-under-test.ts";
import { type Clients, tokens, users, wallets } from "./clients.ts";
import { anyHost, anyWallet, calm, mine, movable, runOn, runUntil, seconds, stepAny, wake } from "./play.ts";
import {
  crashAtWrite,
  gapBelow,
  lateSignature,
  liarOfRoutes,
  oneLiar,
  planOfSecond,
  roundTrip,
  stalePlan,
  twoSales,
  undoneCancellation,
} from "./plots.ts";
import { loosenPolicies, setPolicy } from "./policies.ts";
import { retired } from "./table.ts";
import { must } from "./violation.ts";
import { chain, type World } from "./world.ts";

type Move = (world: World, clients: Clients) => void | Promise<void>;

const freeze = (world: World) => {
  const process = world.random.pick(movable(world));
  if (process === undefined) return;
  process.isFrozen = true;
  world.seen.add("a run was frozen");
};

const thaw = async (world: World) => {
  const process = world.processes.find(({ isFrozen }) => isFrozen);
  if (process === undefined) return;
  process.isFrozen = false;
  await runOn(world, process, 0.2);
};

async function cancel(world: World): Promise<void> {
  const { intent } = world.random.pick(world.table.all("order")) ?? {};
  if (intent === undefined) return;
  const procedure = world.system.cancel(intent.userID, intent.orderId);
  const process = world.start({ name: "cancel", procedure }, (end) => {
    if ("failure" in end) return;
    const answer = end.result as { refused?: string; order?: { isCancelling: boolean } };
    world.seen.add(answer.order === undefined ? `cancel: ${answer.refused}` : "cancel taken");
  });
  // Leaves the order unchanged after its cancellation was recorded, so that the lane must end it.
  if (process !== undefined && world.random.chance(0.2) && (await runUntil(world, process, "write order")))
    await world.step(process, "before");
}

function setRetired(world: World): void {
  const userID = world.random.pick(users) as string;
  const wallet = userID === "bob" ? wallets[1] : anyWallet(world);
  world.table.put("wallet", { chain, wallet, userID, ...(world.random.chance(0.5) && retired) });
}

async function foreign(world: World): Promise<void> {
  const { random } = world;
  const token = random.chance(0.6) ? random.pick(tokens) : undefined;
  const amount = BigInt(random.chance(0.4) ? 10_000_000 : random.below(50_000));
  const transaction = { wallet: anyWallet(world), isAbove: random.chance(0.6), amount };
  await world.chain.sendForeign({ ...transaction, ...(token !== undefined && { token }) });
}

async function lie(world: World): Promise<void> {
  await world.chain.lie(anyHost(world), world.random.chance(0.4) ? world.random.pick(lies) : undefined);
}

const setEvents = (world: World) =>
  world.chain.setEvents?.(world.random.pick(["right", "right", "missing", "doubled"]) ?? "right");

/** Lets a read report that a wallet lacks a position's tokens, rightly or wrongly. */
async function report(world: World): Promise<void> {
  const book = world.random.pick(world.table.all("book").filter(({ base }) => base.amount > 0n));
  if (book === undefined) return;
  const process = world.startWork(book, 0, { userID: book.userID, token: book.token });
  if (process !== undefined) await runOn(world, process, 0.3);
}

/** Cuts off the chain until every deadline has passed. */
async function outage(world: World): Promise<void> {
  await world.chain.setDown(0, true);
  await world.chain.setDown(1, true);
  world.seen.add("chain away");
  await wake(world, 0);
  world.nowMs += world.random.chance(0.5) ? 3_600_000 : 20_000;
  await wake(world, 0);
  await world.chain.setDown(0, false);
  await world.chain.setDown(1, false);
}

/** Deletes signed bytes that a run may need, as if they had expired. */
async function expireBytes(world: World): Promise<void> {
  const item = world.random.pick(world.table.all("bytes"));
  if (item === undefined) return;
  // The code under test never removes signed bytes itself.
  await world.tamper([{ kind: "remove", of: "bytes", item, when: {} } as unknown as ItemWrite]);
  world.seen.add("signed bytes expired");
}

type Chains = Parameters<typeof prepareRun>[0];

/** Announces an order that may never come, or has come long before. */
async function announce(world: World, network: Network): Promise<void> {
  const { table, system } = world;
  const { writes } = table;
  const counts = { asked: 0, started: 0 };
  const host = { request: async () => void counts.asked++ };
  const chains = new Map([[chain, { client: { hosts: [host, host] } }]]) as unknown as Chains;
  const startSigner = async () => void counts.started++;
  await system.prepare({ prepare: network }, { chains, startSigner, table });
  must(table.writes === writes, "an announcement wrote to the table");
  const isOpen = network === chain;
  must(counts.started === Number(isOpen), "an announcement did not start the signer once");
  must(counts.asked === (isOpen ? 2 : 0), "an announcement asked other hosts");
}

/** Announces orders once or twice, also for a chain that does not trade. */
async function announceSome(world: World): Promise<void> {
  const { random, seen, table } = world;
  const network = random.chance(0.8) ? chain : "bsc";
  const times = random.chance(0.3) ? 2 : 1;
  for (let announced = 0; announced < times; announced++) await announce(world, network);
  if (network !== chain) seen.add("announced on a chain that does not trade");
  else if (times > 1) seen.add("announced twice");
  else if (table.all("order").length > 0) seen.add("announced late");
}

const watch = (world: World, name: "watch" | "sweep") => {
  world.start({ name, procedure: world.system[name](chain) });
};

/** Moves that a history can make, with their weights. */
const moves: readonly (readonly [number, Move])[] = [
  [10, (_, clients) => clients.placeNew()],
  [2, (_, clients) => clients.repeat()],
  [1, (_, clients) => clients.reuseKey(false)],
  [0.5, (_, clients) => clients.reuseKey(true)],
  [4, cancel],
  [0.5, announceSome],
  [16, stepAny],
  [
    14,
    async (world) => {
      const process = world.random.pick(movable(world));
      if (process !== undefined) await runOn(world, process, 0.4);
    },
  ],
  [14, (world) => wake(world, 0.4)],
  [3, (world) => watch(world, "watch")],
  [
    1.5,
    (world) => {
      loosenPolicies(world);
      return watch(world, "sweep");
    },
  ],
  [10, mine],
  [2, (world) => calm(world)],
  [2, freeze],
  [2, lateSignature],
  [2, stalePlan],
  [2, crashAtWrite],
  [1, planOfSecond],
  [1.5, oneLiar],
  [1, gapBelow],
  [0.5, roundTrip],
  [0.5, twoSales],
  [0.7, liarOfRoutes],
  [1, undoneCancellation],
  [3, thaw],
  [6, (world) => world.chain.reorganise(seconds(world))],
  [1, (world) => world.chain.drop()],
  [1.5, (world) => world.chain.lag(anyHost(world), world.random.chance(0.5))],
  [1, (world) => world.chain.setDown(anyHost(world), world.random.chance(0.4))],
  [1, outage],
  [2, lie],
  [2, setEvents],
  [1, (world) => world.chain.forget?.(anyHost(world), world.random.chance(0.4))],
  [1, (world) => world.chain.tear(world.random.chance(0.4))],
  [1.5, (world) => world.chain.setRelay(world.random.pick(["up", "up", "silent", "mute", "away"]) ?? "up")],
  [1, (world) => world.chain.delegate(anyWallet(world))],
  [2, (world) => world.chain.setBaseFee(BigInt(world.random.pick([5, 10, 15, 30, 80]) ?? 10))],
  [3, foreign],
  [3, report],
  [1, expireBytes],
  [0.5, setRetired],
  [1, setPolicy],
  [
    0.7,
    (world) => {
      world.isStopped = world.random.chance(0.4);
    },
  ],
  [
    0.5,
    (world) => {
      const isLimited = world.random.chance(0.5);
      world.chainLimits = isLimited ? { maxOrder: 500n, maxNetworkFee: 6_000_000n } : wideLimits;
    },
  ],
  [
    0.5,
    (world) => {
      for (const user of users) world.maxGasPrices.set(user, BigInt(10 + world.random.below(300)));
    },
  ],
  [
    2,
    (world) => {
      world.nowMs += 1000 * world.random.below(200);
    },
  ],
  [0.5, (world) => world.restart()],
];

const totalWeight = moves.reduce((sum, [weight]) => sum + weight, 0);

export async function moveOnce(world: World, clients: Clients): Promise<void> {
  let left = world.random.next() * totalWeight;
  for (const [weight, move] of moves) {
    left -= weight;
    if (left < 0) return move(world, clients);
  }
}
