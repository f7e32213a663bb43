import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import { swapBy } from "../../../lib/chains/evm/rules/intent.ts";
import type { EvmSlot } from "../../../lib/chains/evm/rules/slot.ts";
import type { SignRequest } from "../../../lib/orders/effects.ts";
import type { CutoffScope } from "../../../lib/orders/table-step.ts";
import type { TradeOrder } from "../../../lib/orders/trade-order.ts";
import { openPolicy } from "../../../lib/orders/wallet-policy.ts";
import { interleave, startCancelAll } from "./cancel-all.ts";
import { lies } from "./chain-under-test.ts";
import { type Clients, tokens, wallets } from "./clients.ts";
import { anyHost, anyLane, calm, mine, runOn, runUntil, wake } from "./play.ts";
import { changePolicy } from "./policies.ts";
import { racingPrograms } from "./program-plots.ts";
import { retired } from "./table.ts";
import { must } from "./violation.ts";
import { chain, macOf, type World } from "./world.ts";

/** Cancels, stops, retires, forbids or delays an order while its signature is being recorded. Either may come first. */
export async function lateSignature(world: World): Promise<void> {
  const lane = anyLane(world);
  const executor = lane && world.startWork(world.eventFor(lane));
  if (!(await runUntil(world, executor, "write signature")) || executor?.signer === undefined) return;
  const { signer } = executor;
  const { random } = world;
  if (signer.effect.do !== "write") return;
  const [slot] = signer.effect.step.flatMap((write) =>
    write.kind === "put" && write.of === "slot" ? [write.item] : [],
  );
  const order = slot && world.table.get("order", { intent: slot });
  if (order === undefined) return;
  const { userID, orderId, wallet, validUntil, side } = order.intent;
  if (side === "buy" ? random.chance(0.5) : random.chance(0.1)) {
    changePolicy(world, userID, wallet, { tokens: [], tradingEnabled: side === "buy" });
    world.seen.add("a policy against a signature");
    return runOn(world, signer, 0);
  }
  const rival = random.chance(0.5)
    ? world.start({ name: "cancel", procedure: world.system.cancel(userID, orderId) })
    : await afterEnding(world, wallet, userID, validUntil);
  const decisive = rival?.name === "cancel" ? "record cancellation" : "void";
  if (rival === undefined || !(await runUntil(world, rival, decisive))) return;
  world.seen.add(`${rival.name} against signature`);
  for (const process of random.chance(0.5) ? [rival, signer] : [signer, rival])
    await runOn(world, process, 0);
}

/** Plays the next run, which must end the order. */
async function afterEnding(world: World, wallet: string, userID: string, validUntil: number) {
  const cause = world.random.below(3);
  if (cause === 0) world.isStopped = true;
  if (cause === 1) world.table.put("wallet", { chain, wallet, userID, ...retired });
  world.nowMs = Math.max(world.nowMs + 31_000, cause === 2 ? validUntil * 1000 + 1 : 0);
  return world.startWork(world.eventFor({ chain, wallet }));
}

/** Freezes a run before it writes a plan, and resumes it after another order has used the nonce. */
export async function stalePlan(world: World, clients: Clients): Promise<void> {
  const wallet = clients.placeFor(25n);
  await settleDown(world);
  const lane = { chain, wallet } as const;
  // The order waits while gas is expensive. Then gas is cheap for a moment.
  await world.chain.setBaseFee(30n);
  await calm(world, 1);
  await world.chain.setBaseFee(5n);
  const planner = world.startWork(world.eventFor(lane));
  const isPlanning = await runUntil(world, planner, "plan");
  if (planner === undefined || !isPlanning) return;
  planner.isFrozen = true;
  world.seen.add("a planner was frozen");
  world.nowMs += 31_000;
  await world.chain.setBaseFee(30n);
  clients.placeFor(200n, wallet);
  await settleDown(world);
  await calm(world, 7);
  await world.chain.setBaseFee(5n);
  const other = world.startWork(world.eventFor(lane));
  if (await runUntil(world, other, "hostSnapshot")) world.seen.add("another run holds the lane");
  planner.isFrozen = false;
  await runOn(world, planner, 0);
}

/** Crashes a run around the plan of an order that was placed while its lane had another order. */
export async function planOfSecond(world: World, clients: Clients): Promise<void> {
  const wallet = clients.placeFor(200n);
  await settleDown(world);
  await calm(world, 2);
  clients.placeFor(200n, wallet);
  await settleDown(world);
  const run = world.startWork(world.eventFor({ chain, wallet }));
  if (run !== undefined && (await runUntil(world, run, "plan")))
    await world.step(run, world.random.chance(0.5) ? "before" : "after");
}

/** Removes another program's transaction permanently after the service has signed one with the next nonce. */
export async function gapBelow(world: World, clients: Clients): Promise<void> {
  const { chain: blocks, random } = world;
  const wallet = clients.placeFor(200n);
  await settleDown(world);
  await blocks.setBaseFee(5n);
  await blocks.sendForeign({ wallet, isAbove: true, amount: 0n });
  await mine(world);
  const { nonce } = await blocks.belongings(wallet);
  const work = world.startWork(world.eventFor({ chain, wallet }));
  if (!(await runUntil(world, work, "send"))) return;
  if (work !== undefined) await runOn(world, work, 0);
  for (let tries = 0; tries < 4; tries++) {
    await blocks.reorganise(Math.floor(world.nowMs / 1000));
    if (random.chance(0.8)) await blocks.drop();
  }
  if ((await blocks.belongings(wallet)).nonce >= nonce) return;
  world.seen.add("a gap below a transaction");
  if (random.chance(0.3)) world.nowMs += 400_000;
  clients.placeFor(200n, wallet);
  await calm(world);
}

const rareWrites = [
  "plan",
  "write signature",
  "record sending",
  "record fill",
  "record receipt",
  "settle",
  "delete lane",
];

/** Crashes a run before or after a write that few runs make. */
export async function crashAtWrite(world: World): Promise<void> {
  const { random } = world;
  const label = random.pick(rareWrites) as string;
  const lane = anyLane(world);
  const run = lane && world.startWork(world.eventFor(lane));
  if (run !== undefined && (await runUntil(world, run, label)))
    await world.step(run, random.chance(0.5) ? "before" : "after");
}

/** Sells everything bought so far, and buys again. */
export async function roundTrip(world: World, clients: Clients): Promise<void> {
  const wallet = world.random.pick(wallets) as string;
  const token = world.random.pick(tokens) as string;
  await world.chain.setBaseFee(5n);
  clients.trade(wallet, "buy", token, 500n);
  await settleDown(world);
  await calm(world, 4);
  clients.trade(wallet, "sell", token, (await world.chain.belongings(wallet)).tokens.get(token) ?? 0n);
  await settleDown(world);
  await calm(world, 8);
  clients.trade(wallet, "buy", token, 500n);
}

/** Moves tokens away while a sale waits, so that no route reaches its minimum, and lets one host lie about routes. */
export async function liarOfRoutes(world: World, clients: Clients): Promise<void> {
  const { chain: blocks, random } = world;
  const wallet = random.pick(wallets) as string;
  const token = random.pick(tokens) as string;
  const host = anyHost(world);
  await blocks.setBaseFee(5n);
  clients.trade(wallet, "sell", token, 20_000n);
  await settleDown(world);
  if (random.chance(0.7)) await blocks.sendForeign({ wallet, isAbove: true, token, amount: 15_000n });
  await mine(world);
  await blocks.lie(host, random.pick(lies.filter((lie) => lie.startsWith("route"))));
  for (let rounds = 0; rounds < 3; rounds++) {
    const work = world.startWork(world.eventFor({ chain, wallet }));
    if (work !== undefined) await runOn(world, work, 0);
    await mine(world);
  }
  await blocks.lie(host, undefined);
}

/** Sells more than is approved in two sales, and stops the run that reads the receipt of the approval or a sale. */
export async function twoSales(world: World, clients: Clients): Promise<void> {
  const { random } = world;
  const wallet = random.pick(wallets) as string;
  const token = random.pick(tokens) as string;
  await world.chain.setBaseFee(5n);
  for (let sales = 0; sales < 2; sales++) clients.trade(wallet, "sell", token, 900n);
  await settleDown(world);
  for (let rounds = 0; rounds < 5; rounds++) {
    await wake(world, 0);
    await mine(world);
    const work = world.startWork(world.eventFor({ chain, wallet }));
    const label = random.chance(0.5) ? "record receipt" : "record fill";
    if (work === undefined || !(await runUntil(world, work, label))) continue;
    await world.step(work, random.chance(0.5) ? "before" : "after");
  }
}

/**
 * Lets an attacker who can write orders, but not cancellations, restore a cancelled order and request its signature.
 */
export async function undoneCancellation(world: World, clients: Clients): Promise<void> {
  const wallet = clients.placeFor(200n);
  await settleDown(world);
  const work = world.startWork(world.eventFor({ chain, wallet }));
  if (!(await runUntil(world, work, "sign")) || work?.effect.do !== "sign") return;
  const { request } = work.effect;
  const order = world.table.get("order", { intent: request });
  const slot = world.table.get("slot", request);
  if (order === undefined || slot?.state !== "planned") return;
  const { userID, orderId } = request;
  const cancel = world.start({ name: "cancel", procedure: world.system.cancel(userID, orderId) });
  if (cancel !== undefined) await runOn(world, cancel, 0);
  const cancelled = world.table.get("order", { intent: request });
  if (cancelled?.ending?.reasonCode !== "CANCELLED_BY_USER") return;
  world.seen.add("a cancellation was undone");
  await world.tamper([
    { kind: "put", of: "order", item: order, when: {} },
    { kind: "put", of: "slot", item: slot, when: {} },
  ]);
  const signer = world.start({ name: "sign", procedure: world.system.sign(request as SignRequest<Evm>) });
  if (signer !== undefined) await runOn(world, signer, 0);
  await world.tamper([
    { kind: "put", of: "order", item: cancelled, when: {} },
    { kind: "remove", of: "slot", item: slot, when: {} },
  ]);
}

/** Makes one host lie while the other host is silent. */
export async function oneLiar(world: World): Promise<void> {
  const host = anyHost(world);
  const lie = world.random.pick(lies);
  await world.chain.lie(host, lie);
  await world.chain.setDown(host === 0 ? 1 : 0, true);
  world.seen.add("one host lies, the other is silent");
  for (let rounds = 1 + world.random.below(3); rounds > 0; rounds--) {
    await wake(world, 0);
    await mine(world);
  }
  await world.chain.lie(host, undefined);
  await world.chain.setDown(host === 0 ? 1 : 0, false);
}

/** Opens a history with a sequence of events that rarely happens by chance. */
export type Plot = (world: World, clients: Clients) => Promise<void>;

/**
 * Reports a position repeatedly while one host claims that the wallet has none of its tokens. The other host shows the
 * tokens, or is silent.
 */
const liarOfBalances: Plot = async (world, clients) => {
  const wallet = world.random.pick(wallets) as string;
  const token = world.random.pick(tokens) as string;
  const host = anyHost(world);
  const other = host === 0 ? 1 : 0;
  clients.trade(wallet, "buy", token, 500n);
  await settleDown(world);
  await calm(world, 8);
  await world.chain.lie(host, "balances made up");
  await world.chain.setDown(other, world.random.chance(0.5));
  for (let reports = 0; reports < 3; reports++) {
    const work = world.startWork({ chain, wallet }, 0, { userID: "alice", token });
    if (work !== undefined) await runOn(world, work, 0);
    await calm(world, 4);
  }
  await world.chain.lie(host, undefined);
  await world.chain.setDown(other, false);
};

/** Sells what a buy has brought while one host claims that the buy has failed. */
const hiddenBuy: Plot = async (world, clients) => {
  const { chain: blocks, random } = world;
  const wallet = random.pick(wallets) as string;
  const token = random.pick(tokens) as string;
  const host = anyHost(world);
  await blocks.setBaseFee(5n);
  clients.trade(wallet, "buy", token, 500n);
  await settleDown(world);
  const work = world.startWork(world.eventFor({ chain, wallet }));
  if (work !== undefined) await runOn(world, work, 0);
  await mine(world);
  await blocks.lie(host, "oldest failed");
  await calm(world, 1);
  clients.trade(wallet, "sell", token, 900n);
  await settleDown(world);
  await calm(world, 8);
  await blocks.lie(host, undefined);
};

/**
 * Leaves a swap unsent until it is too late, while the user's or the operators' limit of a day's network fees falls
 * below the signed fees.
 */
const fullDay: Plot = async (world, clients) => {
  const wallet = world.random.pick(wallets) as string;
  clients.trade(wallet, "buy", world.random.pick(tokens) as string, 500n);
  await settleDown(world);
  const work = world.startWork(world.eventFor({ chain, wallet }));
  if (!(await runUntil(world, work, "send")) || work === undefined) return;
  await world.step(work, "before");
  if (world.random.chance(0.5))
    changePolicy(world, "alice", wallet, { ...openPolicy, maxNetworkFeesPerDay: 1n });
  else world.chainLimits = { ...world.chainLimits, maxNetworkFeesPerDay: 1n };
  world.nowMs += 400_000;
  await mine(world);
};

/** Lets an attacker who can write orders alter one, and claim others to the signer. */
const alteredOrder: Plot = async (world, clients) => {
  clients.placeFor(200n);
  const wallet = clients.placeFor(200n);
  await settleDown(world);
  const work = world.startWork(world.eventFor({ chain, wallet }));
  if (!(await runUntil(world, work, "sign")) || work?.effect.do !== "sign") return;
  const request = work.effect.request as SignRequest<Evm>;
  const order = world.table.get("order", { intent: request }) as TradeOrder<Evm> | undefined;
  const slot = world.table.get("slot", request) as EvmSlot | undefined;
  if (order === undefined || slot?.call.purpose !== "swap") return;
  const { intent, mac } = order;
  const altered = { ...intent, amount: 3n * intent.amount, minAmountOut: 1n };
  const planned: EvmSlot = { ...slot, call: swapBy(altered, slot.call, altered.amount) };
  await world.tamper([
    { kind: "put", of: "order", item: { ...order, intent: altered }, when: {} },
    { kind: "put", of: "slot", item: planned, when: {} },
  ]);
  const others = world.table.all("order").filter((each) => each.intent.orderId !== intent.orderId);
  const claims = [{ intent, mac }, { intent: altered, mac }, ...others] as NonNullable<
    SignRequest<Evm>["claimed"]
  >[];
  for (const claimed of claims) {
    const procedure = world.system.sign({ ...request, claimed });
    const signer = world.start({ name: "sign", procedure });
    if (signer !== undefined) await runOn(world, signer, 0);
  }
  must(world.table.get("slot", request)?.state === "planned", "signed for an altered order");
  await world.tamper([
    { kind: "put", of: "order", item: order, when: {} },
    { kind: "put", of: "slot", item: slot, when: {} },
  ]);
};

/** Lowers the limit of a day's network fees below those of a planned swap, while the signer is asked. */
const lowerLimit: Plot = async (world, clients) => {
  const wallet = world.random.pick(wallets) as string;
  clients.trade(wallet, "buy", world.random.pick(tokens) as string, 500n);
  await settleDown(world);
  const work = world.startWork(world.eventFor({ chain, wallet }));
  if (!(await runUntil(world, work, "sign")) || work === undefined) return;
  changePolicy(world, "alice", wallet, { ...openPolicy, maxNetworkFeesPerDay: 1n });
  await runOn(world, work, 0);
};

export const rarePlots = {
  "a limit of network fees that falls before a signature": lowerLimit,
  "an order that an intruder has altered": alteredOrder,
  "a host that makes up what a wallet has": liarOfBalances,
  "a host that hides a buy until its tokens are sold": hiddenBuy,
  "a day whose network fees are above their limit": fullDay,
  "a user who cancels all orders": cancelledTogether,
  "an order from the future": orderFromTheFuture,
  "a program whose wallets race at one day's limit": racingPrograms,
};

/** Cancels all of alice's orders while they are placed and signed. Each run may crash, and the clocks differ. */
async function cancelledTogether(world: World, clients: Clients): Promise<void> {
  const { random } = world;
  for (let rounds = 1 + random.below(3); rounds > 0; rounds--) {
    const wallet = clients.placeFor(200n);
    if (random.chance(0.6)) await settleDown(world);
    const work = world.startWork(world.eventFor({ chain, wallet }));
    if (random.chance(0.7)) await runUntil(world, work, random.chance(0.7) ? "write signature" : "sign");
    const scope = random.pick<Omit<CutoffScope, "userID">>([{}, { chain }, { chain, wallet }]);
    const cancel = startCancelAll(world, { userID: "alice", ...scope });
    const placing = world.processes.filter(({ name }) => name === "place");
    await interleave(world, [cancel, work, ...placing]);
    if (random.chance(0.5)) clients.placeFor(200n, wallet);
  }
}

/** Lets an intruder in placeOrder hide an order from the future until its user has cancelled all, and ask for it then. */
async function orderFromTheFuture(world: World, clients: Clients): Promise<void> {
  const wallet = clients.placeFor(200n);
  await settleDown(world);
  const work = world.startWork(world.eventFor({ chain, wallet }));
  if (!(await runUntil(world, work, "sign")) || work?.effect.do !== "sign") return;
  const { request } = work.effect;
  const order = world.table.get("order", { intent: request });
  if (order === undefined) return;
  const intent = { ...order.intent, createdAt: world.nowMs + 60_000 };
  const hidden = { ...order, intent, mac: macOf(intent) };
  await world.tamper([{ kind: "remove", of: "order", item: order, when: {} }]);
  const cancel = startCancelAll(world, { userID: intent.userID });
  if (cancel !== undefined) await runOn(world, cancel, 0);
  await world.tamper([{ kind: "put", of: "order", item: hidden, when: "absent" }]);
  const claimed = { intent, mac: hidden.mac };
  const asked = { ...request, claimed } as SignRequest<Evm>;
  const signer = world.start({ name: "sign", procedure: world.system.sign(asked) });
  if (signer !== undefined) await runOn(world, signer, 0);
  must(world.table.get("slot", request)?.state !== "signed", "signed an order from the future");
  await world.tamper([{ kind: "put", of: "order", item: order, when: {} }]);
}

/** Lets all runs that place orders end. */
async function settleDown(world: World): Promise<void> {
  for (const process of world.processes.filter(({ name }) => name === "place"))
    await runOn(world, process, 0);
}
