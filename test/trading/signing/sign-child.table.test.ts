import { BatchGetCommand, type BatchGetCommandInput, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import { swapBy } from "../../../lib/chains/evm/rules/intent.ts";
import { signedNonceOf } from "../../../lib/chains/evm/rules/ledger.ts";
import { dayOf } from "../../../lib/core/time.ts";
import { raisedTo } from "../../../lib/orders/cutoffs.ts";
import type { SignRequest } from "../../../lib/orders/effects.ts";
import type { Mandate } from "../../../lib/orders/resting/mandate.ts";
import type { Items, Ledger } from "../../../lib/orders/table-step.ts";
import type { PolicyRecord } from "../../../lib/orders/wallet-policy.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { interceptedTable } from "../../support/intercepted-table.ts";
import {
  childId,
  newMandate,
  newPair,
  childMs as nowMs,
  openChildren,
  parentOf,
  raised,
} from "../../support/placed-children.ts";
import { putPolicy } from "../../support/placed-orders.ts";
import { intent, slot, tradeOrder, v2 } from "../../support/trading.ts";

const db = tableForTests();
const { placedChild, sign, signs, bury, put, stored, dayOfWallet, macs, checks: usual } = openChildren(db);

describe("the signer of a child", () => {
  it("records the child in the tally, and its hashes, deadline and time in the ledger", async () => {
    const of = newMandate();
    const request = await placedChild(of);
    const first = await sign(request);
    const second = await sign({ ...request, fees: raised(request.fees) }, { nowMs: () => nowMs + 5000 });
    if (!("slot" in first && "slot" in second)) return expect.fail(JSON.stringify([first, second]));
    const most = 134_415n * 2n * request.fees.maxFeePerGas;
    const hourCount = { hour: Math.floor(nowMs / 3_600_000), n: 1 };
    const out = { child: childId(of, 1), kind: "limit", amount: of.amount, most, day: dayOf(nowMs) };
    expect(await stored("tally", of)).toEqual({
      orderId: of.orderId,
      out,
      owed: [],
      counts: { limit: hourCount, stop: { hour: 0, n: 0 } },
      fees: { limit: most, stop: 0n },
      revision: 2,
      expiresAt: of.expiresAt + 86_400,
    });
    const ledger = (await stored("ledger", { orderId: request.orderId })) as Ledger<Evm>;
    expect(ledger.swapSignedAtMs).toBe(nowMs);
    expect(signedNonceOf(ledger)).toMatchObject({
      nonce: 1,
      deadline: nowMs / 1000 + 13,
      swaps: second.slot.attempts.map(({ hash }) => hash),
      clears: [],
    });
    expect(await dayOfWallet(of)).toMatchObject({
      spent: of.amount + most,
      limitFees: most,
      newResting: 1,
      givenBack: 0,
    });
  });

  it("records the clear of a child, even after its resting order is cancelled", async () => {
    const of = newMandate();
    const request = await placedChild(of);
    expect(await signs(request)).toBe(true);
    await put({ kind: "put", of: "cancellation", item: { userID: of.userID, orderId: of.orderId } });
    const clearing = { ...request, purpose: "clear" as const, fees: raised(request.fees) };
    const cleared = await sign(clearing, { nowMs: () => nowMs + 100_000 });
    if (!("slot" in cleared)) return expect.fail(JSON.stringify(cleared));
    const ledger = (await stored("ledger", { orderId: request.orderId })) as Ledger<Evm>;
    expect(signedNonceOf(ledger)?.clears).toEqual([cleared.slot.attempts.at(-1)?.hash]);
  });

  it("signs no second child before the first one is dead, whichever leg it is of", async () => {
    const of = newPair();
    expect(await signs(await placedChild(of))).toBe(true);
    const second = await placedChild(of, { n: 2, leg: 1, lives: 24 });
    expect(await sign(second)).toEqual({ later: "another child may still fill" });
    await bury(of, childId(of, 1));
    expect(await signs(second)).toBe(true);
    expect(await stored("tally", of)).toMatchObject({
      out: { child: childId(of, 2), kind: "stop" },
      owed: [{ child: childId(of, 1), kind: "limit" }],
    });
  });

  it("signs the child of an exit only if it has signed a swap of the very buy, or of a child of it", async () => {
    const buyer = newMandate();
    const { wallet, userID } = buyer;
    const exitOf = (of: string, orderId: string) =>
      newMandate({ ...newPair(), wallet, userID, orderId, exit: { of, sharePpm: 1_000_000n } });
    const signsExit = async (of: string, orderId: string, place: number, bought?: number) => {
      const exit = exitOf(of, orderId);
      const parent = { ...parentOf(exit), ...(bought !== undefined && { bought }) };
      const request = await placedChild(exit, { changes: { parent, nextNonce: place }, place });
      return sign(request);
    };
    const never = { later: "the buy of the exit was never signed" };
    expect(await signsExit(childId(buyer, 1), "e1", 11)).toEqual(never);
    expect(await signs(await placedChild(buyer))).toBe(true);
    expect(await signsExit(childId(buyer, 1), "e2", 12)).toHaveProperty("raw");
    expect(await signsExit(buyer.orderId, "e3", 13, 1)).toHaveProperty("raw");
    expect(await signsExit(buyer.orderId, "e4", 14, 2)).toEqual(never);
    expect(await signsExit(buyer.orderId, "e5", 15)).toEqual(never);
    const other = newMandate();
    expect(await signs(await placedChild(other))).toBe(true);
    expect(await signsExit(childId(other, 1), "e6", 16)).toEqual(never);
  });

  it("signs one of two children whose signatures are asked for at once", async () => {
    const of = newPair();
    const children = [await placedChild(of), await placedChild(of, { n: 2 })];
    const answers = await Promise.all(children.map((each) => signs(each)));
    expect(answers.filter(Boolean)).toHaveLength(1);
  });

  it("takes a dead buy off the day's limit once its death is final", async () => {
    const of = newMandate();
    const { chain, wallet, userID } = of;
    const policy = { tokens: "any", tradingEnabled: true, maxPerDay: (3n * of.amount) / 2n } as const;
    const record: PolicyRecord = { chain, wallet, userID, policy, revision: 1 };
    await putPolicy(db.table, record);
    expect(await signs(await placedChild(of))).toBe(true);
    const second = await placedChild(of, { n: 2 });
    await bury(of, childId(of, 1));
    expect(await sign(second)).toEqual({ later: "the policy forbids it: maxPerDay" });
    await bury(of, { child: childId(of, 1), how: "unused", block: 9, final: true, paid: 0n });
    expect(await signs(second)).toBe(true);
    const most = 134_415n * second.fees.maxFeePerGas;
    expect(await dayOfWallet(of)).toMatchObject({ spent: of.amount + 2n * most, givenBack: 1 });
    expect(await stored("tally", of)).toMatchObject({ owed: [], fees: { limit: most } });
  });

  it.each([
    ["maxPerOrder", { maxPerOrder: 1n }],
    ["tradingEnabled", { tradingEnabled: false }],
  ] as const)("only clears a child once the policy is tightened in its %s", async (rule, tighter) => {
    const of = newMandate();
    const { chain, wallet, userID } = of;
    const request = await placedChild(of);
    const unsigned = await placedChild(newMandate({ wallet, userID }), { n: 2 });
    expect(await signs(request)).toBe(true);
    const policy = { tokens: "any", tradingEnabled: true, ...tighter } as const;
    await putPolicy(db.table, { chain, wallet, userID, policy, revision: 1 });
    const refusal = { later: `the policy forbids it: ${rule}` };
    expect(await sign(unsigned)).toEqual(refusal);
    const again = { ...request, fees: raised(request.fees) };
    expect(await sign(again)).toEqual(refusal);
    expect(await signs({ ...again, purpose: "clear" })).toBe(true);
  });

  it.each<[string, (of: Mandate) => Promise<unknown>, string]>([
    [
      "is cancelled",
      ({ userID, orderId }) => put({ kind: "put", of: "cancellation", item: { userID, orderId } }),
      "the resting order has ended",
    ],
    [
      "is cancelled with all others, before its child was placed",
      ({ userID, createdAt }) => put(raisedTo({ userID }, createdAt)),
      "the resting order has ended",
    ],
    [
      "is of a wallet retired since",
      ({ userID, chain, wallet, createdAt }) => put(raisedTo({ userID, chain, wallet }, createdAt)),
      "the resting order has ended",
    ],
  ])("signs nothing once the resting order %s", async (_, end, later) => {
    const of = newMandate();
    const request = await placedChild(of);
    await end(of);
    expect(await sign(request)).toEqual({ later });
  });

  it("signs nothing if the resting order is cancelled in the instant of the signature", async () => {
    const of = newMandate();
    const { userID, orderId } = of;
    const request = await placedChild(of);
    const table = interceptedTable(db.table, async (command) => {
      if (command instanceof TransactWriteCommand)
        await put({ kind: "put", of: "cancellation", item: { userID, orderId } });
    });
    expect(await sign(request, { table })).toEqual({ later: "the order or its slot has changed" });
    expect(await stored("tally", of)).toBeUndefined();
  });

  it("signs no swap that makes way for a stop", async () => {
    const of = newMandate();
    const request = await placedChild(of);
    const item = tradeOrder({ ...request.claimed, yields: true, revision: 2 });
    await put({ kind: "put", of: "order", item, when: {} });
    expect(await sign(request)).toEqual({ later: "the order makes way for a stop" });
  });

  it("keeps the deadline of the first signature, and signs one of a clock that is ahead once it is near", async () => {
    const ahead = await placedChild(newMandate(), { lives: 16 });
    expect(await sign(ahead)).toEqual({ later: "the swap's deadline is too far away" });
    expect(await sign(ahead, { nowMs: () => nowMs + 6000 })).toHaveProperty("raw");
    const of = newMandate();
    const request = await placedChild(of);
    const answer = await sign(request);
    if (!("slot" in answer)) return expect.fail(JSON.stringify(answer));
    const changed = answer.slot as Items["slot"] & { call: { deadline: number } };
    const call = { ...changed.call, deadline: changed.call.deadline + 1 };
    await put({ kind: "put", of: "slot", item: { ...changed, call } as Items["slot"], when: {} });
    expect(await sign({ ...request, fees: raised(request.fees) }, { nowMs: () => nowMs + 5000 })).toEqual({
      refused: "the order's swap was signed with another nonce or another call",
    });
  });

  it("reads three items more than for a market order and checks one MAC more, without asking more often", async () => {
    const asked = async (request: SignRequest<Evm>) => {
      let macsChecked = 0;
      const calls: unknown[] = [];
      const table = interceptedTable(db.table, (command) => calls.push(command));
      const noting =
        <Asked extends unknown[]>(check: (...asked: Asked) => Promise<boolean>) =>
        (...terms: Asked) => {
          macsChecked++;
          return check(...terms);
        };
      const { checkOrder, checkMandateMac } = usual;
      const checks = { checkOrder: noting(checkOrder), checkMandateMac: noting(checkMandateMac) };
      // Tells this process that there is no stop of an earlier build.
      await sign({ ...request, place: 9 }, { table, checks });
      calls.length = macsChecked = 0;
      expect(await sign(request, { table, checks })).toHaveProperty("raw");
      const keys = calls.flatMap((call) =>
        call instanceof BatchGetCommand
          ? (Object.values((call.input as BatchGetCommandInput).RequestItems ?? {})[0]?.Keys ?? [])
          : [],
      );
      const names = calls.map((call) => (call as object).constructor.name);
      return { names, keys: keys.map(({ SK }) => SK), macsChecked };
    };
    const of = newMandate();
    const child = await placedChild(of);
    const orderId = childId(of, 2);
    const own = intent({ ...child.claimed.intent, orderId });
    const { parent: _, ...bought } = own;
    const claimed = { intent: bought, mac: await macs.makeMac(bought) };
    const item = slot({ place: 2, call: swapBy(bought, v2, bought.amount) }, bought);
    await put(
      { kind: "put", of: "order", item: tradeOrder({ ...claimed, amount: bought.amount }), when: "absent" },
      { kind: "put", of: "slot", item, when: "absent" },
    );
    const ofMarket = await asked({ ...child, orderId, place: 2, claimed });
    const ofChild = await asked(child);
    expect(ofMarket).toMatchObject({ names: ["BatchGetCommand", "TransactWriteCommand"], macsChecked: 1 });
    expect(ofMarket.keys).toHaveLength(12);
    expect(ofChild).toMatchObject({ names: ofMarket.names, macsChecked: 2 });
    expect(ofChild.keys).toHaveLength(15);
  });
});
