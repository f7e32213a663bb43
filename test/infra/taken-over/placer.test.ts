import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import { type EvmIntent, swapBy } from "../../../lib/chains/evm/rules/intent.ts";
import { evmFactsText } from "../../../lib/chains/evm/rules/placed-facts.ts";
import type { EvmSlot } from "../../../lib/chains/evm/rules/slot.ts";
import type { SignAnswer, SignRequest } from "../../../lib/orders/effects.ts";
import { waitingFor } from "../../../lib/orders/lane-reservation.ts";
import type { Ledger } from "../../../lib/orders/table-step.ts";
import { openPolicy } from "../../../lib/orders/wallet-policy.ts";
import { runProcedure } from "../../../lib/trading/execution/run-procedure.ts";
import { tableEffects } from "../../../lib/trading/execution/table-effects.ts";
import { contentOf } from "../../../lib/trading/items/items.ts";
import { jobKey, laneKey, slotKey, tradeKey } from "../../../lib/trading/items/keys.ts";
import { homeShard } from "../../../lib/trading/items/lane-places.ts";
import { workLane } from "../../../lib/trading/procedures/work-lane.ts";
import { type Engine, engineStart, startTable } from "../../support/dynamodb.ts";
import { itemsNamed } from "../../support/items.ts";
import { orderFacts, routeFacts, snapshot } from "../../support/lane-states.ts";
import { putPolicy } from "../../support/placed-orders.ts";
import { Theft } from "../../support/signed-bytes.ts";
import { slot, v2, wideLimits } from "../../support/trading.ts";
import { Random } from "../../trading/model/random.ts";
import { dai, nowMs, policyOfAlice, SigningDesk } from "./desk.ts";
import { type Allows, Intruder } from "./intruder.ts";
import { isAllowed, roleOf } from "./roles.ts";

let engine: Engine;
let desk: SigningDesk;

beforeAll(async () => {
  engine = await startTable();
  desk = await SigningDesk.open(engine.table);
}, engineStart);
afterAll(() => engine.stop());

const { userID, chain, wallet } = policyOfAlice;
const own = { userID, chain, wallet, token: dai, routes: [v2] };

/** Orders that an intruder in placeOrder invents, each with a transaction. */
const inventions: Record<string, [Partial<EvmIntent>, (intent: EvmIntent) => EvmSlot["call"]]> = {
  "a sale of all tokens for next to nothing": [
    { side: "sell", amount: 10n ** 24n, minAmountOut: 1n, quotedOut: 1n },
    (intent) => swapBy(intent, v2, intent.amount),
  ],
  "an approval of one unit": [
    { side: "sell", amount: 1n, minAmountOut: 1n, quotedOut: 1n, approvalGas: 90_000n },
    ({ token, amount }) => ({ purpose: "approve", token, router: v2.router, amount }),
  ],
  "a small buy": [{ amount: 1n, minAmountOut: 1n }, (intent) => swapBy(intent, v2, intent.amount)],
};

const idOf = (name: string) => name.toUpperCase().replaceAll(/\W/g, "").padEnd(26, "0").slice(0, 26);

describe("a placeOrder that was taken over", () => {
  it.each(Object.entries(inventions))(
    "gets no signature of a frozen wallet for %s",
    async (name, invention) => {
      const [changes, callFor] = invention;
      const intruder = new Intruder(desk, () => true, new Random(1));
      const order = await desk.forge({ ...own, ...changes, orderId: idOf(name) });
      const planned = slot({ call: callFor(order.intent), isPrivate: false }, order.intent);
      const policy = { ...policyOfAlice.policy, tradingEnabled: false };
      await putPolicy(desk.table, { ...policyOfAlice, policy });
      expect(await intruder.askWith(order, planned)).toEqual({
        later: "the policy forbids it: tradingEnabled",
      });
      // Shows that the signer would sign if the wallet were not frozen.
      await putPolicy(desk.table, policyOfAlice);
      await expect(intruder.askWith(order, planned)).rejects.toThrow(Theft);
    },
  );

  const wei = 10n ** 18n;
  const limits: Record<string, [Partial<EvmIntent>, Partial<EvmSlot>, object]> = {
    "burns coin as fees": [
      { maxGasPrice: wei },
      { fees: { maxFeePerGas: wei / 1_000_000n, maxPriorityFeePerGas: wei / 1_000_000n } },
      { refused: "the fee is above the limit of a transaction, or the rest of the order's budget" },
    ],
    "buys above the operators' limit": [
      { amount: 10n ** 25n },
      {},
      { later: "the amount is above the operators' limit" },
    ],
    "keeps an order open for an hour": [
      { validUntil: nowMs / 1000 + 3600 },
      {},
      { later: "the deadline is too far away" },
    ],
    "plants a slot far above the wallet's nonces": [
      {},
      { place: 100 },
      { refused: "the nonce is too far above the wallet's next one" },
    ],
    "plants a slot with fees above the order's": [
      {},
      { fees: { maxFeePerGas: 150_000_000_000n, maxPriorityFeePerGas: 150_000_000_000n } },
      { refused: "the fee is above the highest gas price" },
    ],
  };

  it.each(Object.entries(limits))("gets no signature if it %s", async (name, [changes, planted, answer]) => {
    const intruder = new Intruder(desk, () => true, new Random(1));
    await putPolicy(desk.table, { ...policyOfAlice, policy: openPolicy });
    const order = await desk.forge({ ...own, nextNonce: 0, ...changes, orderId: idOf(name) });
    const planned = slot(
      { place: 0, call: swapBy(order.intent, v2, order.intent.amount), isPrivate: false, ...planted },
      order.intent,
    );
    expect(await intruder.askWith(order, planned, { fees: planned.fees })).toEqual(answer);
  });

  const mostWei = 10n ** 17n;
  const gasLimit = 500_000n;
  const dear = mostWei / gasLimit;
  const pays = (price: bigint) => ({ fees: { maxFeePerGas: price, maxPriorityFeePerGas: price } });

  /** Requests that the intruder repeats at each nonce. Each spends at most 0.1 coins. */
  const burnings: Record<string, readonly Partial<SignRequest<Evm>>[]> = {
    approvals: [pays(dear)],
    "approvals that become dearer": [pays(dear / 100n), pays(dear)],
    "cheap approvals and dear clears": [pays(1n), { purpose: "clear", ...pays(mostWei / 21_000n) }],
  };

  it.each(Object.entries(burnings))("burns at most one day's limit of coin by %s", async (_, requests) => {
    const table = await engine.newTable();
    const fresh = await SigningDesk.open(table);
    await putPolicy(table, { ...policyOfAlice, policy: { ...openPolicy, maxPerDay: 10n ** 16n } });
    const intruder = new Intruder(fresh, () => true, new Random(1));
    const answers: unknown[] = [];
    for (let sale = 0; sale < 8; sale++) {
      const order = await fresh.forge({
        ...own,
        side: "sell",
        amount: 1n,
        minAmountOut: 1n,
        quotedOut: 1n,
        gasLimit,
        approvalGas: gasLimit,
        maxGasPrice: mostWei,
        nextNonce: 2 * sale,
        orderId: idOf(`sale ${sale}`),
      });
      for (const nonce of [2 * sale, 2 * sale + 1]) {
        const call = { purpose: "approve", token: dai, router: v2.router, amount: 1n } as const;
        const planned = slot({ place: nonce, call, gasLimit, isPrivate: false }, order.intent);
        for (const [index, request] of requests.entries()) {
          const state = index === 0 ? "planned" : "signed";
          const asked = intruder.askWith(order, { ...planned, state }, request);
          answers.push(await asked.catch((error: Error) => error));
        }
      }
    }
    const ledgers = (await itemsNamed(table, "SIGNED#"))
      .filter((item) => "approveNonces" in item)
      .map((item) => contentOf("ledger", item) as Ledger<Evm>);
    const most = ledgers.flatMap(({ fees }) => Object.values(fees).map((fee) => fee.most));
    const sum = most.reduce((total, each) => total + each, 0n);
    expect(sum).toBeGreaterThan(8n * mostWei);
    expect(sum).toBeLessThanOrEqual(10n * mostWei);
    expect(answers).toContainEqual({ later: expect.stringContaining("networkFeesPerDay") });
  });

  it("gets only one nonce near the wallet's nonce for a swap, whatever facts it leaves for executeOrders", async () => {
    const order = desk.named("MALLORYBUYS");
    const { intent } = order;
    const lane = { chain: intent.chain, wallet: intent.wallet };
    const intruder = new Intruder(desk, () => true, new Random(1));
    const answers: unknown[] = [];
    for (const nonce of [100, 3, 4, 3]) {
      const latest = { number: 1, hash: "0x1", time: nowMs / 1000 };
      const madeUp = snapshot(undefined, { latest, nonce: { latest: nonce, pending: nonce } });
      const routes = intent.routes.map((route) => routeFacts({ ...route, amountOut: 10n ** 30n }));
      const host = { ...madeUp, coins: 10n ** 30n, order: orderFacts({ routes }) };
      const facts = evmFactsText({ setup: "setup", jobs: 1, hosts: [host, host] }, intent);
      const { orderId, userID: owner, token } = intent;
      await intruder.put(tradeKey(owner, orderId), order);
      await intruder.put(jobKey(lane, orderId), { ...lane, orderId, userID: owner, token, facts });
      await intruder.put(laneKey(lane, homeShard(lane)), { ...lane, jobs: 1 });
      for (const slot of [100, 3, 4]) await intruder.remove(slotKey(lane, slot));
      const run = runProcedure(workLane(lane, `run ${answers.length}`, wideLimits, "setup"), {
        ...tableEffects(desk.table),
        now: () => nowMs,
        sign: async ({ request }) => {
          const answer = (await desk.ask(request as SignRequest<Evm>)) as SignAnswer<Evm>;
          answers.push("slot" in answer ? answer.slot.place : answer);
          return answer;
        },
        hostSnapshot: () => Promise.reject(new Error("asks the hosts")),
        send: () => "reached",
      });
      await run.catch(({ message }) => answers.push(message));
    }
    expect(answers).toEqual([
      "asks the hosts",
      3,
      { refused: "the order's swap was signed with another nonce or another call" },
      3,
    ]);
  });
});

describe("the rights of placeOrder on lanes", () => {
  const placer = roleOf("placeOrder");
  const allows: Allows = (action, partition) => isAllowed(placer, action, partition);

  it("gets signatures only for placed orders, once each, whatever slots it writes", async () => {
    const fresh = await SigningDesk.open(await engine.newTable());
    const intruder = new Intruder(fresh, allows, new Random(1));
    for (let moves = 0; moves < 100; moves++) await intruder.move();
    expect(fresh.signatures).toBeGreaterThan(4);
    expect(fresh.refusals).toBeGreaterThan(50);
    expect(intruder.denials).toBeGreaterThan(9);
  });

  it("gets nothing sent that the signer has not recorded, whatever lanes and slots it writes", async () => {
    const fresh = await SigningDesk.open(await engine.newTable());
    const intruder = new Intruder(fresh, allows, new Random(1));
    const order = fresh.named("BOBBUYS");
    const { intent } = order;
    const { orderId, userID: owner, token } = intent;
    const lane = { chain: intent.chain, wallet: intent.wallet };
    const [signed, sent] = [new Set<string>(), new Set<string>()];
    const latest = { number: 1, hash: "0x1", time: nowMs / 1000 };
    let runs = 0;
    for (const state of ["planned", "signed", "mined", "taken"] as const)
      for (const nonce of [0, 1, 2]) {
        const holder = `run ${++runs}`;
        const attempt = {
          ...slot().fees,
          purpose: "swap",
          hash: `0x${nonce}`,
          gasLimit: 1n,
          signedAtMs: nowMs,
        };
        const attempts = state === "planned" ? [] : [attempt];
        const call = swapBy(intent, v2, intent.amount);
        const planned = slot({ place: nonce, call, state, attempts, isPrivate: false } as never, intent);
        await intruder.put(tradeKey(owner, orderId), { ...order, swapNonce: nonce, revision: 2 });
        await intruder.put(jobKey(lane, orderId), { ...lane, orderId, userID: owner, token });
        await intruder.put(slotKey(lane, nonce), planned);
        const held = { holder: waitingFor(orderId), leaseUntilMs: nowMs + 10 ** 9 };
        await intruder.put(laneKey(lane, homeShard(lane)), { ...lane, ...held, jobs: 1 });
        const host = snapshot(undefined, { latest, nonce: { latest: nonce, pending: nonce } });
        await runProcedure(workLane(lane, holder, wideLimits, "setup", { reservation: orderId }), {
          ...tableEffects(fresh.table),
          now: () => nowMs,
          pause: () => undefined,
          async sign({ request }) {
            const answer = (await fresh.ask(request as SignRequest<Evm>)) as SignAnswer<Evm>;
            if ("raw" in answer) signed.add(answer.raw);
            return answer;
          },
          hostSnapshot: () => host,
          send: ({ raw }) => {
            sent.add(raw);
            return "reached";
          },
        });
      }
    expect(intruder.denials).toBe(0);
    expect(sent.size).toBeGreaterThan(0);
    expect([...sent].filter((raw) => !signed.has(raw))).toEqual([]);
    expect(fresh.signed.get(orderId)?.swaps.size).toBe(1);
  });

  it("can free no lane of slots, and change nothing that the signer trusts", async () => {
    for (const partition of ["SIGNED#1", "BYTES#eth#0x1", "CANCELLED#alice", "POLICY#alice", "TRADING"])
      expect([allows("PutItem", partition), allows("DeleteItem", partition)]).toEqual([false, false]);
    expect(allows("DeleteItem", slotKey(own, 0).PK)).toBe(false);
    expect(allows("PutItem", slotKey(own, 0).PK)).toBe(true);
  });
});
