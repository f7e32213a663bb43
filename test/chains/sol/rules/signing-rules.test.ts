import { describe, expect, it } from "vitest";
import type { SignedMessage, Sol } from "../../../../lib/chains/sol/rules/family.ts";
import type { SolIntent } from "../../../../lib/chains/sol/rules/intent.ts";
import { emptySolLedger } from "../../../../lib/chains/sol/rules/ledger.ts";
import type { SolMessage } from "../../../../lib/chains/sol/rules/message.ts";
import {
  addedByMessage,
  isFirstToFill,
  mostFeeOfMessage,
  objectionToMessage,
} from "../../../../lib/chains/sol/rules/signing-rules.ts";
import type { SigningView, SignRequest } from "../../../../lib/orders/effects.ts";
import { unstarted } from "../../../../lib/orders/trade-order.ts";
import { counted, openPolicy } from "../../../../lib/orders/wallet-policy.ts";
import {
  attemptOf,
  buildBy,
  intentOf,
  jupiterRoute,
  limits,
  nowMs,
  orderOf,
  route,
  slotOf,
  withRelay,
} from "../fixtures.ts";

type Swap = Extract<SolMessage, { purpose: "swap" }>;

const common = {
  signatures: 1,
  computeUnitLimit: 100_000,
  microLamportsPerUnit: 200_000n,
  blockhash: "hash",
  lastValidBlockHeight: 281,
  markerRentLamports: 897_840n,
};
const swap: Swap = {
  purpose: "swap",
  ...common,
  amountIn: 1_000_000n,
  wsolRentLamports: 2_039_280n,
  route,
};
const byJupiter: SolMessage = {
  purpose: "swap",
  ...common,
  signatures: 2,
  amountIn: 1_000_000n,
  wsolRentLamports: 2_039_280n,
  route: jupiterRoute,
  build: buildBy("helper"),
};
const market = { table: "table", vault: "vault", isMayhem: false };
const onCurve: Swap = {
  purpose: "swap",
  ...common,
  amountIn: 1_000_000n,
  route: { venue: "pump", pool: "curve" },
  curve: market,
};
const onPumpSwap: Swap = {
  purpose: "swap",
  ...common,
  amountIn: 1_000_000n,
  wsolRentLamports: 2_039_280n,
  route: { venue: "pumpswap", pool: "pool" },
  pumpPool: { ...market, hasCreator: true, hasCashback: false },
};
const ofPump = (pumpTable?: string) => ({
  order: orderOf({}, { routes: [onCurve.route, onPumpSwap.route] }),
  chainLimits: { ...limits, pumpTable },
});
const clear: SolMessage = { purpose: "clear", ...common };
const tip = (lamports: bigint, account = "tips") => ({ tip: { account, lamports } });

const signed = (...messages: [SignedMessage["purpose"], string, bigint?][]) => ({
  slot: slotOf({ attempts: messages.map(([purpose, hash]) => attemptOf(hash, { purpose })) }),
  ledger: {
    ...emptySolLedger(intentOf()),
    messages: messages.map(([purpose, hash, mostFeeLamports = 25_000n]) => ({
      purpose,
      hash,
      signatures: 1,
      mostFeeLamports,
    })),
  },
});

const viewOf = (changes: Partial<SigningView<Sol>> = {}): SigningView<Sol> => ({
  order: orderOf(),
  slot: undefined,
  ledger: undefined,
  maxGasPrice: 0n,
  isRetired: false,
  isStopped: false,
  isCancelled: false,
  cutoffs: {},
  limits: { stored: undefined, count: undefined },
  chainLimits: limits,
  ...changes,
});

const requestOf = (message: SolMessage, view: SigningView<Sol>): SignRequest<Sol> => ({
  chain: "sol",
  wallet: "A1",
  orderId: "order1",
  userID: "alice",
  place: 1,
  attempt: 1 + (view.ledger?.messages.length ?? 0),
  purpose: message.purpose,
  message,
});

const objection = (
  message: SolMessage,
  changes: Partial<SigningView<Sol>> = {},
  request: Partial<SignRequest<Sol>> = {},
  atMs = nowMs,
) => {
  const view = viewOf(changes);
  return objectionToMessage({ ...requestOf(message, view), ...request }, view, true, atMs);
};

const isPrivate = (changes: Partial<SolIntent> = {}) => ({
  order: orderOf({}, { isPrivate: true, ...changes }),
  chainLimits: withRelay,
});
const budget = (budgetLamports: bigint) => ({ order: orderOf({}, { budgetLamports }) });
const policy = (changes: object) => ({
  limits: {
    stored: {
      ...({ chain: "sol", wallet: "A1", userID: "alice", revision: 1 } as const),
      policy: { tokens: "any" as const, tradingEnabled: true, ...changes },
    },
    count: undefined,
  },
});

const afterThree = signed(["swap", "a"], ["swap", "b"], ["swap", "c"]);
const afterClear = signed(["swap", "a"], ["clear", "c"]);

describe("objectionToMessage", () => {
  it.each<[string, SolMessage, Partial<SigningView<Sol>>]>([
    ["the first message", swap, {}],
    ["a later one", swap, signed(["swap", "a"], ["swap", "b"])],
    ["a clear", clear, signed(["swap", "a"])],
    [
      "a clear after the deadline, for a wallet that may not trade",
      clear,
      {
        ...signed(["swap", "a"]),
        isStopped: true,
        isRetired: true,
        isCancelled: true,
        cutoffs: { all: { userID: "alice", before: Number.POSITIVE_INFINITY } },
        ...policy({ tradingEnabled: false }),
        order: orderOf({ isCancelling: true }, { validUntil: 1 }),
      },
    ],
    ["a tip for the relay", { ...swap, ...tip(1n) }, isPrivate()],
    ["less than the order's amount", { ...swap, amountIn: 1n }, {}],
    [
      "the highest fee",
      swap,
      { chainLimits: { ...limits, maxNetworkFee: 25_000n, maxNetworkFeesPerDay: 10n ** 9n } },
    ],
    ["the whole budget", swap, budget(20_000n)],
    ["no fee for priority", { ...swap, microLamportsPerUnit: 0n }, budget(0n)],
    ["a trade on a curve with the configured table", onCurve, ofPump("table")],
    ["a trade on PumpSwap with the configured table", onPumpSwap, ofPump("table")],
  ])("allows %s", (_, message, changes) => {
    expect(objection(message, changes)).toBeUndefined();
  });

  it.each<[string, SolMessage, Partial<SigningView<Sol>>]>([
    ["a fourth attempt", swap, afterThree],
    ["an attempt after the clear", swap, afterClear],
    ["a second clear", clear, afterClear],
    ["a clear of nothing", clear, {}],
    ["another route", { ...swap, route: { ...route, pool: "other" } }, {}],
    ["another configuration of the pool", { ...swap, route: { ...route, config: "other" } }, {}],
    ["more than the order's amount", { ...swap, amountIn: 1_000_001n }, {}],
    ["nothing at all", { ...swap, amountIn: 0n }, {}],
    ["two signatures", { ...swap, signatures: 2 }, {}],
    ["no signature", { ...swap, signatures: 0 }, {}],
    ["too many compute units", { ...swap, computeUnitLimit: 1_400_001 }, {}],
    ["a negative price", { ...swap, microLamportsPerUnit: -1n }, {}],
    ["a marker that gets too much", { ...clear, markerRentLamports: 897_841n }, signed(["swap", "a"])],
    ["a marker that gets nothing", { ...swap, markerRentLamports: 0n }, {}],
    ["a clear whose marker gets nothing", { ...clear, markerRentLamports: 0n }, signed(["swap", "a"])],
    ["wrapped coin that gets too much", { ...swap, wsolRentLamports: 2_039_281n }, {}],
    ["a trade on a curve with another table", onCurve, ofPump("other")],
    ["a trade on a curve without a configured table", onCurve, ofPump()],
    ["a trade on PumpSwap with another table", onPumpSwap, ofPump("other")],
    ["a trade on another curve", { ...onCurve, route: { venue: "pump", pool: "other" } }, ofPump("table")],
    [
      "a trade on PumpSwap for a curve's order",
      onPumpSwap,
      { ...ofPump("table"), order: orderOf({}, { routes: [onCurve.route] }) },
    ],
    ["a tip of a public order", { ...swap, ...tip(1n) }, { chainLimits: withRelay }],
    ["a tip for a stranger", { ...swap, ...tip(1n, "thief") }, isPrivate()],
    ["a tip without a relay", { ...swap, ...tip(1n) }, { ...isPrivate(), chainLimits: limits }],
    ["a negative tip", { ...swap, ...tip(-1n) }, isPrivate()],
    ["a fee above the limit", swap, { chainLimits: { ...limits, maxNetworkFee: 24_999n } }],
    ["a fee above the budget", swap, budget(19_999n)],
    ["a tip above the budget", { ...swap, ...tip(1n) }, isPrivate({ budgetLamports: 20_000n })],
    ["fees whose sum is above the budget", swap, { ...budget(39_999n), ...signed(["swap", "a"]) }],
    ["a clear above the budget", clear, { ...budget(39_999n), ...signed(["swap", "a"]) }],
    [
      "a message in addition to others than the ledger's",
      swap,
      { ...signed(["swap", "a"]), slot: slotOf({ attempts: [attemptOf("b")] }) },
    ],
  ])("rejects %s permanently", (_, message, changes) => {
    expect(objection(message, changes)).toHaveProperty("refused");
  });

  describe("objectionToMessage for a message by Jupiter", () => {
    const mayUse = (budgetLamports = 100_000n) => ({
      order: orderOf({}, { routes: [route, jupiterRoute], budgetLamports }),
    });

    it("allows a message by Jupiter if the order may use Jupiter and pays for the helper's signature", () => {
      expect(objection(byJupiter, mayUse())).toBeUndefined();
      expect(mostFeeOfMessage(byJupiter, limits)).toBe(30_000n);
    });

    it.each<[string, SolMessage, Partial<SigningView<Sol>>]>([
      ["for an order that may use only a pool", byJupiter, {}],
      ["without a fee for the helper's signature", { ...byJupiter, signatures: 1 }, mayUse()],
      ["with a third signature", { ...byJupiter, signatures: 3 }, mayUse()],
      ["above the order's amount", { ...byJupiter, amountIn: 1_000_001n }, mayUse()],
      ["above the budget", byJupiter, mayUse(19_999n)],
      ["of which a pool's message would pay for two signatures", { ...swap, signatures: 2 }, mayUse()],
    ])("rejects a message by Jupiter %s", (_, message, changes) => {
      expect(objection(message, changes)).toHaveProperty("refused");
    });

    it("adds up the base fees of all signatures", () => {
      const earlier = signed(["swap", "a", 30_000n]);
      const [first] = earlier.ledger.messages;
      if (first !== undefined) first.signatures = 2;
      expect(objection(byJupiter, { ...mayUse(40_000n), ...earlier })).toBeUndefined();
      expect(objection(byJupiter, { ...mayUse(39_999n), ...earlier })).toHaveProperty("refused");
      // The earlier message of this order paid for only one signature.
      expect(objection(byJupiter, { ...mayUse(40_000n), ...signed(["swap", "a", 30_000n]) })).toHaveProperty(
        "refused",
      );
    });
  });

  it("adds up the fees of all messages to the lamport", () => {
    expect(objection(swap, { ...budget(40_000n), ...signed(["swap", "a"]) })).toBeUndefined();
  });

  it.each([swap, clear])("signs no message that lets an order pay more than the operators allow", (next) => {
    const paidBefore = (paid: bigint) => ({ ...budget(10n ** 10n), ...signed(["swap", "a", paid]) });
    expect(objection(next, paidBefore(985_000n))).toBeUndefined();
    expect(objection(next, paidBefore(985_001n))).toHaveProperty("later");
  });

  it("rejects an intent with a forged MAC", () => {
    const view = viewOf();
    expect(objectionToMessage(requestOf(swap, view), view, false, nowMs)).toHaveProperty("refused");
  });

  it.each([{ orderId: "order2" }, { userID: "bob" }, { wallet: "B2" }, { purpose: "clear" }] as const)(
    "rejects a request with %o",
    (request) => {
      expect(objection(swap, {}, request)).toHaveProperty("refused");
    },
  );

  it.each<[string, Partial<SigningView<Sol>>]>([
    ["the order is gone", { order: undefined }],
    ["trading is stopped", { isStopped: true }],
    ["the wallet is retired", { isRetired: true }],
    ["the order is cancelled", { isCancelled: true }],
    ["all orders until then are cancelled", { cutoffs: { all: { userID: "alice", before: nowMs } } }],
    ["those of the chain are", { cutoffs: { all: { userID: "alice", sol: nowMs } } }],
    ["those of the wallet are", { cutoffs: { wallet: { userID: "alice", before: nowMs } } }],
    ["the order is being cancelled", { order: orderOf({ isCancelling: true }) }],
    ["the order has ended", { order: orderOf({ life: { ...unstarted, status: "expired" } }) }],
    ["the deadline is too far away", { order: orderOf({}, { validUntil: nowMs / 1000 + 601 }) }],
    ["the order is from the future", { order: orderOf({}, { createdAt: nowMs + 5001 }) }],
    ["the slot is gone", { ...signed(["swap", "a"]), slot: undefined }],
    ["the slot is another order's", { slot: slotOf({ orderId: "order2" }) }],
    ["the slot is at another place", { ...signed(["swap", "a"]), slot: slotOf({ place: 2 }) }],
    ["a block has the order's message", { ...signed(["swap", "a"]), slot: slotOf({ state: "mined" }) }],
    ["the operators' limit is lower", { chainLimits: { ...limits, maxOrder: 999_999n } }],
    ["the policy's limit is lower", policy({ maxPerOrder: 999_999n })],
    ["the policy's limit of the day is lower", policy({ maxPerDay: 1_024_999n })],
    ["the policy forbids trading", policy({ tradingEnabled: false })],
  ])("signs no message while %s", (_, changes) => {
    expect(objection(swap, changes)).toHaveProperty("later");
  });

  it("signs messages exactly at the limits", () => {
    expect(objection(swap, { chainLimits: { ...limits, maxOrder: 1_000_000n } })).toBeUndefined();
    expect(objection(swap, policy({ maxPerOrder: 1_000_000n, maxPerDay: 1_025_000n }))).toBeUndefined();
  });

  describe("a day's limit of network fees on sol", () => {
    const key = { chain: "sol", wallet: "A1", userID: "alice" } as const;
    const counting = (fees: bigint) => counted(key, undefined, { adds: fees, fees, nowMs });
    const left = (lamports: bigint, changes: Partial<SigningView<Sol>> = {}) => ({
      limits: { stored: undefined, count: counting(1_000_000n) },
      chainLimits: { ...limits, maxNetworkFeesPerDay: 1_000_000n + lamports },
      ...changes,
    });
    const reserve = 5000n + 10_000n;
    const sale = { order: orderOf({}, { side: "sell" }) };

    it.each([
      ["a buy, with the rents of its marker and its token's account", {}, 897_840n + 2_248_080n],
      ["a sale, with the rent of its marker", sale, 897_840n],
    ])("counts the first message of %s, and also the order's clear", (_, changes, rents) => {
      const most = 25_000n + rents + reserve;
      expect(objection(swap, left(most, changes))).toBeUndefined();
      expect(objection(swap, left(most - 1n, changes))).toEqual({
        later: "the policy forbids it: networkFeesPerDay",
      });
    });

    it("counts only the fee of each later message, because only one message opens accounts", () => {
      expect(objection(swap, left(25_000n, signed(["swap", "a"])))).toBeUndefined();
      expect(objection(swap, left(24_999n, signed(["swap", "a"])))).toHaveProperty("later");
    });

    it("never stops a clear that costs no more than already counted", () => {
      const cheap = { ...clear, microLamportsPerUnit: 100_000n };
      expect(mostFeeOfMessage(cheap, limits)).toBe(reserve);
      expect(objection(cheap, left(-1_000_000n, signed(["swap", "a"])))).toBeUndefined();
      expect(objection(clear, left(10_000n, signed(["swap", "a"])))).toBeUndefined();
      expect(objection(clear, left(9999n, signed(["swap", "a"])))).toEqual({
        later: "the limit forbids it: networkFeesPerDay",
      });
    });

    it("applies the owner's limit to a clear only if it is higher than the operators'", () => {
      const objectionWith = (lamports: bigint, maxNetworkFeesPerDay: bigint) => {
        const view = left(lamports, signed(["swap", "a"]));
        const stored = { ...key, policy: { ...openPolicy, maxNetworkFeesPerDay }, revision: 1 };
        return objection(clear, { ...view, limits: { ...view.limits, stored } });
      };
      expect(objectionWith(0n, 1_010_000n)).toBeUndefined();
      expect(objectionWith(0n, 1_009_999n)).toHaveProperty("later");
      expect(objectionWith(10_000n, 1n)).toBeUndefined();
    });
  });

  it("signs no swap from the order's deadline on", () => {
    expect(objection(swap, {}, {}, nowMs + 59_999)).toBeUndefined();
    expect(objection(swap, {}, {}, nowMs + 60_000)).toHaveProperty("later");
  });

  it.each([0, 2])("postpones a message that is not the next in line: %d", (attempt) => {
    expect(objection(swap, {}, { attempt })).toHaveProperty("later");
  });
});

describe("addedByMessage", () => {
  const added = (message: SolMessage, changes: Partial<SigningView<Sol>> = {}, intent = intentOf()) =>
    addedByMessage(message, intent, viewOf(changes));

  it("counts a buy's amount once, and the fee of each message", () => {
    expect(added(swap)).toBe(1_025_000n);
    expect(added(swap, signed(["swap", "a"]))).toBe(25_000n);
    expect(added(clear, signed(["swap", "a"]))).toBe(25_000n);
  });

  it("counts a buy's whole amount, even if its first message spends less", () => {
    const little = { ...swap, amountIn: 1n };
    expect(added(little)).toBe(1_025_000n);
    expect(objection(little, policy({ maxPerDay: 1_024_999n }))).toHaveProperty("later");
    expect(objection(swap, { ...signed(["swap", "a"]), ...policy({ maxPerDay: 25_000n }) })).toBeUndefined();
  });

  it("counts only the fees of a sale", () => {
    expect(added(swap, {}, intentOf({ side: "sell" }))).toBe(25_000n);
  });
});

describe("isFirstToFill", () => {
  it("returns true for an order's first swap", () => {
    expect(isFirstToFill(swap, undefined)).toBe(true);
    expect(isFirstToFill(clear, undefined)).toBe(false);
    expect(isFirstToFill(swap, afterThree.ledger)).toBe(false);
  });
});

describe("mostFeeOfMessage", () => {
  it("includes the tip in the highest fee", () => {
    expect(mostFeeOfMessage({ ...swap, ...tip(7n) }, limits)).toBe(25_007n);
  });
});
