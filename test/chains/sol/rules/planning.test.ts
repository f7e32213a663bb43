import { describe, expect, it } from "vitest";
import type { SolOrderFacts, SolSnapshots } from "../../../../lib/chains/sol/rules/host-snapshot.ts";
import type { SolIntent } from "../../../../lib/chains/sol/rules/intent.ts";
import type { SolLimits } from "../../../../lib/chains/sol/rules/limits.ts";
import { planClear, planSwap } from "../../../../lib/chains/sol/rules/planning.ts";
import type { SolSlot } from "../../../../lib/chains/sol/rules/slot.ts";
import type { WalletPolicy } from "../../../../lib/orders/wallet-policy.ts";
import {
  attemptOf,
  bothHosts,
  buildBy,
  factsOf,
  jupiterRoute,
  limits,
  nowMs,
  orderOf,
  route,
  slotOf,
  snapshotOf,
  viewOf,
  withRelay,
} from "../fixtures.ts";

type Case = {
  intent?: Partial<SolIntent>;
  slot?: SolSlot;
  /** Slots of other orders. */
  others?: SolSlot[];
  snapshots?: SolSnapshots;
  chainLimits?: SolLimits;
  policy?: Partial<WalletPolicy>;
};

function plan({ intent, slot, others = [], snapshots = bothHosts(), chainLimits = limits, policy }: Case) {
  const order = orderOf({}, intent);
  const stored = policy && {
    chain: "sol" as const,
    wallet: "A1",
    userID: "alice",
    revision: 1,
    policy: { tokens: "any" as const, tradingEnabled: true, ...policy },
  };
  const view = viewOf({
    orders: [order, orderOf({}, { orderId: "order2", token: "FEEZ" })],
    slots: [...(slot ? [slot] : []), ...others],
    limits: new Map([["alice", { stored, count: undefined }]]),
  });
  return planSwap(order, slot, { view, snapshots, nowMs, limits: chainLimits });
}

const withFacts = (changes: Partial<SolOrderFacts>, coins = 1_000_000_000n) =>
  snapshotOf({ coins, orders: new Map([["order1", factsOf(changes)]]) });

const facts = (changes: Partial<SolOrderFacts>, coins?: bigint) =>
  [withFacts(changes, coins), withFacts(changes, coins)] as const;

const reject = (reasonCode: string) => ({ end: { status: "rejected", reasonCode } });
const sale = { side: "sell", amount: 500n } as const;

describe("planSwap", () => {
  it("spends 16 % of the budget on the first message", () => {
    expect(plan({})).toEqual({
      amount: 1_000_000n,
      message: {
        purpose: "swap",
        signatures: 1,
        computeUnitLimit: 100_000,
        microLamportsPerUnit: 160_000n,
        blockhash: "hash",
        lastValidBlockHeight: 281,
        amountIn: 1_000_000n,
        route,
        markerRentLamports: 897_840n,
        wsolRentLamports: 2_039_280n,
      },
    });
  });

  it("spends more of the budget on later messages", () => {
    const slot = slotOf({ attempts: [attemptOf("a"), attemptOf("b")] });
    expect(plan({ slot })).toMatchObject({ message: { microLamportsPerUnit: 240_000n } });
  });

  it("shares the rest of the budget between the attempts that are left", () => {
    const slot = slotOf({ attempts: ["a", "b", "c", "d"].map((hash) => attemptOf(hash)) });
    expect(plan({ slot, intent: { attempts: 6 } })).toMatchObject({
      message: { microLamportsPerUnit: 100_000n },
    });
  });

  it("tips the relay only for a private order", () => {
    const chainLimits = withRelay;
    const tip = { account: "tips", lamports: 4800n };
    expect(plan({ chainLimits, intent: { isPrivate: true } })).toMatchObject({ message: { tip } });
    expect(plan({ chainLimits })).not.toHaveProperty("message.tip");
  });

  // Rents of the marker, token account and wrapped coin, the signature's fee, the amount, and the budget's first share.
  const cost = 897_840n + 2_039_280n + 2_039_280n + 5000n + 1_000_000n + 16_000n;
  const dear = { marker: 897_841n, wsol: 2_039_280n, token: 2_039_280n, market: 0n };
  const big = { marker: 897_840n, wsol: 2_039_280n, token: 2_039_281n, market: 0n };

  it.each<[string, SolSnapshots]>([
    ["a host is silent", [snapshotOf(), undefined]],
    ["a host has no facts", [snapshotOf(), snapshotOf({ orders: new Map() })]],
    ["the hosts differ in the coin", [snapshotOf(), snapshotOf({ coins: 1n })]],
    ["the hosts differ in the tokens", [withFacts({ held: 1n }), withFacts({ held: 2n })]],
    [
      "the hosts know other blockhashes",
      [snapshotOf(), snapshotOf({ blockhash: { hash: "other", lastValidBlockHeight: 281 } })],
    ],
    ["the hosts are far apart", [snapshotOf(), snapshotOf({ height: { slot: 192, blockHeight: 172 } })]],
    [
      "the hosts differ by more than a blockhash lives",
      [snapshotOf(), snapshotOf({ blockhash: { hash: "hash", lastValidBlockHeight: 432 } })],
    ],
    ["a host names a rent that the signer refuses", [withFacts({}), withFacts({ rents: dear })]],
    ["a host names no compute units", facts({ computeUnitLimit: 0 })],
    ["a signature costs more than the operators allow", facts({ baseFeeLamports: 5001n })],
  ])("waits while %s", (_, snapshots) => {
    expect(plan({ snapshots })).toEqual({ wait: "CHAIN_UNAVAILABLE" });
  });

  it("continues if the hosts are 40 slots apart", () => {
    const ahead = snapshotOf({ height: { slot: 191, blockHeight: 171 } });
    expect(plan({ snapshots: [snapshotOf(), ahead] })).toHaveProperty("message");
  });

  it("uses the greater of both hosts' lifetimes, rents and compute units", () => {
    const rents = { marker: 890_879n, wsol: 2_039_279n, token: 0n, market: 0n };
    const other = snapshotOf({
      blockhash: { hash: "hash", lastValidBlockHeight: 282 },
      orders: new Map([["order1", factsOf({ computeUnitLimit: 120_000, rents })]]),
    });
    expect(plan({ snapshots: [snapshotOf(), other] })).toMatchObject({
      message: {
        lastValidBlockHeight: 282,
        computeUnitLimit: 120_000,
        markerRentLamports: 897_840n,
        wsolRentLamports: 2_039_280n,
      },
    });
  });

  it("rejects a buy if the wallet lacks one lamport for it", () => {
    expect(plan({ snapshots: facts({}, cost) })).toHaveProperty("message");
    expect(plan({ snapshots: facts({}, cost - 1n) })).toEqual(reject("INSUFFICIENT_BALANCE"));
  });

  it("waits if only one host reports a rent that the wallet cannot pay", () => {
    const hosts = [withFacts({}, cost), withFacts({ rents: big }, cost)] as const;
    expect(plan({ snapshots: hosts })).toEqual({ wait: "INSUFFICIENT_BALANCE" });
  });

  it("waits if a message would fail before its trade in one host's simulation", () => {
    const hosts = [withFacts({}), withFacts({ lacksCoins: true })] as const;
    expect(plan({ snapshots: hosts })).toEqual({ wait: "INSUFFICIENT_BALANCE" });
  });

  it("continues if the hosts differ by at most the life of a blockhash", () => {
    const later = snapshotOf({ blockhash: { hash: "hash", lastValidBlockHeight: 431 } });
    expect(plan({ snapshots: [snapshotOf(), later] })).toMatchObject({
      message: { lastValidBlockHeight: 431 },
    });
  });

  describe("planSwap with another open order", () => {
    const others = [slotOf({ orderId: "order2", place: 2 })];
    // Amount, fees, and the rents of three accounts, as the hosts report them.
    const reserved = 1_000_000n + 5000n + 20_000n + 897_840n + 2n * 2_039_280n;

    it("waits while another order's messages may take the coin", () => {
      const short = facts({}, cost + reserved - 1n);
      expect(plan({ others, snapshots: facts({}, cost + reserved) })).toHaveProperty("message");
      expect(plan({ others, snapshots: short })).toEqual({ wait: "INSUFFICIENT_BALANCE" });
    });

    it("reserves nothing for messages that are too old", () => {
      const [host] = facts({}, cost);
      const past = { ...host, height: { slot: 271, blockHeight: 251 } };
      expect(plan({ others, snapshots: [past, past] })).toHaveProperty("message");
    });

    it("reserves less if the chain's rents are lower", () => {
      const rents = { marker: 655_320n, wsol: 1_488_440n, token: 1_488_440n, market: 0n };
      const own = 655_320n + 2n * 1_488_440n + 5000n + 1_000_000n + 16_000n;
      const low = 1_000_000n + 5000n + 20_000n + 655_320n + 2n * 1_488_440n;
      const at = (coins: bigint) => plan({ others, snapshots: facts({ rents }, coins) });
      expect(at(own + low)).toHaveProperty("message");
      expect(at(own + low - 1n)).toEqual({ wait: "INSUFFICIENT_BALANCE" });
    });
  });

  it("lowers the fee of a sale if coin for the fee is all that the wallet lacks", () => {
    const floor = cost - 1_016_000n;
    const held = { held: 500n };
    expect(plan({ intent: sale, snapshots: facts(held, floor) })).toMatchObject({
      message: { microLamportsPerUnit: 0n },
    });
    expect(plan({ intent: sale, snapshots: facts(held, floor - 1n) })).toEqual(
      reject("INSUFFICIENT_BALANCE"),
    );
  });

  it("keeps coin for the accounts of a market on Pump only if the order trades there", () => {
    const floor = cost - 1_016_000n;
    const rents = { marker: 897_840n, wsol: 2_039_280n, token: 2_039_280n, market: 2_039_280n };
    const at = (coins: bigint, changes: Partial<SolOrderFacts> = {}, intent: Partial<SolIntent> = {}) =>
      plan({ intent: { ...sale, ...intent }, snapshots: facts({ held: 500n, rents, ...changes }, coins) });
    expect(at(floor)).toHaveProperty("message");
    const onPump = { venue: "pumpswap", pool: "pool" } as const;
    const pumpPool = {
      table: "table",
      vault: "vault",
      isMayhem: false,
      hasCreator: true,
      hasCashback: false,
    };
    const there = { routes: [{ ...onPump, pumpPool, amountOut: 100n }] };
    expect(at(floor + 2_039_280n, there, { routes: [onPump] })).toHaveProperty("message");
    expect(at(floor + 2_039_279n, there, { routes: [onPump] })).toEqual(reject("INSUFFICIENT_BALANCE"));
  });

  it("sells what is left in the wallet, up to the order's amount", () => {
    expect(plan({ intent: sale, snapshots: facts({ held: 499n }) })).toMatchObject({ amount: 499n });
    expect(plan({ intent: sale, snapshots: facts({ held: 501n }) })).toMatchObject({ amount: 500n });
  });

  it("ends a sale if there are no tokens left, and names the slots at which the hosts saw none", () => {
    const none = facts({ held: 0n });
    const seen = { number: 151, hash: "151" };
    expect(plan({ intent: sale, snapshots: none })).toEqual({
      end: {
        status: "rejected",
        reasonCode: "INSUFFICIENT_BALANCE",
        soldOutAt: 151,
        soldOutIn: [seen, seen],
      },
    });
  });

  describe("choosing a route on sol", () => {
    const other = { ...route, pool: "pool 2" };
    const routes = [route, other];
    const hosts = (a: SolOrderFacts["routes"], b: SolOrderFacts["routes"]) =>
      [withFacts({ routes: a }), withFacts({ routes: b })] as const;
    const pays = (pool: string, amountOut: bigint) => ({ ...route, pool, amountOut });

    it("compares routes by the lower output of both hosts", () => {
      const snapshots = hosts(
        [pays("pool", 300n), pays("pool 2", 100n)],
        [pays("pool", 90n), pays("pool 2", 95n)],
      );
      expect(plan({ intent: { routes }, snapshots })).toMatchObject({ message: { route: other } });
    });

    it("rejects an order for its price if both hosts agree", () => {
      const [low, just] = [[pays("pool", 79n)], [pays("pool", 80n)]];
      expect(plan({ snapshots: hosts(just, just) })).toHaveProperty("message");
      expect(plan({ snapshots: hosts(low, just) })).toEqual({ wait: "CHAIN_UNAVAILABLE" });
      expect(plan({ snapshots: hosts(low, low) })).toEqual(reject("SLIPPAGE_EXCEEDED"));
      expect(plan({ snapshots: hosts(low, []) })).toEqual(reject("SLIPPAGE_EXCEEDED"));
    });

    describe("choosing a route with Jupiter", () => {
      const intent = { routes: [route, jupiterRoute] };
      const metis = (amountOut: bigint, helper = "helper") => ({
        ...jupiterRoute,
        amountOut,
        build: buildBy(helper),
      });

      it("chooses the swap that both hosts have tried, with two signatures", () => {
        const best = [pays("pool", 100n), metis(101n)];
        expect(plan({ intent, snapshots: hosts(best, best) })).toMatchObject({
          message: { route: jupiterRoute, build: buildBy("helper"), signatures: 2 },
        });
        const worse = [pays("pool", 100n), metis(99n)];
        const planned = plan({ intent, snapshots: hosts(best, worse) });
        expect(planned).toMatchObject({ message: { route, signatures: 1 } });
        expect(planned).not.toHaveProperty("message.build");
      });

      it("never chooses a swap that only one host has tried", () => {
        const both = hosts([pays("pool", 100n), metis(200n)], [pays("pool", 100n), metis(200n, "other")]);
        expect(plan({ intent, snapshots: both })).toMatchObject({ message: { route } });
      });

      it("keeps coin for the base fees of both signatures", () => {
        const routes = [metis(100n)];
        const coins = 1_000_000n + 897_840n + 2n * 2_039_280n + 16_000n;
        const at = (lamports: bigint) => {
          const facts = new Map([["order1", factsOf({ routes })]]);
          return plan({ intent, snapshots: bothHosts({ coins: lamports, orders: facts }) });
        };
        expect(at(coins + 10_000n)).toHaveProperty("message");
        expect(at(coins + 9_999n)).toEqual(reject("INSUFFICIENT_BALANCE"));
      });

      it("waits if neither Jupiter nor a pool can trade, but does not wait for Jupiter if a pool can", () => {
        const silent = (found: SolOrderFacts["routes"]) =>
          [withFacts({ routes: found, lacksBuild: true }), withFacts({ routes: found })] as const;
        expect(plan({ intent, snapshots: silent([]) })).toEqual({ wait: "CHAIN_UNAVAILABLE" });
        expect(plan({ intent, snapshots: silent([pays("pool", 79n)]) })).toEqual({
          wait: "CHAIN_UNAVAILABLE",
        });
        expect(plan({ intent, snapshots: silent([pays("pool", 80n)]) })).toMatchObject({
          message: { route },
        });
        expect(plan({ intent, snapshots: hosts([], []) })).toEqual(reject("NO_ROUTE"));
      });
    });

    it("never chooses a route that the order does not allow", () => {
      const foreign = [pays("pool 2", 1000n)];
      expect(plan({ snapshots: hosts(foreign, foreign) })).toEqual(reject("NO_ROUTE"));
    });
  });

  it("waits while the fee exceeds the limit of a transaction", () => {
    const chainLimits = { ...limits, maxNetworkFee: 21_000n, maxNetworkFeesPerDay: 10n ** 9n };
    expect(plan({ chainLimits })).toHaveProperty("message");
    expect(plan({ chainLimits: { ...chainLimits, maxNetworkFee: 20_999n } })).toEqual({
      wait: "POLICY_LIMIT",
    });
  });

  it.each([
    ["a buy with its rents and its clear", {}, 21_000n + 897_840n + 2_248_080n + 15_000n],
    ["a sale with its rent and its clear", { intent: sale }, 21_000n + 897_840n + 15_000n],
    ["a later message", { slot: slotOf() }, 25_000n],
  ])("holds back %s while the day's limit of network fees leaves too little", (_, changes, needed) => {
    const snapshots = facts({ held: 500n });
    const at = (maxNetworkFeesPerDay: bigint) =>
      plan({ snapshots, ...changes, chainLimits: { ...limits, maxNetworkFeesPerDay } });
    expect(at(needed)).toHaveProperty("message");
    expect(at(needed - 1n)).toEqual({ wait: "POLICY_LIMIT" });
  });

  it("waits while the day's limit leaves less than a buy and its fee", () => {
    expect(plan({ policy: { maxPerDay: 1_021_000n } })).toHaveProperty("message");
    expect(plan({ policy: { maxPerDay: 1_020_999n } })).toEqual({ wait: "POLICY_LIMIT" });
    const snapshots = facts({ held: 500n });
    expect(plan({ intent: sale, snapshots, policy: { maxPerDay: 0n } })).toHaveProperty("message");
  });

  it("counts only the fee of a later message on the same day", () => {
    const slot = slotOf();
    expect(plan({ slot, policy: { maxPerDay: 25_000n } })).toHaveProperty("message");
    expect(plan({ slot, policy: { maxPerDay: 24_999n } })).toEqual({ wait: "POLICY_LIMIT" });
  });
});

describe("planClear", () => {
  const clear = (snapshots: SolSnapshots, chainLimits = limits) =>
    planClear(orderOf(), { snapshots, limits: chainLimits });

  it("spends a tenth of the budget on a clear, even after expensive attempts", () => {
    expect(clear(bothHosts())).toEqual({
      purpose: "clear",
      signatures: 1,
      computeUnitLimit: 2000,
      microLamportsPerUnit: 5_000_000n,
      blockhash: "hash",
      lastValidBlockHeight: 281,
      markerRentLamports: 897_840n,
    });
  });

  it("keeps a clear within the limit of a transaction", () => {
    const message = clear(bothHosts(), { ...limits, maxNetworkFee: 6000n });
    expect(message?.microLamportsPerUnit).toBe(500_000n);
  });

  it("waits until both hosts know a blockhash", () => {
    const { blockhash: _, ...without } = snapshotOf();
    expect(clear([snapshotOf(), without])).toBeUndefined();
    expect(clear([undefined, snapshotOf()])).toBeUndefined();
  });
});
