import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { readTransaction } from "../../../lib/chains/sol/messages/signed-message.ts";
import type { Sol } from "../../../lib/chains/sol/rules/family.ts";
import type { SolIntent } from "../../../lib/chains/sol/rules/intent.ts";
import type { SolMessage } from "../../../lib/chains/sol/rules/message.ts";
import { defaultSol } from "../../../lib/infra/default-chains.ts";
import { raisedTo } from "../../../lib/orders/cutoffs.ts";
import type { SignRequest } from "../../../lib/orders/effects.ts";
import type { Mandate } from "../../../lib/orders/resting/mandate.ts";
import type { ItemWrite } from "../../../lib/orders/table-step.ts";
import { readSigning } from "../../../lib/trading/items/signing-view.ts";
import { writeStep } from "../../../lib/trading/items/write-step.ts";
import { nowMs, orderOf } from "../../chains/sol/fixtures.ts";
import { interceptedTable } from "../../support/intercepted-table.ts";
import { solKey } from "../../support/sol-terms.ts";
import { intent } from "../../support/trading.ts";
import { clear, day, solSignerForTests, swap, token } from "./support/sol-signer.ts";

const { db, placed, placedChild, sign, newUser } = solSignerForTests();

describe("signMessage on the table", () => {
  it("signs and records attempts and a clear", async () => {
    const request = await placed();
    const messages = [
      swap,
      { ...swap, microLamportsPerUnit: 110_000n },
      { ...clear, microLamportsPerUnit: 0n },
    ];
    for (const [index, message] of messages.entries()) {
      const answer = await sign({ ...request, attempt: index + 1, purpose: message.purpose, message });
      if (!("raw" in answer)) return expect.fail(JSON.stringify(answer));
      const terms = await readTransaction(Buffer.from(answer.raw, "base64"), []);
      expect(terms).toMatchObject({
        purpose: message.purpose,
        wallet: request.wallet,
        orderId: request.orderId,
      });
      const { view } = await readSigning(db.table, { request, day });
      expect(view.slot).toEqual(answer.slot);
      expect(view.slot).toMatchObject({ revision: index + 1 });
      expect(view.ledger).toMatchObject({ revision: index + 1 });
    }
  });

  it("counts no message twice", async () => {
    const request = await placed();
    expect(await sign(request)).toHaveProperty("raw");
    expect(await sign({ ...request, attempt: 2 })).toEqual({ later: "the message is signed already" });
    const { view } = await readSigning(db.table, { request, day });
    expect(view.ledger).toMatchObject({ messages: [{ purpose: "swap" }], revision: 1 });
  });

  it("keeps another order's slot, if that takes the place before a late clear is recorded", async () => {
    const request = await placed();
    await sign(request);
    const { view } = await readSigning(db.table, { request, day });
    if (view.slot === undefined) return expect.fail("nothing was signed");
    const others = { ...view.slot, orderId: "another order" };
    const late = interceptedTable(db.table, async (command) => {
      if (command instanceof TransactWriteCommand)
        await writeStep(db.table, [{ kind: "put", of: "slot", item: others, when: {} }]);
    });
    const clearing = { ...request, attempt: 2, purpose: "clear" as const, message: clear };
    expect(await sign(clearing, undefined, nowMs, late)).toEqual({
      later: "the order or its slot has changed",
    });
    expect((await readSigning(db.table, { request, day })).view.slot).toEqual(others);
  });

  it("signs nothing if sol does not trade, however low the fee", async () => {
    const request = await placed();
    const message = { ...swap, microLamportsPerUnit: 0n };
    // Rents by themselves exceed the limits of a chain that does not trade.
    expect(await sign({ ...request, message }, {})).toEqual({
      later: "the policy forbids it: networkFeesPerDay",
    });
  });

  it("rejects an EVM intent for sol, even with a genuine MAC", async () => {
    const request = await placed(({ wallet, userID, orderId, validUntil }) =>
      intent({ wallet, userID, orderId, validUntil, chain: "sol", token, amount: 1_000_000n }),
    );
    expect(await sign(request)).toEqual({ refused: "the stored order is invalid" });
  });
});

describe("the signer against a compromised executor", () => {
  type Claim = NonNullable<SignRequest<Sol>["claimed"]>;
  const forged = { refused: "the intent was not made by placeOrder" };
  const unlike = { refused: "the intent is not the stored one" };
  const dearer = ({ intent, mac }: Claim) => ({ intent: { ...intent, amount: 2n * intent.amount }, mac });

  it.each<[string, (own: Claim, sibling: Claim, stranger: Claim) => [Claim, Claim], object]>([
    ["claims another order of the wallet", (own, sibling) => [sibling, own], unlike],
    ["claims another user's order", (own, _, stranger) => [stranger, own], unlike],
    ["claims an altered intent", (own) => [dearer(own), own], forged],
    ["claims the MAC of another intent", (own, { mac }) => [{ ...own, mac }, own], forged],
    ["stores an altered intent", (own) => [own, dearer(own)], unlike],
    ["stores the MAC of another intent", (own, { mac }) => [own, { ...own, mac }], unlike],
    ["claims and stores an altered intent", (own) => [dearer(own), dearer(own)], forged],
  ])("signs nothing if it %s", async (_, lie, answer) => {
    const request = await placed();
    const { userID } = request;
    const others = [await placed(undefined, { userID, place: 2 }), await placed()];
    const [own, ...claims] = [request, ...others].map(({ claimed }) => claimed) as [Claim, Claim, Claim];
    const [claimed, stored] = lie(own, ...claims);
    const put = (order: Claim) => {
      const item = { ...orderOf(), ...order };
      return writeStep(db.table, [{ kind: "put", of: "order", item, when: {} }]);
    };
    await put(stored);
    expect(await sign({ ...request, claimed })).toEqual(answer);
    expect((await readSigning(db.table, { request, day })).view.ledger).toBeUndefined();
    await put(own);
    expect(await sign(request)).toHaveProperty("raw");
  });
});

describe("the signer against an executor that clears children", () => {
  type Claim = NonNullable<SignRequest<Sol>["claimed"]>;
  async function put(step: ItemWrite): Promise<undefined> {
    await writeStep(db.table, [step]);
  }
  /** Returns the order that the executor claims then, if it is another one. */
  type Act = (of: Mandate, own: Claim) => Promise<Claim | undefined>;
  const denied = { later: "the resting order has not ended" };

  /** Signs a child's swap, lets the executor do something, and asks for the clear. */
  async function cleared(act: Act) {
    const { of, own, request } = await placedChild();
    expect(await sign(request)).toHaveProperty("raw");
    const claimed = (await act(of, own)) ?? own;
    return sign({ ...request, claimed, attempt: 2, purpose: "clear", message: clear });
  }

  it.each<[string, Act]>([
    ["nobody has cancelled anything", async () => undefined],
    [
      "the executor says that the child is being cancelled",
      (_, own) =>
        put({ kind: "put", of: "order", item: { ...orderOf(), ...own, isCancelling: true }, when: {} }),
    ],
    [
      "only the child is cancelled",
      (_, { intent: { userID, orderId } }) =>
        put({ kind: "put", of: "cancellation", item: { userID, orderId } }),
    ],
    [
      "all that came before the resting order is cancelled",
      ({ userID, createdAt }) => put(raisedTo({ userID }, createdAt - 1)),
    ],
    [
      "the executor shows an older mandate, which a cancellation of all covers",
      async ({ userID, createdAt, ...of }, own) => {
        await put(raisedTo({ userID }, createdAt - 1));
        return { ...own, mandate: { ...of, userID, createdAt: createdAt - 1 } };
      },
    ],
  ])("signs no clear, which would disarm the resting order, if %s", async (_, act) => {
    expect(await cleared(act)).toEqual(denied);
  });

  it.each<[string, Act]>([
    [
      "is cancelled",
      ({ userID, orderId }) => put({ kind: "put", of: "cancellation", item: { userID, orderId } }),
    ],
    ["is cancelled with all others", ({ userID, createdAt }) => put(raisedTo({ userID }, createdAt))],
    [
      "is of a wallet retired since",
      ({ userID, chain, wallet, createdAt }) => put(raisedTo({ userID, chain, wallet }, createdAt)),
    ],
  ])("signs the clear once the resting order %s", async (_, end) => {
    expect(await cleared(end)).toHaveProperty("raw");
  });
});

describe("the signer against a compromised placeOrder", () => {
  const mostLamports = 5_000_000n;
  const dayLamports = 5n * mostLamports;
  const relay = { url: "https://relay", tipAccounts: [solKey("tips").address], leastTip: "0.000001" };
  const sol = { ...defaultSol, maxNetworkFee: "0.005", maxNetworkFeesPerDay: "0.025", relay };
  const chains = { sol };
  /** Highest base fee of one message. */
  const baseFee = 10_000n;

  /** Returns a message whose total fee is this amount. */
  const paying = (message: SolMessage, lamports: bigint): SolMessage => ({
    ...message,
    microLamportsPerUnit: ((lamports - baseFee) * 1_000_000n) / BigInt(message.computeUnitLimit),
  });

  /** Returns a message whose total fee is this amount, half of it as a tip. */
  const tipping = (message: SolMessage, lamports: bigint): SolMessage => ({
    ...paying(message, lamports / 2n),
    tip: { account: solKey("tips").address, lamports: lamports / 2n },
  });

  /** Messages that the intruder requests for each order in turn. All but the last may fail and still cost fees. */
  const burnings: Record<string, readonly SolMessage[]> = {
    "attempts that fail": [2n, 3n, 5n].map((tenths) => paying(swap, (mostLamports * tenths) / 10n)),
    "one dear attempt of each order": [paying(swap, mostLamports)],
    "tips for the relay": [tipping(swap, mostLamports)],
    "cheap attempts and dear clears": [paying(swap, baseFee), paying(clear, mostLamports)],
    "the rents of cheap attempts": [paying(swap, baseFee)],
  };

  const forged =
    (changes: Partial<SolIntent> = {}) =>
    (own: SolIntent): SolIntent => ({
      ...own,
      amount: 1_000_000n,
      budgetLamports: mostLamports,
      isPrivate: true,
      ...changes,
    });

  /** Requests messages for ten orders of a wallet. Returns the answers, and the lamports that can be burnt. */
  async function burn(userID: string, messages: readonly SolMessage[]) {
    const answers: unknown[] = [];
    let burnt = 0n;
    for (let place = 1; place <= 10; place++) {
      const request = await placed(forged(), { userID, place });
      for (const [index, message] of messages.entries()) {
        const { purpose, tip } = message;
        const answer = await sign({ ...request, attempt: index + 1, purpose, message }, chains);
        answers.push(answer);
        if (!("raw" in answer)) break;
        burnt += baseFee + (message.microLamportsPerUnit * BigInt(message.computeUnitLimit)) / 1_000_000n;
        burnt += tip?.lamports ?? 0n;
        // If the attempt succeeds, the rents of the marker and of the token's account are spent too.
        if (index === 0) burnt += 897_840n + 2_248_080n;
      }
    }
    return { answers, burnt };
  }

  it.each(Object.entries(burnings))(
    "limits the coin that an intruder can burn per day with %s",
    async (_, messages) => {
      const { answers, burnt } = await burn(newUser(), messages);
      expect(burnt).toBeLessThanOrEqual(dayLamports);
      expect(burnt).toBeGreaterThan((dayLamports * 6n) / 10n);
      expect(answers.at(-1)).toEqual({ later: expect.stringContaining("networkFeesPerDay") });
    },
  );

  it("signs nothing more until midnight in UTC once the day's limit is used up", async () => {
    const userID = newUser();
    const message = tipping(swap, mostLamports);
    await burn(userID, [message]);
    const midnightMs = Date.UTC(2026, 10, 22);
    const validUntil = midnightMs / 1000 + 60;
    const request = { ...(await placed(forged({ validUntil }), { userID, place: 11 })), message };
    expect(await sign(request, chains, midnightMs - 1)).toEqual({
      later: "the policy forbids it: networkFeesPerDay",
    });
    expect(await sign(request, chains, midnightMs)).toHaveProperty("raw");
  });
});
