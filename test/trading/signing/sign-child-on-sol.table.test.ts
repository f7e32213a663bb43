import { describe, expect, it } from "vitest";
import { readTransaction } from "../../../lib/chains/sol/messages/signed-message.ts";
import type { Sol } from "../../../lib/chains/sol/rules/family.ts";
import type { SolIntent } from "../../../lib/chains/sol/rules/intent.ts";
import { signedMessagesOf } from "../../../lib/chains/sol/rules/ledger.ts";
import type { SolMessage } from "../../../lib/chains/sol/rules/message.ts";
import { hashedId, orderIdFor } from "../../../lib/core/record-ids.ts";
import { defaultSol } from "../../../lib/infra/default-chains.ts";
import type { SignRequest } from "../../../lib/orders/effects.ts";
import type { Mandate } from "../../../lib/orders/resting/mandate.ts";
import type { Ledger } from "../../../lib/orders/table-step.ts";
import { getItems } from "../../../lib/table/batch-get.ts";
import { keysOfItems } from "../../../lib/trading/items/items.ts";
import { parsed } from "../../../lib/trading/items/signing-schemas.ts";
import { writeStep } from "../../../lib/trading/items/write-step.ts";
import { checksBy, mandateHash } from "../../../lib/trading/signing/intent-mac.ts";
import { readSignRequest, signPayload } from "../../../lib/trading/signing/sign-payload.ts";
import { signOnRequest } from "../../../lib/trading/signing/sign-transaction.ts";
import { intentOf, nowMs, orderOf } from "../../chains/sol/fixtures.ts";
import { mandate as anyMandate } from "../../orders/resting/fixtures.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { ignoredNotes, openKeys, putSealedWallet } from "../../support/signing.ts";
import { buyTerms, solKey } from "../../support/sol-terms.ts";

const db = tableForTests();
const { vault, macs, childMacs } = openKeys();
const { mint: token, tokenProgram } = buyTerms;
const pool = solKey("pool").address;
const route = { venue: "raydium-cpmm", pool, config: solKey("config").address } as const;

const swap: SolMessage = {
  purpose: "swap",
  signatures: 1,
  computeUnitLimit: 100_000,
  microLamportsPerUnit: 100_000n,
  blockhash: buyTerms.blockhash,
  lastValidBlockHeight: 281,
  markerRentLamports: 897_840n,
  amountIn: 1_000_000n,
  wsolRentLamports: 2_039_280n,
  route,
};
const { amountIn: _, wsolRentLamports: __, route: ___, ...common } = swap;
const clear: SolMessage = { ...common, purpose: "clear", microLamportsPerUnit: 0n };

let count = 0;

/** Makes the mandate of a new user: a sale with a limit and a stop. */
function newMandate(): Mandate {
  const userID = `user${++count}`;
  const [price, trigger, worst] = [50_000n, 500_000n, 5_000_000n].map((tokens) => ({ coins: 1n, tokens }));
  if (price === undefined || trigger === undefined || worst === undefined) throw new Error("No price");
  const { maxGasPrice: _, ...rest } = anyMandate();
  return {
    ...rest,
    chain: "sol",
    wallet: solKey(userID).address,
    userID,
    orderId: orderIdFor(userID, "parent", new Date(nowMs)),
    side: "sell",
    token,
    amount: 1_000_000n,
    legs: [
      { kind: "limit", price },
      { kind: "stop", trigger, worst },
    ],
    feesLimit: 10n ** 9n,
    feesStop: 10n ** 9n,
    createdAt: nowMs - 60_000,
    expiresAt: nowMs / 1000 + 3600,
  };
}

/** Places a child, and returns the request to sign its first message. */
async function placedChild(of: Mandate, { n = 1, leg = 0 } = {}): Promise<SignRequest<Sol>> {
  const { wallet, userID, side, amount } = of;
  const orderId = hashedId(["child", userID, n]);
  const parent = { orderId: of.orderId, mandate: mandateHash(of), leg, n };
  const terms = { wallet, userID, orderId, side, token, tokenProgram, amount, parent, routes: [route] };
  const intent: SolIntent = intentOf(terms);
  const [mac, mandateMac] = [await childMacs.makeChildMac(intent), await macs.makeMandateMac(of)];
  const claimed = { intent, mac, mandate: of, mandateMac };
  await writeStep(db.table, [
    { kind: "put", of: "order", item: { ...orderOf(), ...claimed }, when: "absent" },
  ]);
  const secret = Buffer.from(solKey(userID).seed).toString("hex");
  await putSealedWallet({ table: db.table, vault }, intent, userID, secret);
  return {
    chain: "sol",
    wallet,
    orderId,
    userID,
    place: n,
    attempt: 1,
    purpose: "swap",
    message: swap,
    claimed,
  };
}

function sign(asked: SignRequest<Sol>, atMs = nowMs) {
  const request = readSignRequest(signPayload(asked));
  if (request === undefined) throw new Error("The request cannot be read");
  const deps = { table: db.table, vault, checks: checksBy(macs, childMacs), chains: { sol: defaultSol } };
  return signOnRequest({ ...deps, nowMs: () => atMs, ...ignoredNotes() }, request);
}

/** Signs a message, and returns the id that names its marker. */
async function markerOf(asked: SignRequest<Sol>, atMs?: number): Promise<string> {
  const answer = await sign(asked, atMs);
  if (!("raw" in answer)) throw new Error(JSON.stringify(answer));
  const { orderId } = (await readTransaction(Buffer.from(answer.raw, "base64"), [])) ?? {};
  return orderId ?? "";
}

async function stored<K extends "tally" | "ledger">(kind: K, orderId: string) {
  const [item] = await getItems<object>(db.table, [keysOfItems[kind]({ orderId })]);
  if (item === undefined) throw new Error(`There is no ${kind}`);
  return parsed(kind, item);
}

const ledgerOf = async ({ orderId }: SignRequest<Sol>) => (await stored("ledger", orderId)) as Ledger<Sol>;

const faster = (message: SolMessage) => ({ ...message, microLamportsPerUnit: 110_000n });

describe("the signer of children on Solana", () => {
  it("makes one marker for two legs that are out at once, and keeps both in the tally", async () => {
    const of = newMandate();
    const [takeProfit, stopLoss] = [await placedChild(of), await placedChild(of, { n: 2, leg: 1 })];
    expect([await markerOf(takeProfit), await markerOf(stopLoss)]).toEqual([of.orderId, of.orderId]);
    expect(await stored("tally", of.orderId)).toMatchObject({
      owed: [
        { child: takeProfit.orderId, kind: "limit" },
        { child: stopLoss.orderId, kind: "stop" },
      ],
      counts: { limit: { n: 1 }, stop: { n: 1 } },
    });
    const [own, sibling] = [await ledgerOf(takeProfit), await ledgerOf(stopLoss)];
    expect(signedMessagesOf(own, [sibling])).toEqual({
      own: [{ signature: own.messages[0]?.hash, lastHeight: 281 }],
      siblings: [sibling.messages[0]?.hash],
      clears: [],
    });
  });

  it("signs no message later than 8 seconds after the first, but a clear", async () => {
    const of = newMandate();
    const request = await placedChild(of);
    await markerOf(request);
    const second = { ...request, attempt: 2, message: faster(swap) };
    expect(await sign(second, nowMs + 8001)).toEqual({
      later: "the first message is too old for another one",
    });
    expect(await markerOf(second, nowMs + 8000)).toBe(of.orderId);
    expect((await ledgerOf(request)).swapSignedAtMs).toBe(nowMs);
    const clearing = { ...request, attempt: 3, purpose: "clear" as const, message: clear };
    const cancelled = { userID: of.userID, orderId: of.orderId };
    await writeStep(db.table, [{ kind: "put", of: "cancellation", item: cancelled }]);
    expect(await markerOf(clearing, nowMs + 20_000)).toBe(of.orderId);
  });

  it("names the order itself in the marker of an order that no resting order has placed", async () => {
    const child = await placedChild(newMandate());
    const { parent: _, ...terms } = child.claimed?.intent ?? intentOf();
    const orderId = orderIdFor(child.userID, "market", new Date(nowMs));
    const intent: SolIntent = { ...terms, orderId };
    const request = { ...child, orderId };
    const claimed = { intent, mac: await macs.makeMac(intent) };
    await writeStep(db.table, [
      { kind: "put", of: "order", item: { ...orderOf(), ...claimed }, when: "absent" },
    ]);
    expect(await markerOf({ ...request, claimed })).toBe(orderId);
    const [message] = (await ledgerOf(request)).messages;
    expect(message).not.toHaveProperty("lastValidBlockHeight");
  });

  it("charges rents to the day, but not to the budget of the mandate", async () => {
    const of = newMandate();
    const request = await placedChild(of);
    await markerOf(request);
    const [message] = (await ledgerOf(request)).messages;
    expect(await stored("tally", of.orderId)).toMatchObject({ fees: { limit: message?.mostFeeLamports } });
    const { userID, chain, wallet } = of;
    const name = { userID, chain, wallet, day: "2026-11-21" };
    const [item] = await getItems<object>(db.table, [keysOfItems.day(name)]);
    const { limitFees = 0n, networkFees } = parsed("day", item as NonNullable<typeof item>);
    expect(limitFees).toBe(networkFees);
    expect(limitFees).toBeGreaterThan(message?.mostFeeLamports ?? 0n);
  });
});
