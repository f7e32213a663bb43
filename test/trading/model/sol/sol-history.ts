import type { Sol } from "../../../../lib/chains/sol/rules/family.ts";
import type { BookEvent } from "../../../../lib/orders/holding.ts";
import type { TradeOrder } from "../../../../lib/orders/trade-order.ts";
import type { Soon } from "../chain-under-test.ts";
import { checkBook, checkFollows } from "../position-checks.ts";
import { Random } from "../random.ts";
import { retired } from "../table.ts";
import { must, Violation } from "../violation.ts";
import { SolChain } from "./sol-chain.ts";
import type { SolChainUnderTest } from "./sol-chain-under-test.ts";
import { cancel, owners, placeNew, tokens, wallets } from "./sol-clients.ts";
import { anyHost, anyLane, type Move, mine, movable, runOn, wake } from "./sol-play.ts";
import { intrude, landLast, lateSignature, oneLiar, orphanSigner, overtake } from "./sol-plots.ts";
import { chain, type SolSystem, SolWorld, startMs, theSolSystem } from "./sol-world.ts";

const mostMoves = 40;

/** Starts a run that another run may overtake. */
const begin: Move = async (world) => {
  const wallet = anyLane(world);
  const started = wallet === undefined ? undefined : world.startWork(wallet);
  for (let steps = world.random.below(14); started !== undefined && steps > 0; steps--)
    if (world.processes.includes(started)) await world.step(started);
};

const freeze: Move = (world) => {
  const process = world.random.pick(movable(world));
  if (process === undefined) return;
  process.isFrozen = true;
  world.seen.add("a run was frozen");
};

const thaw: Move = async (world) => {
  const process = world.processes.find(({ isFrozen }) => isFrozen);
  if (process === undefined) return;
  process.isFrozen = false;
  await runOn(world, process, 0.2);
};

/** Lets a stranger who knows an order's id pay into its marker. */
const depositOnMarker: Move = (world) => {
  const order = world.random.pick(world.table.all("job"));
  if (order === undefined) return;
  const { orderId } = order;
  const isSigned = world.invariants.recordedOf(orderId).length > 0;
  const time = world.chain.isMarked(orderId) ? "after" : isSigned ? "between" : "before";
  world.seen.add(`a deposit on a marker, ${time} attempts`);
  return world.chain.depositOnMarker(orderId);
};

/** Lets the owner use another program to move tokens out of the wallet. */
const moveOut: Move = (world) => {
  const wallet = world.random.pick(wallets) as string;
  const token = world.random.pick(tokens) as string;
  world.seen.add("tokens moved out");
  return world.chain.moveOut(wallet, token);
};

/** Lets the owner move most of the coin out of the wallet. */
const moveCoins: Move = (world) => {
  const wallet = world.random.pick(wallets) as string;
  world.seen.add("tokens moved out");
  const { unit } = world.chain.scale;
  return world.chain.moveCoins(wallet, unit * BigInt(world.random.below(20_000)));
};

/** Halts the cluster for hours, while its blockhashes stay valid. */
const halt: Move = async (world) => {
  world.seen.add("a halt of hours");
  await wake(world, 0);
  world.nowMs += 2 * 3_600_000;
  await wake(world, 0);
};

/** Mines blocks while no function runs. */
const sleep: Move = (world) => {
  world.seen.add("the service was away");
  return mine(world, 20);
};

const setRetired: Move = (world) => {
  const [userID, wallet] = world.random.pick(owners) ?? owners[0];
  world.table.put("wallet", { chain, wallet, userID, ...(world.random.chance(0.5) && retired) });
};

const setPolicy: Move = (world) => {
  const [userID, wallet] = world.random.pick(owners) ?? owners[0];
  const revision = (world.table.get("policy", { chain, wallet, userID })?.revision ?? 0) + 1;
  const { unit } = world.chain.scale;
  const policy = {
    tokens: "any" as const,
    tradingEnabled: world.random.chance(0.7),
    ...(world.random.chance(0.5) && { maxPerOrder: unit * 5000n }),
    ...(world.random.chance(0.3) && { maxPerDay: unit * 20_000n }),
  };
  world.table.put("policy", { chain, wallet, userID, policy, revision });
};

/** Moves that a history can make, with their weights. */
const moves: readonly (readonly [number, Move])[] = [
  [10, async (world) => void (await placeNew(world))],
  [3, cancel],
  [
    14,
    async (world) => {
      const process = world.random.pick(movable(world));
      if (process !== undefined) await world.step(process);
    },
  ],
  [
    12,
    async (world) => {
      const process = world.random.pick(movable(world));
      if (process !== undefined) await runOn(world, process, 0.4);
    },
  ],
  [18, (world) => wake(world, 0.4)],
  [2, (world) => void world.start({ name: "watch", procedure: world.system.watch() })],
  [1, (world) => void world.start({ name: "sweep", procedure: world.system.sweep() })],
  [16, (world) => mine(world)],
  [6, begin],
  [3, lateSignature],
  [1.5, overtake],
  [1.5, orphanSigner],
  [1, intrude],
  [0.5, landLast],
  [1, oneLiar],
  [2, freeze],
  [3, thaw],
  [5, (world) => world.chain.reorganise(Math.floor(world.nowMs / 1000))],
  [2, (world) => world.chain.drop()],
  [2, (world) => world.chain.resendOld([...world.invariants.recorded])],
  [1.5, (world) => world.chain.setLag(anyHost(world), world.random.chance(0.5))],
  [1, (world) => world.chain.setDown(anyHost(world), world.random.chance(0.4))],
  [1, (world) => world.chain.setPruned(anyHost(world), world.random.chance(0.5))],
  [2, (world) => world.chain.setSplit(anyHost(world), world.random.chance(0.6))],
  [3, (world) => world.chain.setLie(anyHost(world), world.random.chance(0.6))],
  [1, (world) => world.chain.setRelay(world.random.chance(0.6))],
  [
    2,
    (world) =>
      world.chain.tradeByOthers(world.random.pick(tokens) ?? "MOON", BigInt(85 + world.random.below(35))),
  ],
  [0.3, depositOnMarker],
  [0.5, moveOut],
  [0.5, moveCoins],
  [0.5, halt],
  [1, sleep],
  [0.5, setRetired],
  [1, setPolicy],
  [
    0.5,
    (world) => {
      world.isStopped = world.random.chance(0.4);
    },
  ],
  [
    0.5,
    (world) => {
      const { limits, unit } = world.chain.scale;
      world.chainLimits = { ...limits, maxOrder: world.random.chance(0.5) ? unit * 3000n : undefined };
    },
  ],
  [
    2,
    (world) => {
      world.nowMs += 1000 * world.random.below(60);
    },
  ],
  [0.5, (world) => world.restart()],
];

const totalWeight = moves.reduce((sum, [weight]) => sum + weight, 0);

function moveIn(world: SolWorld): Move {
  let left = world.random.next() * totalWeight;
  return (moves.find(([weight]) => {
    left -= weight;
    return left < 0;
  }) ?? moves[0])?.[1] as Move;
}

/** Ends all faults, and runs the world until nothing changes. */
export async function comeToRest(world: SolWorld): Promise<void> {
  for (const host of [0, 1] as const) {
    await world.chain.setLie(host, false);
    await world.chain.setDown(host, false);
    await world.chain.setLag(host, false);
    await world.chain.setPruned(host, false);
    await world.chain.setSplit(host, false);
  }
  await world.chain.setRelay(true);
  world.isStopped = false;
  for (const process of world.processes) {
    process.isFrozen = false;
    process.skewMs = 0;
  }
  while (world.processes[0] !== undefined) await world.step(world.processes[0]);
  for (let round = 0; world.table.all("lane").length > 0 && round < 120; round++) {
    for (const { wallet } of world.table.all("lane")) world.startWork(wallet);
    while (world.processes[0] !== undefined) await world.step(world.processes[0]);
    world.nowMs += 12_000;
    await mine(world, 2);
  }
}

/** Checks that the table agrees with the chain, to the unit. */
export async function checkEnd(world: SolWorld): Promise<void> {
  const orders = world.table.all("order");
  for (const { life } of orders) must(life.settled, `an order never settled: ${life.status} ${life.stage}`);
  must(world.table.all("slot").length === 0, "a slot is left");
  must(world.table.all("job").length === 0, "a job is left");
  for (const { intent, life } of orders) {
    const signatures = BigInt(world.invariants.signaturesOf(intent.orderId));
    const most = intent.budgetLamports + signatures * world.chain.scale.baseFee;
    must(life.networkFee <= most, "an order's fees are above its budget");
  }
  for (const wallet of wallets) {
    const own = orders.flatMap(({ intent }) => (intent.wallet === wallet ? intent.orderId : []));
    const [stray] = await world.chain.strays(wallet, own);
    must(stray === undefined, `left ${stray}`);
    if (!world.seen.has("tokens moved out")) await checkWallet(world, wallet, orders);
  }
  checkPositions(world, orders);
  // Surfpool moves the times of its blocks when it travels in time.
  if (world.chain instanceof SolChain) checkTimes(world);
}

/** Checks that the rows of fills have the times of their blocks. */
function checkTimes({ table, chain: chainUnderTest, invariants }: SolWorld): void {
  for (const { orderId, filledAt } of table.all("earned")) {
    const receipts = invariants
      .recordedOf(orderId)
      .flatMap((hash) => chainUnderTest.finalReceipt(hash) ?? []);
    const fill = receipts.find(({ status }) => status === "ok");
    must(fill?.block.time === Date.parse(filledAt) / 1000, "earned at another time");
  }
}

const failedFeesOf = (
  { chain: chainUnderTest, invariants }: SolWorld,
  orders: readonly TradeOrder<Sol>[],
): bigint =>
  orders
    .flatMap(({ intent }) => invariants.recordedOf(intent.orderId))
    .flatMap((hash) => chainUnderTest.finalReceipt(hash) ?? [])
    .reduce((sum, { status, fee }) => sum + (status === "failed" ? fee : 0n), 0n);

async function checkWallet(
  world: SolWorld,
  wallet: string,
  orders: readonly TradeOrder<Sol>[],
): Promise<void> {
  const account = await world.chain.belongings(wallet);
  const start = world.chain.scale.genesis(wallet);
  const own = orders.filter(({ intent }) => intent.wallet === wallet);
  const coins = own.reduce((sum, { intent, life }) => {
    const traded = intent.side === "buy" ? -life.spent : (life.received ?? 0n);
    return sum + traded - life.networkFee - (life.rent ?? 0n);
  }, start.coins);
  // Failed messages and their fees stay unknown if no host has a history.
  const unknown = world.seen.has("no host has a history") ? failedFeesOf(world, own) : 0n;
  const difference = account.coins - coins;
  must(difference <= 0n && -difference <= unknown, `orders and chain differ by ${difference} lamports`);
  for (const token of tokens) {
    const held = own
      .filter(({ intent }) => intent.token === token)
      .reduce(
        (sum, { intent, life }) => sum + (intent.side === "buy" ? (life.received ?? 0n) : -life.spent),
        start.tokens.get(token) ?? 0n,
      );
    must(account.tokens.get(token) === held, `orders and chain differ in ${token}`);
  }
}

/** Checks that each position equals the sum of its fills. */
function checkPositions(
  { table, chain: chainUnderTest, invariants }: SolWorld,
  orders: readonly TradeOrder<Sol>[],
) {
  for (const book of table.all("book")) {
    checkBook(table, book);
    const events = orders
      .filter(({ intent }) => intent.userID === book.userID && intent.wallet === book.wallet)
      .filter(({ intent, life, ending }) => {
        const counts = life.status === "filled" || ending?.soldOutAt !== undefined;
        return intent.token === book.token && counts;
      })
      .map(({ intent, life, ending }): BookEvent => {
        const common = { orderId: intent.orderId, settled: true, time: "2026-11-21T20:00:00.000Z" };
        if (ending?.soldOutAt !== undefined) return { ...common, kind: "sold-out", place: ending.soldOutAt };
        const [receipt] = invariants
          .recordedOf(intent.orderId)
          .flatMap((hash) => chainUnderTest.finalReceipt(hash) ?? [])
          .filter(({ status }) => status === "ok");
        if (receipt?.status !== "ok") throw new Error("A fill has no receipt");
        const { spent, received, held, block } = receipt;
        const fill = { ...common, place: block.number, spent, received, networkFee: life.networkFee };
        return intent.side === "buy" ? { ...fill, kind: "buy" } : { ...fill, kind: "sell", held };
      })
      .toSorted((a, b) => a.place - b.place);
    checkFollows(table, book, events, { token: 6, coin: 9 });
  }
}

/** Opens a history's chain with each wallet's starting balances. */
export type OpenSolChain = (random: Random, seed: number) => Soon<SolChainUnderTest>;

const openModel: OpenSolChain = (random) => new SolChain(random, Math.floor(startMs / 1000));

type Parts = {
  system?: SolSystem | undefined;
  openChain?: OpenSolChain | undefined;
  plot?: Move | undefined;
};

/** Plays one history. Throws a Violation if the code broke an invariant. */
export async function playSolHistory(
  seed: number,
  reached: Set<string>,
  { system = theSolSystem, openChain = openModel, plot }: Parts = {},
): Promise<void> {
  const random = new Random(seed);
  const world = new SolWorld(random, system, await openChain(random, seed), startMs);
  for (const [userID, wallet] of owners) world.table.put("wallet", { chain, wallet, userID });
  await plot?.(world);
  for (let left = 10 + world.random.below(mostMoves); left > 0; left--) await moveIn(world)(world);
  await comeToRest(world);
  await checkEnd(world);
  for (const { life } of world.table.all("order")) reached.add(life.status);
  for (const each of world.seen) reached.add(each);
}

/** Plays histories one after another. A violation names its history. */
export async function playSolHistories({
  from,
  count,
  reached = new Set(),
  ...parts
}: {
  from: number;
  count: number;
  reached?: Set<string>;
} & Parts): Promise<void> {
  for (let seed = from; seed < from + count; seed++)
    try {
      await playSolHistory(seed, reached, parts);
    } catch (error) {
      throw error instanceof Violation ? new Violation(`history ${seed}: ${error.message}`) : error;
    }
}
