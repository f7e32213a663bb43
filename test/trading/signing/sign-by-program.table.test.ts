import { DeleteCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import { swapBy } from "../../../lib/chains/evm/rules/intent.ts";
import { mostFeeOf } from "../../../lib/chains/evm/rules/slot.ts";
import { formatUnits } from "../../../lib/core/decimal.ts";
import { hashedId } from "../../../lib/core/record-ids.ts";
import { defaultChains } from "../../../lib/infra/default-chains.ts";
import type { SignRequest } from "../../../lib/orders/effects.ts";
import type { ProgramKey } from "../../../lib/orders/program-key.ts";
import { openPolicy } from "../../../lib/orders/wallet-policy.ts";
import type { Table } from "../../../lib/table/table.ts";
import { keyDayKey, programKeyKey } from "../../../lib/trading/items/keys.ts";
import { readSigning } from "../../../lib/trading/items/signing-view.ts";
import { writeStep } from "../../../lib/trading/items/write-step.ts";
import { checksBy } from "../../../lib/trading/signing/intent-mac.ts";
import { readSignRequest, signPayload } from "../../../lib/trading/signing/sign-payload.ts";
import { signOnRequest } from "../../../lib/trading/signing/sign-transaction.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { interceptedTable } from "../../support/intercepted-table.ts";
import { putItems } from "../../support/items.ts";
import { newEvmKey } from "../../support/keys.ts";
import { placing, putPolicy } from "../../support/placed-orders.ts";
import { ignoredNotes, openKeys, putSealedWallet } from "../../support/signing.ts";
import { intent, slot, tradeOrder, v2 } from "../../support/trading.ts";
import { keyId, tradingKey } from "../../support/trading-keys.ts";

const db = tableForTests();
const { vault, macs, childMacs } = openKeys();
const token = "0x6B175474E89094C44Da98b954EedeAC495271d0F";
const day = "2026-11-21";
const nowMs = Date.parse(`${day}T20:00:00.000Z`);
const { amount } = intent();
const fee = mostFeeOf({ ...slot(), ...slot().fees });
const other = "pk_another_key_of_the_user";
/** Suffices for one buy with its fees, and not for two. */
const forOne = formatUnits(2n * (amount + fee) - 1n, 18);

let count = 0;

const putKey = (changes: Partial<ProgramKey>, table: Table = db.table) => {
  const key = tradingKey(changes);
  return putItems(table, [{ ...programKeyKey(key), ...key }]);
};

type Changes = { by?: string; userID?: string; wallet?: ReturnType<typeof newEvmKey> };

/** Places a buy of a new user by a program, with a planned swap. Returns the request to sign it. */
async function planned({ by = keyId, userID = `user${++count}`, wallet = newEvmKey() }: Changes = {}) {
  const orderId = hashedId(["order", userID, ++count]);
  const own = intent({ userID, orderId, wallet: wallet.address, token, nextNonce: count, by });
  const item = slot({ place: count, call: swapBy(own, v2, amount) }, own);
  const order = tradeOrder({ intent: own, mac: await macs.makeMac(own) });
  await writeStep(db.table, [...placing(order), { kind: "put", of: "slot", item, when: "absent" }]);
  const lane = { chain: own.chain, wallet: own.wallet };
  await putSealedWallet({ table: db.table, vault }, lane, userID, wallet.privateKey);
  const claimed = { intent: own, mac: order.mac };
  const request: SignRequest<Evm> = {
    ...lane,
    ...{ userID, orderId, place: count, purpose: "swap", fees: item.fees, claimed },
  };
  return { userID, wallet, request, order };
}

type Notes = Partial<Parameters<typeof signOnRequest>[0]>;

/** Asks the signer by the payload that it gets. */
function sign(asked: SignRequest<Evm>, table: Table = db.table, notes: Notes = {}) {
  const request = readSignRequest(signPayload(asked)) as SignRequest<Evm>;
  const checks = checksBy(macs, childMacs);
  const deps = { table, vault, checks, chains: defaultChains, nowMs: () => nowMs, ...ignoredNotes() };
  return signOnRequest({ ...deps, ...notes }, request);
}

const viewOf = async (request: SignRequest<Evm>) => (await readSigning(db.table, { request, day })).view;
const signedIn = (answers: readonly object[]) => answers.filter((answer) => "slot" in answer);
const forbidden = (rule: string) => ({ forbidden: `the program's key forbids it: ${rule}` });

describe("the signer and program keys in the table", () => {
  it("signs only one of two buys of different wallets that compete for the rest of a key's day", async () => {
    const first = await planned();
    const { userID } = first;
    const second = await planned({ userID });
    await putKey({ userID, maxPerDay: forOne });
    const ask = () => Promise.all([first, second].map(({ request }) => sign(request)));
    await ask();
    const answers = await ask();
    expect(signedIn(answers)).toHaveLength(1);
    expect(answers).toContainEqual(forbidden("maxPerDay"));
    const { program, limits } = await viewOf(first.request);
    expect(program?.count).toMatchObject({
      wallet: keyId,
      spent: amount + fee,
      networkFees: fee,
      revision: 1,
    });
    const ofOther = (await viewOf(second.request)).limits.count;
    expect([limits.count, ofOther].filter((each) => each?.spent === amount + fee)).toHaveLength(1);
  });

  it("signs only one of two buys by different keys that compete for the rest of a wallet's day", async () => {
    const { userID, wallet, request } = await planned();
    const second = await planned({ userID, wallet, by: other });
    await putKey({ userID });
    await putKey({ userID, keyId: other });
    const policy = { ...openPolicy, maxPerDay: 2n * (amount + fee) - 1n };
    await putPolicy(db.table, { userID, chain: "eth", wallet: wallet.address, policy, revision: 1 });
    const ask = () => Promise.all([request, second.request].map((each) => sign(each)));
    await ask();
    const answers = await ask();
    expect(signedIn(answers)).toHaveLength(1);
    expect(answers).toContainEqual({ later: "the policy forbids it: maxPerDay" });
    const counts = [(await viewOf(request)).program?.count, (await viewOf(second.request)).program?.count];
    expect(counts.filter((each) => each?.spent === amount + fee)).toHaveLength(1);
    expect(counts.filter((each) => each === undefined)).toHaveLength(1);
  });

  it("counts on each key and chain by itself", async () => {
    const { userID, request } = await planned();
    const second = await planned({ userID, by: other });
    await putKey({ userID, maxPerDay: forOne });
    await putKey({ userID, keyId: other, maxPerDay: forOne });
    expect(signedIn([await sign(request), await sign(second.request)])).toHaveLength(2);
  });

  it.each<[string, Partial<ProgramKey>, string]>([
    ["was revoked", { revokedAt: "2026-11-21T19:59:59.999Z", revision: 2 }, "expiresAt"],
    ["has ended", { endsAt: "2026-11-21T20:00:00.000Z" }, "expiresAt"],
    ["is another user's", { userID: "somebody else" }, "expiresAt"],
    ["may not trade", { scopes: ["read", "settings"] }, "scopes"],
    ["names other chains", { chains: ["base"] }, "chains"],
    ["names other wallets", { wallets: [token] }, "wallets"],
    ["names other tokens", { tokens: [] }, "tokens"],
    ["allows less for an order", { maxPerOrder: formatUnits(amount - 1n, 18) }, "maxPerOrder"],
  ])("signs nothing by a key that %s, and raises no alarm", async (_, changes, rule) => {
    const { userID, request } = await planned();
    await putKey({ userID, ...changes });
    const counted: object[] = [];
    const uncounted: object[] = [];
    const notes = {
      onRefused: (note: object) => void counted.push(note),
      onPostponed: (note: object) => void counted.push(note),
      onForbidden: (note: object) => void uncounted.push(note),
    };
    for (let times = 0; times < 25; times++)
      expect(await sign(request, db.table, notes)).toEqual(forbidden(rule));
    expect([counted.length, uncounted.length]).toEqual([0, 25]);
    const { slot: planning, program } = await viewOf(request);
    expect([planning?.attempts, program?.count]).toEqual([[], undefined]);
  });

  it.each<[string, (of: { userID: string }, table: Table) => Promise<unknown>, object]>([
    [
      "the end of its key",
      ({ userID }) => putKey({ userID, revokedAt: "2026-11-21T20:00:00.000Z", revision: 2 }),
      forbidden("expiresAt"),
    ],
    [
      "the loss of its key",
      ({ userID }, { client, name: TableName }) =>
        client.send(new DeleteCommand({ TableName, Key: programKeyKey({ userID, keyId }) })),
      forbidden("expiresAt"),
    ],
  ])("obeys a signature or %s, whichever comes first", async (_, change, after) => {
    const { userID, request } = await planned();
    await putKey({ userID });
    const late = interceptedTable(db.table, async (command) => {
      if (command instanceof TransactWriteCommand) await change({ userID }, db.table);
    });
    expect(await sign(request, late)).toEqual({ later: "the order or its slot has changed" });
    expect(await sign(request)).toEqual(after);
    expect((await viewOf(request)).slot?.attempts).toEqual([]);
  });

  it("records no signature whose count has been deleted since it was read", async () => {
    const { userID, request } = await planned();
    await putKey({ userID });
    await sign(request);
    const second = await planned({ userID });
    const Key = keyDayKey({ userID, keyId, chain: "eth", day });
    const late = interceptedTable(db.table, async (command) => {
      if (command instanceof TransactWriteCommand)
        await db.table.client.send(new DeleteCommand({ TableName: db.table.name, Key }));
    });
    expect(await sign(second.request, late)).toEqual({ later: "the order or its slot has changed" });
    expect(await sign(second.request)).toHaveProperty("raw");
    expect((await viewOf(request)).program?.count).toMatchObject({ spent: amount + fee, revision: 1 });
  });

  it("signs nothing for an order that an intruder has taken from its key, or given to another", async () => {
    const { userID, request, order } = await planned();
    await putKey({ userID, tokens: [] });
    await putKey({ userID, keyId: other });
    const { by: _, ...own } = order.intent;
    for (const changed of [own, { ...own, by: other }]) {
      await writeStep(db.table, [
        { kind: "put", of: "order", item: { ...order, intent: changed }, when: {} },
      ]);
      const { claimed: __, ...unclaimed } = request;
      const claims = [order.intent, changed].map((each) => ({ claimed: { intent: each, mac: order.mac } }));
      for (const claim of [...claims, {}])
        expect(await sign({ ...unclaimed, ...claim })).toHaveProperty("refused");
    }
    const { claimed: __, ...unclaimed } = request;
    await writeStep(db.table, [{ kind: "put", of: "order", item: order, when: {} }]);
    expect(await sign(unclaimed)).toEqual(forbidden("expiresAt"));
    expect((await viewOf(request)).slot?.attempts).toEqual([]);
  });

  const calls = ["BatchGet", "Decrypt", "TransactWrite"];
  const cases = calls.flatMap((call) => ["before", "after"].map((when) => [when, call] as const));

  it.each(cases)("counts one signature once if the signer dies %s %s", async (when, call) => {
    const { userID, request } = await planned();
    await putKey({ userID, maxPerDay: forOne });
    let hasDied = false;
    const dieAt = (now: string) => (command: unknown) => {
      const name = (command as object).constructor.name.replace("Command", "");
      if (hasDied || when !== now || name !== call) return;
      hasDied = true;
      throw new Error("killed");
    };
    const opened = { name: "", client: vault.client as never };
    const { client } = interceptedTable(opened, dieAt("before"), dieAt("after"));
    const killed = interceptedTable(db.table, dieAt("before"), dieAt("after"));
    const dying = { vault: { ...vault, client: client as never } };
    await expect(sign(request, killed, dying)).rejects.toThrow("killed");
    expect(hasDied).toBe(true);
    expect(await sign(request)).toHaveProperty("raw");
    const { program, ledger } = await viewOf(request);
    expect(program?.count).toMatchObject({ spent: amount + fee, networkFees: fee, revision: 1 });
    expect(ledger?.revision).toBe(1);
  });
});
