import type { Sol } from "../../../../lib/chains/sol/rules/family.ts";
import type { CpmmRoute, SolIntent, SolRoute } from "../../../../lib/chains/sol/rules/intent.ts";
import type { SignRequest } from "../../../../lib/orders/effects.ts";
import type { MissedToken } from "../../../../lib/orders/table-step.ts";
import type { TradeOrder } from "../../../../lib/orders/trade-order.ts";
import { openPolicy } from "../../../../lib/orders/wallet-policy.ts";
import { interleave, startCancelAll } from "../cancel-all.ts";
import { retired } from "../table.ts";
import { must } from "../violation.ts";
import { placeNew } from "./sol-clients.ts";
import { madeUpFacts } from "./sol-placed.ts";
import { anyHost, anyLane, type Move, mine, outlive, runOn, runUntil, wake } from "./sol-play.ts";
import { chain, type SolWorld, solMacOf } from "./sol-world.ts";

/** Time longer than a lane's lease. */
const leaseMs = 31_000;

/** Prevents the signing of an order, and returns the move that allows it again. */
async function hinder(
  world: SolWorld,
  { userID, wallet, token, side }: SolIntent,
): Promise<() => void | Promise<void>> {
  const { random } = world;
  const key = { chain, wallet, userID } as const;
  const before = { policy: world.table.get("policy", key), isStopped: world.isStopped };
  switch (random.below(4)) {
    case 0:
      world.isStopped = true;
      return () => {
        world.isStopped = before.isStopped;
      };
    case 1:
      world.table.put("wallet", { ...key, ...retired });
      return () => world.table.put("wallet", key);
    case 2: {
      const revision = (before.policy?.revision ?? 0) + 1;
      const forbidding = { tokens: "any" as const, tradingEnabled: false };
      world.table.put("policy", { ...key, policy: forbidding, revision });
      const allowed = before.policy?.policy ?? { tokens: "any" as const, tradingEnabled: true };
      return () => world.table.put("policy", { ...key, policy: allowed, revision: revision + 1 });
    }
    default: {
      const [worse, back] = side === "buy" ? [200n, 50n] : [50n, 200n];
      await world.chain.tradeByOthers(token, worse);
      return () => world.chain.tradeByOthers(token, back);
    }
  }
}

/** Stops a run that is about to end an order, then allows the order again and lets another run sign it. */
export const overtake: Move = async (world) => {
  const { random } = world;
  const intent = await placeNew(world);
  const allow = await hinder(world, intent);
  const late = world.startWork(intent.wallet);
  if (!(await runUntil(world, late, "write order")) || late === undefined) return allow();
  world.seen.add("a run was overtaken");
  late.isFrozen = true;
  await allow();
  world.nowMs += leaseMs;
  const next = world.startWork(intent.wallet);
  if (next !== undefined) await runOn(world, next, 0);
  const { lifetime, blocksAtOnce } = world.chain.scale;
  if (random.chance(0.5)) await mine(world, Math.floor(random.below(lifetime) / blocksAtOnce));
  late.isFrozen = false;
  await runOn(world, late, 0);
};

/** Lets a signer record a signature while another run, unaware of it, ends the order. */
export const orphanSigner: Move = async (world) => {
  const { random } = world;
  const intent = await placeNew(world);
  const caller = world.startWork(intent.wallet);
  if (!(await runUntil(world, caller, "write signature")) || caller?.signer === undefined) return;
  const { signer } = caller;
  caller.isFrozen = true;
  signer.isFrozen = true;
  world.nowMs += leaseMs;
  const allow = await hinder(world, intent);
  const next = world.startWork(intent.wallet);
  const isEnding = await runUntil(world, next, "write order");
  if (isEnding) world.seen.add("a signature against an end");
  await allow();
  signer.isFrozen = false;
  const both = isEnding && next !== undefined ? [signer, next] : [signer];
  for (const process of random.chance(0.8) ? both : both.toReversed()) await runOn(world, process, 0);
  caller.isFrozen = false;
};

/** Cancels, forbids, retires or delays an order while its signature is being made. */
export const lateSignature: Move = async (world) => {
  const { random } = world;
  const wallet = anyLane(world);
  const caller = wallet === undefined ? undefined : world.startWork(wallet);
  if (!(await runUntil(world, caller, "sign")) || caller?.effect.do !== "sign") return;
  const { userID, orderId } = caller.effect.request;
  const order = world.orderNamed(userID, orderId);
  if (order === undefined) return;
  const { intent } = order;
  if (random.chance(0.3)) {
    world.seen.add("a signature at the last moment");
    world.nowMs = Math.max(world.nowMs, (intent.validUntil - 1 + random.below(4)) * 1000);
    return runOn(world, caller, 0);
  }
  if (random.chance(0.7)) await runUntil(world, caller, "write signature");
  if (random.chance(0.5)) await hinder(world, intent);
  else {
    const cancel = world.start({ name: "cancel", procedure: world.system.cancel(userID, orderId) });
    if (cancel !== undefined) await runOn(world, cancel, 0);
  }
  await runOn(world, caller, 0);
};

/** Mines a message in one of its last possible blocks, while both hosts lack a history and have a lagging node. */
export const landLast: Move = async (world) => {
  const { chain: blocks, random } = world;
  const { wallet, orderId } = await placeNew(world);
  const first = world.startWork(wallet);
  if (first !== undefined) await runOn(world, first, 0);
  const [signed] = blocks.isMarked(orderId) ? [] : (world.invariants.signed.get(orderId) ?? []);
  if (signed === undefined || !world.invariants.recorded.has(signed.raw)) return;
  await blocks.drop();
  const lateness = 1 + random.below(3);
  const last = signed.message.lastValidBlockHeight - lateness;
  while (blocks.head.height < last) await mine(world, 1, 1);
  await blocks.resendOld([signed.raw]);
  const blind = async (isOn: boolean) => {
    for (const host of [0, 1] as const) {
      await blocks.setPruned(host, isOn);
      await blocks.setSplit(host, isOn);
    }
  };
  await blind(true);
  await mine(world, lateness + 5 + random.below(4));
  world.seen.add("a message in one of its last blocks");
  const later = world.startWork(wallet);
  if (later !== undefined) await runOn(world, later, 0);
  await blind(false);
};

/** Makes one host lie while the other host is silent, until none of the lane's messages can land any more. */
export const oneLiar: Move = async (world) => {
  const host = anyHost(world);
  const other = host === 0 ? 1 : 0;
  await wake(world, 0);
  await world.chain.setLie(host, true);
  await world.chain.setDown(other, true);
  world.seen.add("one host lies, the other is silent");
  for (let rounds = 0; rounds < 3; rounds++) {
    await outlive(world);
    await wake(world, 0);
  }
  await world.chain.setLie(host, false);
  await world.chain.setDown(other, false);
};

/**
 * Reports a position repeatedly while one host claims that the wallet has none of its tokens. The other host shows the
 * tokens, or is silent.
 */
const liarOfHoldings: Move = async (world) => {
  const { chain: blocks, random, table } = world;
  const intent = await placeNew(world, { side: "buy" });
  const { wallet, userID, token } = intent;
  for (let rounds = 0; rounds < 30 && table.all("lane").length > 0; rounds++) {
    await work(world, wallet);
    world.nowMs += 12_000;
    await mine(world);
  }
  if (table.get("book", intent) === undefined) return;
  const host = anyHost(world);
  const other = host === 0 ? 1 : 0;
  await blocks.setLie(host, true, "no tokens");
  await blocks.setDown(other, random.chance(0.5));
  for (let reports = 0; reports < 3; reports++) {
    await work(world, wallet, { userID, token });
    await mine(world);
  }
  await blocks.setLie(host, false);
  await blocks.setDown(other, false);
};

/** Sells what a buy has brought, or moves it out, while one host claims that the buy has not filled. */
const hiddenBuy: Move = async (world) => {
  const { chain: blocks, random } = world;
  const { userID, wallet, token } = await placeNew(world, { side: "buy" });
  await work(world, wallet);
  await mine(world, 2);
  const host = anyHost(world);
  await blocks.setLie(host, true, random.pick(["nothing landed", "invented failures"] as const));
  await outlive(world);
  await work(world, wallet);
  if (random.chance(0.3)) {
    world.seen.add("tokens moved out");
    await blocks.moveOut(wallet, token);
  }
  for (let sales = 1 + random.below(2); sales > 0; sales--) {
    await placeNew(world, { userID, wallet, token, side: "sell" });
    await mine(world, 4);
    for (let rounds = 0; rounds < 4; rounds++) {
      await work(world, wallet);
      await mine(world, 2);
    }
  }
  await blocks.setLie(host, false);
};

/**
 * Cancels an order whose message was lost, after the user's or the operators' limit of a day's network fees has fallen
 * below the signed fees.
 */
const fullDay: Move = async (world) => {
  const { wallet, userID, orderId } = await placeNew(world);
  await work(world, wallet);
  const messages = () => world.table.get("ledger", { orderId })?.messages ?? [];
  if (messages().length === 0) return;
  await world.chain.drop();
  const low = { maxNetworkFeesPerDay: 1n };
  if (world.random.chance(0.5))
    world.table.put("policy", { chain, wallet, userID, policy: { ...openPolicy, ...low }, revision: 1 });
  else world.chainLimits = { ...world.chainLimits, ...low };
  const cancel = world.start({ name: "cancel", procedure: world.system.cancel(userID, orderId) });
  if (cancel !== undefined) await runOn(world, cancel, 0);
  await work(world, wallet);
  must(messages().at(-1)?.purpose === "clear", "a full day kept a cancellation waiting");
};

/** Lets an attacker who can write orders alter one, and claim others to the signer. */
const alteredOrder: Move = async (world) => {
  await placeNew(world);
  const { wallet } = await placeNew(world);
  const run = world.startWork(wallet);
  if (!(await runUntil(world, run, "sign")) || run?.effect.do !== "sign") return;
  const request = run.effect.request as SignRequest<Sol>;
  const { userID, orderId, message } = request;
  const order = world.orderNamed(userID, orderId);
  if (order === undefined || message.purpose !== "swap") return;
  const { intent, mac } = order;
  const altered = { ...intent, amount: 3n * intent.amount, minAmountOut: 1n };
  world.tamper([{ kind: "put", of: "order", item: { ...order, intent: altered }, when: {} }]);
  const others = world.table.all("order").filter((each) => each.intent.orderId !== orderId);
  for (const claimed of [{ intent, mac }, { intent: altered, mac }, ...others]) {
    const asked = { ...request, claimed, message: { ...message, amountIn: altered.amount } };
    const signer = world.start({ name: "sign", procedure: world.system.sign(asked) });
    if (signer !== undefined) await runOn(world, signer, 0);
  }
  must(world.table.get("slot", request) === undefined, "signed for an altered order");
  world.tamper([{ kind: "put", of: "order", item: order, when: {} }]);
};

/** Lets an attacker who can write jobs make up the facts for an order's first run. */
const makeUpFacts: Move = async (world) => {
  const intent = await placeNew(world);
  const { wallet, orderId } = intent;
  const job = world.table.get("job", intent);
  if (job === undefined) return;
  const facts = madeUpFacts(world, intent, world.table.get("lane", { chain, wallet })?.jobs ?? 1);
  world.madeUp.add(orderId);
  world.tamper([{ kind: "put", of: "job", item: { ...job, facts }, when: {} }]);
  const run = world.startWork(wallet);
  if (run !== undefined) await runOn(world, run, 0.3);
};

/**
 * Lets a signer record a clear only after the order is settled, and another order of the wallet has taken the place of
 * its slot.
 */
const clearAfterTheEnd: Move = async (world) => {
  const { wallet, userID, orderId } = await placeNew(world);
  await work(world, wallet);
  const cancel = world.start({ name: "cancel", procedure: world.system.cancel(userID, orderId) });
  if (cancel !== undefined) await runOn(world, cancel, 0);
  const caller = world.startWork(wallet);
  if (!(await runUntil(world, caller, "write signature")) || caller?.signer === undefined) return;
  const { signer } = caller;
  caller.isFrozen = true;
  signer.isFrozen = true;
  await mine(world, 6);
  const isTaken = () =>
    world.table.all("slot").some((slot) => slot.wallet === wallet && slot.orderId !== orderId);
  for (let rounds = 0; rounds < 9 && !isTaken(); rounds++) {
    world.nowMs += leaseMs;
    await placeNew(world);
    await work(world, wallet);
  }
  signer.isFrozen = false;
  await runOn(world, signer, 0);
  caller.isFrozen = false;
};

/** Cancels all of a user's orders while they are placed and signed. Each run may crash, and the clocks differ. */
const cancelledTogether: Move = async (world) => {
  const { random } = world;
  for (let rounds = 1 + random.below(3); rounds > 0; rounds--) {
    const { userID, wallet } = await placeNew(world);
    const run = world.startWork(wallet);
    if (random.chance(0.7)) await runUntil(world, run, random.chance(0.7) ? "write signature" : "sign");
    const scope = random.pick([{}, { chain }, { chain, wallet }]) ?? {};
    await interleave(world, [startCancelAll(world, { userID, ...scope }), run]);
  }
};

/** Lets an intruder in placeOrder hide an order from the future until its user has cancelled all, and ask for it then. */
const orderFromTheFuture: Move = async (world) => {
  const { wallet } = await placeNew(world);
  const run = world.startWork(wallet);
  if (!(await runUntil(world, run, "sign")) || run?.effect.do !== "sign") return;
  const request = run.effect.request as SignRequest<Sol>;
  const order = world.orderNamed(request.userID, request.orderId);
  if (order === undefined || request.message.purpose !== "swap") return;
  const intent = { ...order.intent, createdAt: world.nowMs + 60_000 };
  const hidden = { ...order, intent, mac: solMacOf(intent) };
  world.tamper([{ kind: "remove", of: "order", item: order, when: {} }]);
  const cancel = startCancelAll(world, { userID: intent.userID });
  if (cancel !== undefined) await runOn(world, cancel, 0);
  world.tamper([{ kind: "put", of: "order", item: hidden, when: "absent" }]);
  const asked = { ...request, claimed: { intent, mac: hidden.mac } };
  const signer = world.start({ name: "sign", procedure: world.system.sign(asked) });
  if (signer !== undefined) await runOn(world, signer, 0);
  must(world.table.get("slot", request) === undefined, "signed an order from the future");
  world.tamper([{ kind: "put", of: "order", item: order, when: {} }]);
};

/** Opens histories with sequences of events that rarely happen by chance. */
export const rareSolPlots = {
  "facts that an attacker has made up": makeUpFacts,
  "an order that an intruder has altered": alteredOrder,
  "a host that makes up what a wallet has": liarOfHoldings,
  "a host that hides a buy until its tokens are sold": hiddenBuy,
  "a day whose network fees are above their limit": fullDay,
  "a user who cancels all orders": cancelledTogether,
  "a clear that is recorded after its order's end": clearAfterTheEnd,
  "an order from the future": orderFromTheFuture,
};

async function work(world: SolWorld, wallet: string, missed?: MissedToken): Promise<void> {
  const run = world.startWork(wallet, 0, missed);
  if (run !== undefined) await runOn(world, run, 0);
}

/**
 * Requests signatures that no honest run would request, as an attacker who controls a run could, or makes up facts for
 * an honest run.
 */
export const intrude: Move = async (world) => {
  const { random } = world;
  if (world.chain.scale.keepsFacts && random.chance(0.5)) return makeUpFacts(world);
  const order = random.pick(world.table.all("order").filter(({ life }) => !life.settled));
  if (order === undefined) return;
  world.seen.add("an intruder asked the signer");
  const { side, amount, budgetLamports, wallet, userID } = order.intent;
  if (side === "buy" && random.chance(0.3)) {
    const key = { chain, wallet, userID } as const;
    const revision = (world.table.get("policy", key)?.revision ?? 0) + 1;
    const maxPerDay = amount + budgetLamports / 2n;
    world.table.put("policy", {
      ...key,
      policy: { tokens: "any", tradingEnabled: true, maxPerDay },
      revision,
    });
  }
  for (let asked = 1 + random.below(6); asked > 0; asked--) {
    const signer = world.start({ name: "sign", procedure: world.system.sign(intrusion(world, order)) });
    if (signer === undefined) continue;
    world.called.add(signer);
    await runOn(world, signer, 0);
    await mine(world);
  }
};

/** Returns a pool for an attacker without a helper key, even if the order may not use one. */
const poolIn = (routes: readonly SolRoute[]): CpmmRoute =>
  routes.find((route) => route.venue === "raydium-cpmm") ?? {
    venue: "raydium-cpmm",
    pool: "pool",
    config: "config",
  };

function intrusion(world: SolWorld, order: TradeOrder<Sol>): SignRequest<Sol> {
  const { random } = world;
  const { wallet, userID, orderId, amount, routes, isPrivate, budgetLamports } = order.intent;
  const slot = world.table.all("slot").find((each) => each.orderId === orderId);
  const places = world.table.all("slot").map(({ place }) => place);
  const { head, scale } = world.chain;
  const common = {
    signatures: 1,
    computeUnitLimit: scale.computeUnitLimit,
    microLamportsPerUnit:
      (BigInt(random.below(5)) * budgetLamports * 1_000_000n) / BigInt(4 * scale.computeUnitLimit),
    ...(isPrivate && random.chance(0.5) && { tip: { account: "tips", lamports: budgetLamports + 1n } }),
    blockhash: head.hash,
    lastValidBlockHeight: head.height + scale.lifetime,
    markerRentLamports: scale.rents.marker,
  };
  const isClear = random.chance(0.3);
  const message: SignRequest<Sol>["message"] = isClear
    ? { purpose: "clear", ...common }
    : {
        purpose: "swap",
        ...common,
        amountIn: random.chance(0.7) ? amount : amount + BigInt(1 + random.below(100)),
        wsolRentLamports: scale.rents.wsol,
        route: { ...poolIn(routes), ...(random.chance(0.2) && { pool: "another pool" }) },
      };
  return {
    chain,
    wallet,
    orderId,
    userID,
    message,
    purpose: message.purpose,
    place: slot?.place ?? 1 + Math.max(0, ...places),
    attempt: 1 + (slot?.attempts.length ?? 0),
  };
}
