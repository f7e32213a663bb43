import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { alice } from "trading-terminal-devnet/evm/test-chain";
import { describe, expect, it } from "vitest";
import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import { type EvmIntent, swapBy } from "../../../lib/chains/evm/rules/intent.ts";
import { type EvmSlot, mostFeeOf } from "../../../lib/chains/evm/rules/slot.ts";
import { defaultChains } from "../../../lib/infra/default-chains.ts";
import { raisedTo } from "../../../lib/orders/cutoffs.ts";
import type { ItemWrite, Ledger } from "../../../lib/orders/table-step.ts";
import { openPolicy } from "../../../lib/orders/wallet-policy.ts";
import { getItems } from "../../../lib/table/batch-get.ts";
import type { Table } from "../../../lib/table/table.ts";
import { signedBytesKey } from "../../../lib/trading/items/keys.ts";
import { readSigning } from "../../../lib/trading/items/signing-view.ts";
import { writeStep } from "../../../lib/trading/items/write-step.ts";
import { checksBy } from "../../../lib/trading/signing/intent-mac.ts";
import { signOnRequest } from "../../../lib/trading/signing/sign-transaction.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { interceptedTable } from "../../support/intercepted-table.ts";
import { placing, putPolicy } from "../../support/placed-orders.ts";
import { readSigned } from "../../support/signed-bytes.ts";
import { ignoredNotes, type Keys, openKeys, putSealedWallet } from "../../support/signing.ts";
import { intent, slot, tradeOrder, v2 } from "../../support/trading.ts";

const db = tableForTests();
const keys = openKeys();
const notes = ignoredNotes();
const token = "0x6B175474E89094C44Da98b954EedeAC495271d0F";
const sale: Partial<EvmIntent> = { side: "sell", amount: 10n ** 21n, minAmountOut: 1n };

const day = "2026-11-21";
/** Time of the orders. */
const orderedMs = Number(intent().createdAt);

let count = 0;

/** Creates an order with a planned slot, and the request to sign it. */
async function planned(purpose: "swap" | "approve", userID = `user${++count}`) {
  const changes = { userID, orderId: `order${++count}`, wallet: alice.address, token, nextNonce: count };
  const own = intent({ ...changes, ...(purpose === "approve" && sale) });
  const { chain, wallet, orderId, amount } = own;
  const call = purpose === "swap" ? swapBy(own, v2, amount) : { purpose, token, router: v2.router, amount };
  const item = slot({ place: count, call }, own);
  const order = tradeOrder({ intent: own, amount, mac: await keys.macs.makeMac(own) });
  await writeStep(db.table, [...placing(order), { kind: "put", of: "slot", item, when: "absent" }]);
  await putSealedWallet({ table: db.table, vault: keys.vault }, own, userID, alice.privateKey);
  const claimed = { intent: own, mac: order.mac };
  return {
    own,
    request: { chain, wallet, userID, orderId, place: count, purpose, fees: item.fees, claimed },
  };
}

type Planned = Awaited<ReturnType<typeof planned>>["request"];
type Request = Omit<Planned, "purpose"> & { purpose: Planned["purpose"] | "clear" };

const sign = (request: Request, table: Table = db.table, { vault, macs, childMacs }: Keys = keys) => {
  const nowMs = () => Date.parse(`${day}T20:00:00.000Z`);
  return signOnRequest(
    { table, vault, checks: checksBy(macs, childMacs), chains: defaultChains, nowMs, ...notes },
    request,
  );
};

type Fault = { isBefore: boolean; error: Error };

/** Faults of an AWS call: the call does not arrive, the function ends right after it, or its response is lost. */
const faults: Readonly<Record<string, Fault>> = {
  "does not arrive": { isBefore: true, error: Object.assign(new Error(), { $metadata: {} }) },
  "ends the function": { isBefore: false, error: new Error("killed") },
  "loses its response": { isBefore: false, error: Object.assign(new Error(), { $metadata: {} }) },
};

/** AWS calls that the signer makes, the first two at the same time. */
const calls = ["BatchGet", "VerifyMac", "Decrypt", "TransactWrite"] as const;

type Call = (typeof calls)[number];

/** Runs the signer while one call fails, and returns the result if there is one. */
async function signWithFault(request: Request, call: Call, { isBefore, error }: Fault) {
  let hasFailed = false;
  const failIf = (isNow: boolean, name: string) => {
    if (!isNow || hasFailed || name !== call) return;
    hasFailed = true;
    throw error;
  };
  const nameOf = (command: unknown) => (command as object).constructor.name.replace("Command", "");
  const before = (command: unknown) => failIf(isBefore, nameOf(command));
  const after = (command: unknown) => failIf(!isBefore, nameOf(command));
  const { vault, macs } = keys;
  const { client } = interceptedTable({ name: "", client: vault.client as never }, before, after);
  const checkMac: typeof macs.checkMac = async (...asked) => {
    failIf(isBefore, "VerifyMac");
    const isGenuine = await macs.checkMac(...asked);
    failIf(!isBefore, "VerifyMac");
    return isGenuine;
  };
  const faulty = {
    vault: { ...vault, client: client as never },
    macs: { ...macs, checkMac },
    childMacs: keys.childMacs,
  };
  const answer = await sign(request, interceptedTable(db.table, before, after), faulty).catch(
    () => "failed" as const,
  );
  expect(hasFailed).toBe(true);
  return answer;
}

const cases = (["swap", "approve"] as const).flatMap((purpose) =>
  calls.flatMap((call) => Object.keys(faults).map((how) => [purpose, call, how] as const)),
);

describe("signTransaction on the table", () => {
  it.each(cases)("signs and records one %s even if %s %s", async (purpose, call, how) => {
    const { own, request } = await planned(purpose);
    const first = await signWithFault(request, call, faults[how] as Fault);
    const isKilled = how === "ends the function";
    expect(first).toEqual(isKilled ? "failed" : { later: "a call to AWS has failed" });
    const answer = await sign(request);
    const { view } = await readSigning(db.table, { request, day });
    if (!("slot" in answer)) return expect.fail("nothing was signed");
    expect(answer.slot).toEqual(view.slot);
    const [attempt, ...others] = answer.slot.attempts;
    expect(others).toEqual([]);
    const { hash = "" } = attempt ?? {};
    const [bytes] = await getItems(db.table, [signedBytesKey({ ...own, hash })]);
    expect(bytes).toMatchObject({ hash, raw: answer.raw });
    expect(readSigned(answer.raw, own, defaultChains.eth)).toMatchObject({ purpose });
    const { ledger } = view;
    expect(Object.keys((ledger as Ledger<Evm> | undefined)?.fees ?? {})).toEqual([String(request.place)]);
    const { orderId, userID, chain, wallet, validUntil } = own;
    expect(ledger).toMatchObject({ orderId, userID, chain, wallet, validUntil, revision: 1 });
    const fee = mostFeeOf({ ...(view.slot as EvmSlot), ...request.fees });
    expect(view.limits.count?.spent).toBe(purpose === "swap" ? own.amount + fee : fee);
    expect(await sign(request)).toEqual(answer);
  });

  it("signs the same transaction in response to simultaneous requests", async () => {
    const { request } = await planned("swap");
    const answers = await Promise.all(Array.from({ length: 4 }, () => sign(request)));
    const { view } = await readSigning(db.table, { request, day });
    expect(view.slot?.attempts).toHaveLength(1);
    const signed = answers.filter((answer) => "slot" in answer);
    expect(signed.length).toBeGreaterThan(0);
    for (const answer of signed) expect(answer).toMatchObject({ slot: view.slot });
    for (const answer of answers) expect(answer).not.toHaveProperty("refused");
  });

  it("signs only one of two buys that compete for the rest of a day's limit", async () => {
    const { own, request } = await planned("swap");
    const { userID, chain, wallet, amount } = own;
    const fee = mostFeeOf({ ...slot(), ...slot().fees });
    const other = await planned("swap", userID);
    const policy = { ...openPolicy, maxPerDay: 2n * (amount + fee) - 1n };
    await putPolicy(db.table, { userID, chain, wallet, policy, revision: 1 });
    const both = [request, other.request];
    const ask = () => Promise.all(both.map((each) => sign(each)));
    await ask();
    const answers = await ask();
    const [signed, ...more] = answers.filter((answer) => "slot" in answer);
    expect(signed).toBeDefined();
    expect(more).toEqual([]);
    expect(answers).toContainEqual({ later: "the policy forbids it: maxPerDay" });
    const { view } = await readSigning(db.table, { request, day });
    expect(view.limits.count?.spent).toBe(amount + fee);
  });

  it("obeys a signature or a tighter policy, whichever comes first", async () => {
    const { own, request } = await planned("swap");
    const { userID, chain, wallet } = own;
    const policy = { ...openPolicy, tradingEnabled: false };
    const late = interceptedTable(db.table, async (command) => {
      if (command instanceof TransactWriteCommand)
        await putPolicy(db.table, { userID, chain, wallet, policy, revision: 1 });
    });
    expect(await sign(request, late)).toEqual({ later: "the order or its slot has changed" });
    expect(await sign(request)).toEqual({ later: "the policy forbids it: tradingEnabled" });
    const { view } = await readSigning(db.table, { request, day });
    expect([view.slot?.attempts, view.limits.count]).toEqual([[], undefined]);
  });

  it.each<[string, (request: Request) => ItemWrite]>([
    [
      "a cancellation",
      ({ userID, orderId }) => ({ kind: "put", of: "cancellation", item: { userID, orderId } }),
    ],
    ["one of all orders", ({ userID }) => raisedTo({ userID }, orderedMs)],
    ["one of the chain's orders", ({ userID, chain }) => raisedTo({ userID, chain }, orderedMs)],
    [
      "one of the wallet's orders",
      ({ userID, chain, wallet }) => raisedTo({ userID, chain, wallet }, orderedMs),
    ],
  ])("obeys a signature or %s, whichever comes first", async (_, writeOf) => {
    const { request } = await planned("swap");
    const late = interceptedTable(db.table, async (command) => {
      if (command instanceof TransactWriteCommand) await writeStep(db.table, [writeOf(request)]);
    });
    expect(await sign(request, late)).toEqual({ later: "the order or its slot has changed" });
    expect(await sign(request)).toEqual({ later: "the order has ended" });
    expect((await readSigning(db.table, { request, day })).view.slot?.attempts).toEqual([]);
  });

  it("keeps another order's slot, if that takes the place before a late clear is recorded", async () => {
    const { request } = await planned("swap");
    await sign(request);
    const { view } = await readSigning(db.table, { request, day });
    if (view.slot === undefined) return expect.fail("nothing was signed");
    const others = { ...view.slot, orderId: "another order" };
    const late = interceptedTable(db.table, async (command) => {
      if (command instanceof TransactWriteCommand)
        await writeStep(db.table, [{ kind: "put", of: "slot", item: others, when: {} }]);
    });
    const { maxFeePerGas, maxPriorityFeePerGas } = request.fees;
    const fees = { maxFeePerGas: 2n * maxFeePerGas, maxPriorityFeePerGas: 2n * maxPriorityFeePerGas };
    expect(await sign({ ...request, purpose: "clear", fees }, late)).toEqual({
      later: "the order or its slot has changed",
    });
    expect((await readSigning(db.table, { request, day })).view.slot).toEqual(others);
  });
});
