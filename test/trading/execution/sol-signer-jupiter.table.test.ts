import bs58 from "bs58";
import { describe, expect, it } from "vitest";
import { composeFor } from "../../../lib/chains/sol/messages/order-message.ts";
import { readTransaction, signMessageAndWipe } from "../../../lib/chains/sol/messages/signed-message.ts";
import type { Sol } from "../../../lib/chains/sol/rules/family.ts";
import type { SolIntent } from "../../../lib/chains/sol/rules/intent.ts";
import type { SolMessage } from "../../../lib/chains/sol/rules/message.ts";
import type { SignRequest } from "../../../lib/orders/effects.ts";
import { readSigning } from "../../../lib/trading/items/signing-view.ts";
import { readSignRequest, signPayload } from "../../../lib/trading/signing/sign-payload.ts";
import { buildIn, buyTerms, byJupiter, routeData, solKey } from "../../support/sol-terms.ts";
import { day, plain, route, solSignerForTests } from "./support/sol-signer.ts";

const { db, placed, sign, newestUser } = solSignerForTests();

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
        accounts: [...accounts, { address: solKey(newestUser()).address, isWritable: true }],
      }),
    ],
  ])("rejects a compromised executor's request for %s", async (_, venue) => {
    expect(await sign(await asked({ venue }))).toHaveProperty("refused");
  });

  it("rejects the wallet as its own helper", async () => {
    const own = () => solKey(newestUser());
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
