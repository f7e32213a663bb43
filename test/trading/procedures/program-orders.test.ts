import { describe, expect, it } from "vitest";
import type { ProgramKey } from "../../../lib/orders/program-key.ts";
import type { ProgramFacts } from "../../../lib/orders/program-limits.ts";
import type { RestingRequest } from "../../../lib/orders/resting/request.ts";
import type { TradeStep } from "../../../lib/orders/table-step.ts";
import { counted } from "../../../lib/orders/wallet-policy.ts";
import { type PlaceRequest, trying } from "../../../lib/trading/procedures/placing.ts";
import {
  type PlaceRestingRequest,
  placingResting,
  tryingResting,
} from "../../../lib/trading/procedures/placing-resting.ts";
import { tradeFacts } from "../../support/place-request.ts";
import { playPlacing } from "../../support/play-placing.ts";
import { keyId, tradingKey } from "../../support/trading-keys.ts";
import { both, place, play, request, sale, token, userID, view, wallet } from "./support/placing.ts";

const nowMs = 1_000_000;
const iso = (ms: number) => new Date(ms).toISOString();
const owner = { userID, chain: "eth", wallet: keyId } as const;

/** Facts about a key that ends in a minute, with these changes, and about its day. */
const program = (changes: Partial<ProgramKey> = {}, spent?: bigint): ProgramFacts => ({
  key: tradingKey({ userID, endsAt: iso(nowMs + 60_000), ...changes }),
  count: spent === undefined ? undefined : counted(owner, undefined, { adds: spent, fees: 0n, nowMs }),
});

const by = (of: PlaceRequest): PlaceRequest => ({ ...of, by: keyId });
const views = (facts?: ProgramFacts) => [view({ program: facts, resting: { all: [], placed: undefined } })];
const stepOf = (effects: readonly { do: string; step?: TradeStep }[]) =>
  effects.flatMap((effect) => (effect.do === "write" ? (effect.step ?? []) : []));

const check = { kind: "check", of: "programKey", item: { userID, keyId }, when: { revision: 1 } };

describe("placing an order by a program", () => {
  it("names the key in the intent, ends with the key, and requires that the key is unchanged", () => {
    const { answer, effects } = place({ of: by(request()), views: views(program()) });
    expect(effects[0]).toMatchObject({ do: "readPlacing", by: keyId });
    const validUntil = nowMs / 1000 + 60;
    expect(answer).toMatchObject({ order: { intent: { by: keyId, validUntil } } });
    expect(stepOf(effects)).toContainEqual(check);
  });

  it("leaves orders of users as they were", () => {
    const { answer, effects } = place();
    expect(answer).not.toHaveProperty("order.intent.by");
    expect(stepOf(effects).map(({ of }) => of)).not.toContain("programKey");
  });

  it("lets an order live as asked if its key lives longer", () => {
    const { answer } = place({ of: by(request()), views: views(program({ endsAt: iso(nowMs + 121_000) })) });
    expect(answer).toMatchObject({ order: { intent: { validUntil: nowMs / 1000 + 120 } } });
  });

  const forbidden: readonly [string, ProgramFacts | undefined, string][] = [
    ["is unknown", undefined, "expiresAt"],
    ["was revoked", program({ revokedAt: iso(nowMs) }), "expiresAt"],
    ["has ended", program({ endsAt: iso(nowMs) }), "expiresAt"],
    ["may not trade", program({ scopes: ["read"] }), "scopes"],
    ["is for other chains", program({ chains: ["sol"] }), "chains"],
    ["is for other wallets", program({ wallets: [token] }), "wallets"],
    ["is for other tokens", program({ tokens: [wallet] }), "tokens"],
  ];

  it.each(forbidden)(
    "refuses buys, sales and dry runs before it asks hosts if the key %s",
    (_, facts, rule) => {
      const refused = { code: "KEY_LIMIT", details: { rule } };
      for (const asked of [request(), sale("0.0000000000000009")].map(by)) {
        expect(place({ of: asked, views: views(facts) })).toMatchObject({
          did: ["readPlacing"],
          answer: { refused },
        });
        expect(play({ views: views(facts) }, trying(asked)).answer).toMatchObject({ refused });
      }
    },
  );

  it.each<[string, ProgramFacts, object]>([
    [
      "an order",
      program({ maxPerOrder: "0.000000000000000999" }),
      { rule: "maxPerOrder", limit: "0.000000000000000999", requested: "0.000000000000001" },
    ],
    [
      "a day",
      program({ maxPerDay: "0.000000000000001206" }, 7n),
      { rule: "maxPerDay", limit: "0.000000000000001206", requested: "0.000000000000001207" },
    ],
  ])("refuses a buy above the key's limit of %s, and lets a sale pass", (_, facts, details) => {
    expect(place({ of: by(request()), views: views(facts) }).answer).toMatchObject({
      refused: { code: "KEY_LIMIT", details },
    });
    const sold = { of: by(sale("0.0000000000000009")), quotes: both({ amount: 900n }), views: views(facts) };
    expect(place(sold).answer).toHaveProperty("order");
  });

  it("names the policy first, which applies as well", () => {
    const key = { chain: "eth", wallet, userID } as const;
    const policy = { tokens: "any", tradingEnabled: false } as const;
    const limits = { stored: { ...key, policy, revision: 1 }, count: undefined };
    const { code } = place({ of: by(request()), views: [view({ limits, program: undefined })] });
    expect(code).toBe("POLICY_LIMIT");
  });

  it("lets the exits of a buy name its key and end with it", () => {
    const exits = [{ percent: 40, stopLoss: { percent: -50 } }];
    const quotes = both({ held: { coins: 10n ** 9n, tokens: 0n } });
    const { effects } = place({ of: by(request({ exits })), views: views(program()), quotes });
    const step = stepOf(effects);
    expect(step.filter(({ of }) => of === "resting")).toMatchObject([
      { item: { mandate: { by: keyId, expiresAt: nowMs / 1000 + 60 } } },
    ]);
    expect(step.filter(({ of }) => of === "programKey")).toEqual([check]);
  });
});

describe("placing a resting order by a program", () => {
  const { validForSeconds: _, maxPriceImpact: __, ...trade } = request().trade;
  const resting = (terms: object = {}): PlaceRestingRequest => ({
    ...by(request()),
    trade: {
      ...trade,
      ...{ chain: "eth", wallet, token, type: "limit", price: "1", ...terms },
    } as RestingRequest,
  });
  const facts = tradeFacts({ amountOut: 500n });
  const quotes = [[facts, facts]] as const;
  const rest = (of: PlaceRestingRequest, known: ProgramFacts | undefined) =>
    playPlacing(placingResting(of), { views: views(known), quotes });

  it("names the key in the mandate, ends with the key, and requires that the key is unchanged", () => {
    const { effects, answer } = rest(resting(), program());
    expect(answer).toMatchObject({
      order: { mandate: { by: keyId, expiresAt: nowMs / 1000 + 60 } },
    });
    expect(stepOf(effects)).toContainEqual(check);
  });

  it("lets its exits name the key and end with it", () => {
    const exits = [{ percent: 100, takeProfit: { percent: 50 } }];
    const mandates = stepOf(rest(resting({ exits }), program()).effects).filter(({ of }) => of === "resting");
    const mandate = { by: keyId, expiresAt: nowMs / 1000 + 60 };
    expect(mandates).toMatchObject([{ item: { mandate } }, { item: { mandate } }]);
  });

  it("leaves the limit of a day to its children, but no other limit", () => {
    expect(rest(resting(), program({ maxPerDay: "0.000000000000000001" })).answer).toHaveProperty("order");
    for (const known of [
      program({ maxPerOrder: "0.000000000000000999" }),
      program({ tokens: [] }),
      undefined,
    ]) {
      const refused = { code: "KEY_LIMIT" };
      expect(rest(resting(), known).answer).toMatchObject({ refused });
      const tried = playPlacing(tryingResting(resting()), { views: views(known), quotes });
      expect(tried.answer).toMatchObject({ refused });
    }
  });
});
