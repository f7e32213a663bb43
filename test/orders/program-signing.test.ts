import { describe, expect, it } from "vitest";
import type { Evm } from "../../lib/chains/evm/rules/family.ts";
import { emptyEvmLedger } from "../../lib/chains/evm/rules/ledger.ts";
import { signEvmTransaction } from "../../lib/chains/evm/rules/sign.ts";
import { mostFeeOf } from "../../lib/chains/evm/rules/slot.ts";
import type { Sol } from "../../lib/chains/sol/rules/family.ts";
import { emptySolLedger } from "../../lib/chains/sol/rules/ledger.ts";
import { signMessage } from "../../lib/chains/sol/rules/sign.ts";
import { feesAddedBy, mostFeeOfMessage } from "../../lib/chains/sol/rules/signing-rules.ts";
import { chainFacts, type TradingChain } from "../../lib/core/chain-facts.ts";
import type { Effects, Procedure, SignAnswer, SigningView, SignRequest } from "../../lib/orders/effects.ts";
import type { ProgramKey } from "../../lib/orders/program-key.ts";
import type { TradeStep } from "../../lib/orders/table-step.ts";
import { counted } from "../../lib/orders/wallet-policy.ts";
import { attemptOf, limits, orderOf, route, slotOf } from "../chains/sol/fixtures.ts";
import { seconds } from "../support/lane-states.ts";
import { intent, signedFee, signingView, slot, tradeOrder, v2 } from "../support/trading.ts";
import { keyId, tradingKey } from "../support/trading-keys.ts";

const nowMs = seconds * 1000;
const end = new Date(nowMs + 3_600_000).toISOString();

/**
 * A signer of one family, with a buy and a sale by a program, and what their first signatures add to the day's count.
 */
type Bench = {
  sign: (
    order: "buy" | "sale" | "clear",
    program: SigningView["program"],
  ) => { answer: SignAnswer | undefined; step: TradeStep };
  token: string;
  chain: TradingChain;
  wallet: string;
  userID: string;
  /** The amount of the buy, and the fees of the swap of each order. */
  amount: bigint;
  fees: Record<"buy" | "sale", { spent: bigint; network: bigint }>;
};

/** Runs the signer on a view, and returns its answer and the step that it writes. */
function played(procedure: Procedure<SignAnswer>, view: SigningView) {
  const answers = {
    now: nowMs,
    readSigning: view,
    checkMac: true,
    signBytes: { hash: "0x1", raw: "0x2" },
    write: true,
  } as const satisfies Partial<{ [Name in keyof Effects]: Effects[Name]["answer"] }>;
  let step: TradeStep = [];
  let next = procedure.next();
  for (; !next.done; next = procedure.next(answers[next.value.do as keyof typeof answers]))
    if (next.value.do === "write") ({ step } = next.value);
  return { answer: next.value, step };
}

const evmOrders = {
  buy: intent({ by: keyId }),
  sale: intent({ by: keyId, side: "sell", routes: [v2] }),
};
const approval = {
  purpose: "approve",
  token: intent().token,
  router: v2.router,
  amount: intent().amount,
} as const;

const evm: Bench = {
  sign(name, program) {
    const of = evmOrders[name === "sale" ? "sale" : "buy"];
    const planned = name === "sale" ? slot({ call: approval }, of) : slot({}, of);
    const { place, call, fees } = planned;
    const { chain, wallet, userID, orderId } = of;
    const purpose = name === "clear" ? "clear" : call.purpose;
    const request = { chain, wallet, userID, orderId, place, purpose, fees } as SignRequest<Evm>;
    const signed = {
      ledger: {
        ...emptyEvmLedger(of),
        fees: { [place]: signedFee(fees) },
        swap: { nonce: place, call: slot({}, of).call as typeof call & { purpose: "swap" } },
        revision: 1,
      },
      slot: slot({ state: "signed" }, of),
    };
    const order = tradeOrder({ intent: of });
    const view = signingView({ order, slot: planned, program, ...(name === "clear" && signed) });
    return played(signEvmTransaction(request) as Procedure<SignAnswer>, view);
  },
  ...evmOrders.buy,
  chain: "eth",
  fees: (() => {
    const of = (planned: ReturnType<typeof slot>) => mostFeeOf({ ...planned, ...planned.fees });
    const swap = of(slot());
    const approve = of(slot({ call: approval }, evmOrders.sale));
    return {
      buy: { spent: evmOrders.buy.amount + swap, network: swap },
      sale: { spent: approve, network: approve },
    };
  })(),
};

const solOrders = {
  buy: orderOf({}, { by: keyId }),
  sale: orderOf({}, { by: keyId, side: "sell" }),
};
const message = {
  signatures: 1,
  computeUnitLimit: 100_000,
  microLamportsPerUnit: 200_000n,
  blockhash: "hash",
  lastValidBlockHeight: 281,
  markerRentLamports: 897_840n,
};
const swapMessage = {
  purpose: "swap",
  ...message,
  amountIn: 1_000_000n,
  wsolRentLamports: 2_039_280n,
  route,
} as const;

const sol: Bench = {
  sign(name, program) {
    const order = solOrders[name === "sale" ? "sale" : "buy"];
    const { chain, wallet, userID, orderId } = order.intent;
    const asked = name === "clear" ? ({ purpose: "clear", ...message } as const) : swapMessage;
    const attempts = name === "clear" ? [attemptOf("earlier")] : [];
    const messages = attempts.map(({ hash }) => ({
      purpose: "swap" as const,
      hash,
      signatures: 1,
      mostFeeLamports: 25_000n,
    }));
    const view = {
      ...signingView(),
      order,
      slot: name === "clear" ? slotOf({ attempts }) : undefined,
      ledger: name === "clear" ? { ...emptySolLedger(order.intent), messages } : undefined,
      chainLimits: limits,
      program,
    } as SigningView<Sol>;
    const { purpose } = asked;
    const of = { chain, wallet, userID, orderId, place: 1, attempt: 1 + attempts.length };
    const request: SignRequest<Sol> = { ...of, chain: "sol", purpose, message: asked };
    return played(signMessage(request) as Procedure<SignAnswer>, view);
  },
  ...solOrders.buy.intent,
  fees: (() => {
    const fee = mostFeeOfMessage(swapMessage, limits);
    const network = (of: typeof solOrders.buy) =>
      feesAddedBy(swapMessage, of.intent, { ledger: undefined, chainLimits: limits });
    return {
      buy: { spent: solOrders.buy.intent.amount + fee, network: network(solOrders.buy) },
      sale: { spent: fee, network: network(solOrders.sale) },
    };
  })(),
};

describe.each<[string, Bench]>([
  ["EVM chains", evm],
  ["Solana", sol],
])("the signer on %s, for a program's order", (_, bench) => {
  const { userID, chain, wallet, token } = bench;
  const owner = { userID, chain, wallet: keyId };
  const key = (changes: Partial<ProgramKey> = {}) =>
    tradingKey({ userID, endsAt: end, revision: 3, ...changes });
  const count = counted(owner, undefined, { adds: 5n, fees: 2n, swapOf: "another", nowMs });
  const ofKey = (step: TradeStep) => step.filter(({ of }) => of === "keyDay" || of === "programKey");

  it.each(["buy", "sale"] as const)("counts a %s for its key, if key and count are unchanged", (name) => {
    const { answer, step } = bench.sign(name, { key: key(), count });
    expect(answer).toMatchObject({ raw: "0x2" });
    const { spent, network } = bench.fees[name];
    expect(ofKey(step)).toEqual([
      { kind: "check", of: "programKey", item: { userID, keyId }, when: { revision: 3 } },
      {
        kind: "put",
        of: "keyDay",
        item: expect.objectContaining({
          ...owner,
          spent: 5n + spent,
          networkFees: 2n + network,
          revision: 2,
        }),
        when: { revision: 1 },
      },
    ]);
  });

  it("starts the count of a key's day with its first order", () => {
    const { step } = bench.sign("buy", { key: key(), count: undefined });
    expect(ofKey(step)[1]).toMatchObject({ item: { spent: bench.fees.buy.spent }, when: "absent" });
  });

  it.each<[string, SigningView["program"]]>([
    ["read no key", undefined],
    ["found no key", { key: undefined, count }],
    ["found a revoked key", { key: key({ revokedAt: end }), count }],
    ["found a key that has ended", { key: key({ endsAt: new Date(nowMs).toISOString() }), count }],
    ["found a key without the scope", { key: key({ scopes: ["read"] }), count }],
    ["found a key of another chain", { key: key({ chains: ["base"] }), count }],
    ["found a key of another wallet", { key: key({ wallets: [token] }), count }],
    ["found a key of another token", { key: key({ tokens: [wallet] }), count }],
  ])("signs neither a buy nor a sale if it %s", (__, program) => {
    for (const name of ["buy", "sale"] as const)
      expect(bench.sign(name, program)).toEqual({
        answer: { forbidden: expect.stringMatching(/^the program's key forbids it: \w+$/) },
        step: [],
      });
  });

  it("signs no buy above the limits of an order and of a day, and any sale", () => {
    const { decimals } = chainFacts[chain].coin;
    const text = (units: bigint) => `0.${String(units).padStart(decimals, "0")}`;
    const day = 5n + bench.fees.buy.spent;
    const allowed = [{ maxPerOrder: text(bench.amount) }, { maxPerDay: text(day) }];
    const forbidden = [{ maxPerOrder: text(bench.amount - 1n) }, { maxPerDay: text(day - 1n) }];
    for (const limit of allowed)
      expect(bench.sign("buy", { key: key(limit), count }).answer).toHaveProperty("raw");
    for (const limit of forbidden) {
      expect(bench.sign("buy", { key: key(limit), count }).answer).toHaveProperty("forbidden");
      expect(bench.sign("sale", { key: key(limit), count }).answer).toHaveProperty("raw");
    }
  });

  it("frees the wallet without its key, and counts nothing for the key", () => {
    for (const program of [undefined, { key: key({ revokedAt: end, maxPerDay: "0.000001" }), count }]) {
      const { answer, step } = bench.sign("clear", program);
      expect(answer).toMatchObject({ raw: "0x2" });
      expect(ofKey(step)).toEqual([]);
    }
  });
});
