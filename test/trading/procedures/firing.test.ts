import { describe, expect, it } from "vitest";
import type { Network } from "../../../lib/core/network.ts";
import type { AttentionCode } from "../../../lib/orders/execution.ts";
import type {
  ChildView,
  FiringEffect,
  FiringFamily,
  ParentView,
} from "../../../lib/orders/resting/firing.ts";
import { afterFiring, newResting, type RestingOrder } from "../../../lib/orders/resting/life.ts";
import type { Mandate } from "../../../lib/orders/resting/mandate.ts";
import type { PriceWord } from "../../../lib/orders/resting/touch.ts";
import { firstMark } from "../../../lib/orders/resting/trailing.ts";
import { firing } from "../../../lib/trading/procedures/firing.ts";
import { limit, mandate, nowMs, stop, trailing } from "../../orders/resting/fixtures.ts";

const family: FiringFamily = { isOneOut: true, sightOf: () => ({ is: "dead", outcome: "failed" }) };

const parent = (changes: Partial<ParentView> = {}, of: Partial<Mandate> = {}): ParentView => {
  const terms = mandate(of);
  return {
    order: newResting(terms, "mac"),
    children: new Map(),
    end: { isCancelled: false, isRetired: false, isVoid: false, isSettled: true },
    tally: undefined,
    ended: undefined,
    amount: terms.amount,
    slippagePpm: terms.legs.map(() => 10_000n),
    isPublic: false,
    ...changes,
  };
};

const firingParent = (leg: number, changes: Partial<ParentView> = {}, view: Partial<ChildView> = {}) => {
  const child = { orderId: "C1", leg, validUntil: nowMs / 1000 + 60, price: "1", block: 7 };
  return parent({
    order: afterFiring(newResting(mandate(), "mac"), child),
    children: new Map([
      ["C1", { hasEnded: false, yields: false, isRefused: false, isProvenDead: false, ...view }],
    ]),
    ...changes,
  });
};

type Scene = {
  /** What both hosts say that the amount of 1000 brings. Undefined if no route answers. */
  out?: bigint | undefined;
  attention?: AttentionCode;
  /** Milliseconds that pass while prices are asked for, and while a child is prepared. */
  asking?: number;
  preparing?: number;
  /** Seconds by which the second host's head is behind that of the first one. */
  behind?: number;
  chain?: Network;
  startMs?: number;
};

/** Runs the procedure and returns its effects, with the parents as it has written them. */
function run(parents: readonly ParentView[], scene: Scene = {}, of = family) {
  const {
    out,
    attention,
    asking = 0,
    preparing = 0,
    behind = 0,
    chain = "base",
    startMs = nowMs,
  } = { out: 950n, ...scene };
  const effects: FiringEffect[] = [];
  const moved = new Map<string, RestingOrder>();
  let clock = startMs;
  const orderIds = parents.map(({ order }) => order.mandate.orderId);
  const procedure = firing(of, { chain, orderIds, dice: [0, 0, 0] });
  const answer = (effect: FiringEffect): unknown => {
    switch (effect.do) {
      case "now":
        return clock;
      case "readParents":
        return { parents, out: { buy: 0n, sell: 0n } };
      case "childWords":
        return effect.questions.map(() => [{}, {}]);
      case "priceWords":
        clock += asking;
        return effect.questions.map(({ distances }) => {
          const before = new Map(distances.flatMap((each) => (out === undefined ? [] : [[each, out]])));
          const head = { number: 9, hash: "0x9", time: startMs / 1000 };
          const word = { head, out, before, hasBest: true } as PriceWord;
          return [word, { ...word, head: { ...head, time: head.time - behind } }];
        });
      case "birthWords": {
        const head = { number: 9, hash: "0x9", time: startMs / 1000 };
        const word: PriceWord = { head, out, before: new Map(), hasBest: true };
        return { amount: effect.received, words: [word, word] };
      }
      case "quoteSums": {
        const ladder = [effect.sums.map((sum) => (sum * (out ?? 0n)) / 1000n)];
        return [ladder, ladder];
      }
      case "prepareChildren":
        clock += preparing;
        return effect.children.map(({ validUntil }) =>
          attention === undefined ? { price: "0.95", validUntil } : { attention },
        );
      case "moveParent":
      case "fire":
        moved.set(effect.order.mandate.orderId, effect.order);
        return true;
      case "yieldToStop":
        return undefined;
    }
  };
  let next = procedure.next();
  while (!next.done) {
    effects.push(next.value);
    next = procedure.next(answer(next.value) as never);
  }
  return { ...next.value, effects, names: effects.map((effect) => effect.do), moved };
}

const codes = ({ moved }: ReturnType<typeof run>) =>
  [...moved.values()].flatMap(({ attention }) => Object.keys(attention));

describe("firing", () => {
  it("fires a stop whose price is reached, with the price of the wave", () => {
    const { fired, effects, moved } = run([parent()]);
    expect(fired).toEqual([mandate().orderId]);
    const chosen = { quotedOut: 950n, minAmountOut: 940n };
    expect(effects.find((effect) => effect.do === "prepareChildren")).toMatchObject({
      children: [{ leg: 1, validUntil: nowMs / 1000 + 60, chosen }],
    });
    const firings = [{ price: "0.95", block: 9 }];
    expect([...moved.values()]).toMatchObject([{ state: "firing", n: 1, out: [{ leg: 1 }], firings }]);
  });

  it("names a child by its parent and number, so that two runs make the same one", () => {
    const idIn = (view: ParentView) => {
      const { orderId } = run([view]).effects.find((effect) => effect.do === "fire") ?? { orderId: "" };
      return orderId;
    };
    const one = idIn(parent());
    expect(one).toMatch(/^[\dA-Z]{26}$/);
    expect(idIn(parent())).toBe(one);
    expect(idIn(parent({ order: { ...newResting(mandate(), "mac"), n: 1 } }))).not.toBe(one);
    expect(idIn(parent({}, { userID: "bob" }))).not.toBe(one);
  });

  it("asks no host about a child that has no outcome and is not past its deadline", () => {
    expect(run([firingParent(1)]).names).not.toContain("childWords");
    expect(run([firingParent(1, {}, { hasEnded: true })]).names).toContain("childWords");
    expect(run([firingParent(1, {}, { isProvenDead: true })]).names).toContain("childWords");
    const signed = { swap: {}, deadline: nowMs / 1000 - 1 };
    expect(run([firingParent(1, {}, { signed })]).names).toContain("childWords");
  });

  it.each([
    ["yielded", { yields: true }],
    ["unsent", { isRefused: true }],
  ] as const)(
    "counts an unsigned child as %s once the signer refuses it, and asks no host",
    (outcome, view) => {
      const { names, moved } = run([firingParent(0, {}, view)], { out: 1500n });
      expect(names).not.toContain("childWords");
      expect([...moved.values()]).toMatchObject([{ state: "resting", out: [], firings: [{ outcome }] }]);
      const signed = { swap: {}, deadline: nowMs / 1000 + 8 };
      expect(run([firingParent(0, {}, { ...view, signed })], { out: 1500n }).moved.size).toBe(0);
    },
  );

  it("fires again in the run that sees the child's death", () => {
    const { fired, moved } = run([firingParent(1, {}, { isProvenDead: true })]);
    expect(fired).toHaveLength(1);
    expect([...moved.values()]).toMatchObject([
      { n: 2, firings: [{ outcome: "out" }, { outcome: "failed" }] },
    ]);
  });

  describe("of an exit", () => {
    const entry = { spent: 1000n, received: 1000n, amount: 1000n, endsAt: 10 ** 10, positionId: "P1" };
    const position = { openPositionId: "P1", isClosed: false, isDust: false, buy: undefined };

    /** An exit whose child has failed. */
    function failed(exit: Partial<ParentView["exit"]>): ParentView {
      const view = firingParent(1, {}, { hasEnded: true });
      const mandate = { ...view.order.mandate, exit: { of: "BUY", sharePpm: 1_000_000n } };
      const order = { ...view.order, mandate, entry: { ...entry, bought: 0, isFinal: true } };
      return { ...view, order, exit: { ...position, ...exit } };
    }

    it("fires again in the run that sees the child's death, if its position is open", () => {
      const firstOf = (exit: Partial<ParentView["exit"]>) => {
        const { fired, moved } = run([failed(exit)]);
        return [fired.length, [...moved.values()][0]?.state];
      };
      expect(firstOf({})).toEqual([1, "firing"]);
      expect(firstOf({ openPositionId: "P2" })).toEqual([0, "suspended"]);
      expect(firstOf({ openPositionId: undefined })).toEqual([0, "resting"]);
      expect(firstOf({ openPositionId: undefined, isClosed: true })).toEqual([0, "done"]);
    });
  });

  it("fires nothing for an order that ends, or has nothing to spend", () => {
    const end = { isCancelled: true, isRetired: false, isVoid: false, isSettled: true };
    expect(run([parent({ end })])).toMatchObject({ fired: [] });
    const empty = run([parent({ amount: 0n })]);
    expect(empty.names).not.toContain("priceWords");
    expect(codes(empty)).toEqual(["INSUFFICIENT_BALANCE"]);
  });

  it("notes a price below the worst one, and why no child can be placed", () => {
    expect(codes(run([parent()], { out: 700n }))).toEqual(["PRICE_BEYOND_WORST"]);
    expect(codes(run([parent()], { attention: "POLICY_LIMIT" }))).toEqual(["POLICY_LIMIT"]);
    expect(codes(run([parent()], { out: undefined }))).toEqual(["NO_ROUTE"]);
    expect(run([parent()], { out: 1500n }).moved.size).toBe(0);
  });

  it("keeps what it has noted of an order while it does not ask for the order's price", () => {
    const attention = { NO_ROUTE: { sinceMs: nowMs - 90_000 } };
    const pausing = { tries: 9, nextAtMs: nowMs + 1 };
    const order = { ...newResting(mandate(), "mac"), attention, legs: [pausing, pausing] };
    expect(run([parent({ order })]).moved.size).toBe(0);
  });

  it("asks for no price while a leg has used up its fees or its swaps of the hour, and notes the former", () => {
    const hour = Math.floor(nowMs / 3_600_000);
    const counts = { limit: { hour, n: 0 }, stop: { hour, n: 0 } };
    const tally = {
      orderId: "P",
      owed: [],
      counts,
      fees: { limit: 0n, stop: 0n },
      revision: 1,
      expiresAt: 0,
    };
    const only = { legs: [stop] };
    const broke = run([parent({ tally: { ...tally, fees: { limit: 0n, stop: 500n } } }, only)]);
    expect(broke.names).not.toContain("priceWords");
    expect(codes(broke)).toEqual(["FEE_BUDGET_SPENT"]);
    const often = run([parent({ tally: { ...tally, counts: { ...counts, stop: { hour, n: 60 } } } }, only)]);
    expect(often.names).not.toContain("priceWords");
    expect(codes(often)).toEqual([]);
    expect(run([parent({ tally }, only)]).fired).toHaveLength(1);
  });

  it("makes a limit's child make way for a due stop, and fires only once the lane is free", () => {
    const busy = { orderId: "C9", kind: "limit", yields: false } as const;
    const { fired, effects, names } = run([parent({ busy })]);
    expect(fired).toEqual([]);
    expect(effects).toContainEqual(expect.objectContaining({ do: "yieldToStop", orderId: "C9" }));
    expect(names).not.toContain("fire");
    const own = run([firingParent(0, { busy: { ...busy, orderId: "C1" } })]);
    expect(own.effects).toContainEqual(expect.objectContaining({ do: "yieldToStop", orderId: "C1" }));
  });

  it.each([
    ["stop", "market order", { kind: "market", yields: false }],
    ["stop", "stop", { kind: "stop", yields: false }],
    ["stop", "limit that makes way", { kind: "limit", yields: true }],
    ["limit", "limit", { kind: "limit", yields: false }],
  ] as const)("waits with a %s for a lane that is busy with a %s", (kind, _, busy) => {
    const [leg, out] = kind === "stop" ? [stop, 950n] : [limit, 2100n];
    const view = parent({ busy: { orderId: "C9", ...busy } }, { legs: [leg] });
    const { fired, waiting, names } = run([view], { out });
    expect(names).toContain("priceWords");
    // A market order may take long, so the pauses of what waits for it grow.
    expect(waiting).toEqual(busy.kind === "market" ? [] : [view.order.mandate.orderId]);
    expect(fired).toEqual([]);
    expect(names).not.toContain("yieldToStop");
  });

  it("says which orders wait for the first one of their wallet", () => {
    const { fired, waiting } = run([parent({}, { orderId: "A" }), parent({}, { orderId: "B" })]);
    expect([...fired, ...waiting].toSorted()).toEqual(["A", "B"]);
    expect(fired).toHaveLength(1);
    expect(run([parent({}, { orderId: "A" })], { out: 2000n }).waiting).toEqual([]);
  });

  describe("a trailing stop", () => {
    const terms = mandate({ legs: [trailing], createdAt: nowMs - 15_000 });
    const order = newResting(terms, "mac", firstMark(terms, { coins: 1n, tokens: 1n }));

    it("raises its mark to a price above it, and fires by the new one", () => {
      const { fired, moved } = run([parent({ order })], { out: 2000n });
      expect(fired).toEqual([]);
      const raised = moved.get(terms.orderId);
      expect(raised).toMatchObject({
        mark: { price: { coins: 2000n, tokens: 1000n } },
        version: 2,
        revision: 2,
      });
      expect(run([parent({ order })], { out: 1700n }).fired).toEqual([]);
      expect(run([parent({ order: raised as RestingOrder })], { out: 1800n }).fired).toEqual([terms.orderId]);
    });

    it("sells at the price now if its mark is false", () => {
      const forged = { ...order, mark: { price: { coins: 9n, tokens: 1n }, sinceMs: nowMs } };
      const { fired, effects } = run([parent({ order: forged })], { out: 1000n });
      expect(fired).toEqual([terms.orderId]);
      expect(effects.find((effect) => effect.do === "prepareChildren")).toMatchObject({
        children: [{ chosen: { quotedOut: 1000n, minAmountOut: 990n } }],
      });
    });

    it("does not move while its price is between both", () => {
      expect(run([parent({ order })], { out: 901n })).toMatchObject({ fired: [], moved: new Map() });
      expect(run([parent({ order })], { out: 900n }).fired).toEqual([terms.orderId]);
    });

    it("follows the price of its whole amount while the wallet can sell only a part, whose price is better", () => {
      const part = parent({ order, amount: 100n });
      expect(run([part], { out: 950n })).toMatchObject({ fired: [], moved: new Map() });
      const { effects } = run([part], { out: 900n });
      expect(effects.find((effect) => effect.do === "prepareChildren")).toMatchObject({
        children: [{ chosen: { crossed: { amount: 100n } } }],
      });
    });

    it("follows the price of what an exit sells, and not of the most that it may sell", () => {
      const paid = { spent: 500n, received: 500n, amount: 500n, endsAt: terms.expiresAt };
      const entry = { ...paid, positionId: "position", bought: 0, isFinal: true };
      const { effects } = run([parent({ order: { ...order, entry }, amount: 500n })]);
      expect(effects.find((effect) => effect.do === "priceWords")).toMatchObject({
        questions: [{ amount: 500n }],
      });
    });
  });

  describe("an order with slices", () => {
    const terms = mandate({
      legs: [{ kind: "slice", worst: { coins: 9n, tokens: 10n } }],
      amount: 2000n,
      slices: { count: 2, everySeconds: 60 },
    });
    const order = newResting(terms, "mac");
    const at = (seconds: number, scene: Scene = {}, of = order) =>
      run([parent({ order: of, amount: 1000n })], { startMs: terms.createdAt + seconds * 1000, ...scene });

    it("fires each slice when it is due, and keeps its price", () => {
      const { fired, moved } = at(0, { out: 950n });
      expect(fired).toEqual([terms.orderId]);
      const one = moved.get(terms.orderId) as RestingOrder;
      expect(one).toMatchObject({ out: [{ slice: 1 }], firings: [{ leg: "slice", slice: 1 }], nextSlice: 2 });
      expect(at(59, { out: 950n }, one).fired).toEqual([]);
      expect(at(60, { out: 950n }, one).moved.get(terms.orderId)).toMatchObject({
        out: [{ slice: 1 }, { slice: 2 }],
      });
    });

    it("waits for its price, and makes up no slice that was missed", () => {
      const { fired, moved } = at(0, { out: 900n });
      expect(fired).toEqual([]);
      expect(moved).toEqual(new Map());
      expect(at(60, { out: 900n }).moved.get(terms.orderId)).toMatchObject({ nextSlice: 2 });
      expect(at(120, { out: 950n }).fired).toEqual([]);
    });
  });

  it("fires nothing by a look that has grown old while the child was prepared", () => {
    expect(run([parent()], { preparing: 15_000 }).fired).toHaveLength(1);
    expect(run([parent()], { preparing: 15_001 }).fired).toEqual([]);
    const { maxGasPrice: _, ...terms } = mandate({ chain: "sol", legs: [limit] });
    const behind = { chain: "sol", out: 2100n, behind: 1 } as const;
    const onSol = [parent({ order: newResting(terms, "mac") })];
    expect(run(onSol, { ...behind, preparing: 14_000 }).fired).toHaveLength(1);
    expect(run(onSol, { ...behind, preparing: 14_001 }).fired).toEqual([]);
  });

  it("fires a stop on sol after four readings over 8 seconds", () => {
    const onSol: FiringFamily = { ...family, isOneOut: false };
    const { maxGasPrice: _, ...terms } = mandate({ chain: "sol" });
    let order = newResting(terms, "mac");
    const fires = [0, 2700, 5400, 8100].map((ms) => {
      const { fired, moved } = run([parent({ order })], { chain: "sol", startMs: nowMs + ms }, onSol);
      order = moved.get(terms.orderId) ?? order;
      return fired.length;
    });
    expect(fires).toEqual([0, 0, 0, 1]);
  });

  it("counts no time on sol in which the hosts were answering", () => {
    const onSol: FiringFamily = { ...family, isOneOut: false };
    const { maxGasPrice: _, ...terms } = mandate({ chain: "sol" });
    let order = newResting(terms, "mac");
    const fires = [0, 2700, 5400, 8100, 10_800].map((ms) => {
      const scene = { chain: "sol", startMs: nowMs + ms, asking: 1000 } as const;
      const { fired, moved } = run([parent({ order })], scene, onSol);
      order = moved.get(terms.orderId) ?? order;
      return fired.length;
    });
    expect(fires).toEqual([0, 0, 0, 0, 1]);
  });

  it.each([
    ["one after the other", "wallet", [1, 1]],
    ["at once", "another wallet", [2]],
  ])("makes children of two orders on sol %s if the second is of %s", (_, wallet, made) => {
    const onSol: FiringFamily = { ...family, isOneOut: false };
    const ofOrder = (orderId: string, of: string) => {
      const { maxGasPrice: __, ...terms } = mandate({ chain: "sol", legs: [limit], orderId, wallet: of });
      return parent({ order: newResting(terms, "mac") });
    };
    const { effects } = run(
      [ofOrder("A", "wallet"), ofOrder("B", wallet)],
      { chain: "sol", out: 2100n },
      onSol,
    );
    const counts = effects.flatMap((each) => (each.do === "prepareChildren" ? [each.children.length] : []));
    expect(counts).toEqual(made);
  });

  it("fires a take-profit beside a stop on sol after two readings, and a limit alone at once", () => {
    const onSol: FiringFamily = { ...family, isOneOut: false };
    const firesOf = (legs: Mandate["legs"]) => {
      const { maxGasPrice: _, ...terms } = mandate({ chain: "sol", legs });
      let order = newResting(terms, "mac");
      return [0, 2700].map((ms) => {
        const scene = { chain: "sol", startMs: nowMs + ms, out: 2100n } as const;
        const { fired, moved } = run([parent({ order })], scene, onSol);
        order = moved.get(terms.orderId) ?? order;
        return fired.length;
      });
    };
    expect(firesOf([limit, stop])).toEqual([0, 1]);
    expect(firesOf([limit])).toEqual([1, 0]);
  });
});
