import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import bs58 from "bs58";
import { describe, expect, it } from "vitest";
import { composeFor } from "../../../lib/chains/sol/messages/order-message.ts";
import { readTransaction, signMessageAndWipe } from "../../../lib/chains/sol/messages/signed-message.ts";
import type { Sol } from "../../../lib/chains/sol/rules/family.ts";
import type { SolIntent } from "../../../lib/chains/sol/rules/intent.ts";
import type { SolMessage } from "../../../lib/chains/sol/rules/message.ts";
import { orderIdFor } from "../../../lib/core/record-ids.ts";
import { defaultSol } from "../../../lib/infra/default-chains.ts";
import type { SignRequest } from "../../../lib/orders/effects.ts";
import type { IntentTerms } from "../../../lib/orders/intent.ts";
import type { Items } from "../../../lib/orders/table-step.ts";
import type { Table } from "../../../lib/table/table.ts";
import { readSigning } from "../../../lib/trading/items/signing-view.ts";
import { writeStep } from "../../../lib/trading/items/write-step.ts";
import { checksBy } from "../../../lib/trading/signing/intent-mac.ts";
import { readSignRequest, signPayload } from "../../../lib/trading/signing/sign-payload.ts";
import { signOnRequest } from "../../../lib/trading/signing/sign-transaction.ts";
import { intentOf, nowMs, orderOf } from "../../chains/sol/fixtures.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { interceptedTable } from "../../support/intercepted-table.ts";
import { ignoredNotes, openKeys, putSealedWallet } from "../../support/signing.ts";
import { buildIn, buyTerms, byJupiter, routeData, solKey } from "../../support/sol-terms.ts";
import { intent } from "../../support/trading.ts";

const db = tableForTests();
const { vault, macs, childMacs } = openKeys();
const day = "2026-11-21";
const { mint: token, tokenProgram } = buyTerms;
const route = {
  venue: "raydium-cpmm",
  pool: solKey("pool").address,
  config: solKey("config").address,
} as const;
let count = 0;

const plain = {
  ...({ purpose: "swap" } as const),
  signatures: 1,
  computeUnitLimit: 100_000,
  microLamportsPerUnit: 100_000n,
  blockhash: buyTerms.blockhash,
  lastValidBlockHeight: 281,
  markerRentLamports: 897_840n,
  amountIn: 1_000_000n,
  wsolRentLamports: 2_039_280n,
};
const swap: SolMessage = { ...plain, route };
const { amountIn: _, wsolRentLamports: __, ...common } = plain;
const clear: SolMessage = { ...common, purpose: "clear" };

/** Records an order, for a new wallet if no user is named, and returns the request to sign its first message. */
async function placed(
  changes: (own: SolIntent) => IntentTerms = (own) => own,
  { userID = `user${++count}`, place = 1 } = {},
): Promise<SignRequest<Sol>> {
  const { address: wallet, seed } = solKey(userID);
  const orderId = orderIdFor(userID, `k${place}`, new Date(nowMs));
  const intent = changes(intentOf({ userID, wallet, orderId, token, tokenProgram, routes: [route] }));
  const nonces = intent.chain === "sol" && "budgetLamports" in intent ? {} : { approveNonces: [] };
  const order = { ...orderOf(), ...nonces, intent, mac: await macs.makeMac(intent) } as Items["order"];
  await writeStep(db.table, [{ kind: "put", of: "order", item: order, when: "absent" }]);
  await putSealedWallet({ table: db.table, vault }, intent, userID, Buffer.from(seed).toString("hex"));
  const claimed = { intent: intent as SolIntent, mac: order.mac };
  return {
    chain: "sol",
    wallet,
    orderId,
    userID,
    place,
    attempt: 1,
    purpose: "swap",
    message: swap,
    claimed,
  };
}

const sign = (
  request: SignRequest<Sol>,
  chains: Parameters<typeof signOnRequest>[0]["chains"] = { sol: defaultSol },
  atMs = nowMs,
  table: Table = db.table,
) =>
  signOnRequest(
    { table, vault, checks: checksBy(macs, childMacs), chains, nowMs: () => atMs, ...ignoredNotes() },
    request,
  );

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
    // Rents alone exceed the limits of a chain that does not trade.
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
      const { answers, burnt } = await burn(`user${++count}`, messages);
      expect(burnt).toBeLessThanOrEqual(dayLamports);
      expect(burnt).toBeGreaterThan((dayLamports * 6n) / 10n);
      expect(answers.at(-1)).toEqual({ later: expect.stringContaining("networkFeesPerDay") });
    },
  );

  it("signs nothing more until midnight in UTC once the day's limit is used up", async () => {
    const userID = `user${++count}`;
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

describe("signMessage for Jupiter", () => {
  const jupiter = { venue: "jupiter-metis" } as const;
  const helper = solKey("helper");
  const amountIn = 1_000_000n;
  const minAmountOut = 294_000_000n;

  type Venue = Awaited<ReturnType<typeof byJupiter>>["venue"];
  type Intruder = (venue: Venue) => Partial<Venue>;

  /** Creates the request to sign the first message of an order that may use Jupiter. */
  async function asked(
    {
      venue: change = () => ({}),
      routes = [jupiter],
    }: { venue?: Intruder; routes?: SolIntent["routes"] } = {},
    helperSeed = helper.seed,
  ): Promise<SignRequest<Sol>> {
    let intent: SolIntent | undefined;
    const request = await placed((own) => {
      intent = { ...own, routes, minAmountOut };
      return intent;
    });
    const { venue } = await byJupiter(
      {
        ...buyTerms,
        wallet: request.wallet as typeof buyTerms.wallet,
        orderId: request.orderId,
        amountIn,
      },
      { name: "route_v2" },
    );
    const build = buildIn({ ...venue, ...change(venue) });
    const message: SolMessage = { ...plain, signatures: 2, route: jupiter, build };
    const composed = await composeFor(intent as SolIntent, message);
    const bytes = "message" in composed ? composed.message : Uint8Array.of(1);
    const helperSignature = bs58.encode(signMessageAndWipe(bytes, Uint8Array.from(helperSeed)));
    return { ...request, message, helperSignature };
  }

  it("signs a self-composed message together with the helper, and records the whole transaction", async () => {
    const request = await asked();
    const answer = await sign(request);
    if (!("raw" in answer)) return expect.fail(JSON.stringify(answer));
    const terms = await readTransaction(Buffer.from(answer.raw, "base64"), []);
    expect(terms).toMatchObject({
      minAmountOut,
      amountIn,
      venue: { kind: "jupiter", helper: helper.address },
    });
    const { view } = await readSigning(db.table, { request, day });
    expect(view.slot).toMatchObject({ attempts: [{ route: jupiter, signatures: 2 }] });
    // Two base fees, plus the priority fees.
    expect(view.ledger).toMatchObject({ messages: [{ signatures: 2, mostFeeLamports: 30_000n }] });
    const stored = JSON.stringify(view, (_, value) => (typeof value === "bigint" ? `${value}` : value));
    expect(stored).not.toContain(Buffer.from(helper.seed).toString("base64"));
    // The signer must not sign another first message if requested again.
    expect(await sign(request)).toHaveProperty("later");
  });

  const thief = solKey("thief").address;
  const dataWith = (changes: Parameters<typeof routeData>[1], amount = amountIn) => ({
    data: routeData(amount, { name: "route_v2", ...changes }),
  });

  it.each<[string, Intruder]>([
    [
      "another destination",
      ({ accounts }) => ({ accounts: accounts.with(2, { address: thief, isWritable: true }) }),
    ],
    [
      "another final destination",
      ({ accounts }) => ({ accounts: accounts.with(7, { address: thief, isWritable: true }) }),
    ],
    [
      "another source",
      ({ accounts }) => ({ accounts: accounts.with(1, { address: thief, isWritable: true }) }),
    ],
    ["a platform's fee", () => dataWith({ platformFeeBps: 1 })],
    ["a minimum below the order's", () => dataWith({ quotedOut: minAmountOut - 1n, slippageBps: 0 })],
    ["a greater amount", () => dataWith({}, amountIn + 1n)],
    ["another instruction of Jupiter", ({ data }) => ({ data: data.with(0, 0) })],
    ["another helper than the authority", () => ({ helper: thief })],
    [
      "the wallet among its accounts",
      ({ accounts }) => ({
        accounts: [...accounts, { address: solKey(`user${count}`).address, isWritable: true }],
      }),
    ],
  ])("rejects a compromised executor's request for %s", async (_, venue) => {
    expect(await sign(await asked({ venue }))).toHaveProperty("refused");
  });

  it("rejects the wallet as its own helper", async () => {
    const own = () => solKey(`user${count}`);
    const request = await asked({
      venue: ({ accounts }) => ({
        helper: own().address,
        accounts: accounts.with(0, { address: own().address, isWritable: false }),
      }),
    });
    expect(await sign(request)).toHaveProperty("refused");
  });

  it("rejects a helper's signature over different bytes, or by a different key", async () => {
    expect(await sign(await asked({}, solKey("another").seed))).toEqual({
      refused: "the helper has not signed this message",
    });
    const request = await asked();
    const { helperSignature: _, ...unsigned } = request;
    expect(await sign(unsigned)).toEqual({ refused: "the helper's signature is absent" });
    const later = { ...request.message, microLamportsPerUnit: 99_999n };
    expect(await sign({ ...request, message: later })).toEqual({
      refused: "the helper has not signed this message",
    });
  });

  it("rejects a helper's signature for a message without a helper", async () => {
    const { helperSignature = "" } = await asked();
    expect(await sign({ ...(await placed()), helperSignature })).toEqual({
      refused: "a helper has signed that the message does not have",
    });
  });

  it("rejects an order that may not use Jupiter", async () => {
    expect(await sign(await asked({ routes: [route] }))).toEqual({ refused: "the route is not allowed" });
  });

  it("accepts no instructions in addition to Jupiter's, because requests cannot contain any", async () => {
    const request = await asked();
    const read = (message: object) => readSignRequest(signPayload({ ...request, message } as typeof request));
    const { message } = request;
    if (!("build" in message)) return expect.fail();
    expect(read(message)).toEqual(request);
    const { build } = message;
    expect(read({ ...message, setup: [build] })).toBeUndefined();
    expect(read({ ...message, build: { ...build, setupInstructions: [] } })).toBeUndefined();
    expect(read({ ...message, build: { ...build, programId: thief } })).toBeUndefined();
    expect(read({ ...message, build: undefined })).toBeUndefined();
    expect(read({ ...message, route })).toBeUndefined();
    expect(read({ ...message, build: { ...build, data: "x".repeat(4000) } })).toBeUndefined();
    const accounts = Array.from({ length: 257 }, () => ({ address: thief, isWritable: false }));
    expect(read({ ...message, build: { ...build, accounts } })).toBeUndefined();
  });
});
