import { describe, expect, it } from "vitest";
import { solLane } from "../../../../lib/chains/sol/lane.ts";
import type { Sol } from "../../../../lib/chains/sol/rules/family.ts";
import type { SolSlot } from "../../../../lib/chains/sol/rules/slot.ts";
import type { LaneView } from "../../../../lib/orders/effects.ts";
import type { LaneState } from "../../../../lib/orders/lane-core.ts";
import { type TradeOrder, unstarted } from "../../../../lib/orders/trade-order.ts";
import { child, mandate } from "../../../orders/resting/fixtures.ts";
import {
  attemptOf,
  bothHosts,
  factsOf,
  failed,
  filled,
  heightAt,
  nowMs,
  orderOf,
  seen,
  slotOf,
  snapshotOf,
  stateOf,
  viewOf,
} from "../fixtures.ts";

const terms = mandate({ chain: "sol" });
const parentId = terms.orderId;

/** A child of a leg. Both children have the marker of their resting order. */
const childOf = (orderId: string, leg: number, changes: Partial<TradeOrder<Sol>> = {}) =>
  orderOf({ mandate: terms, ...changes }, { orderId, parent: { ...child().parent, leg } });

const endedAs = (status: "filled" | "expired"): Pick<TradeOrder<Sol>, "life"> => ({
  life: { ...unstarted, status, stage: "done" },
});

const first = childOf("first", 0);
const second = childOf("second", 1);
const slot = (orderId: string, hash: string, changes: Partial<SolSlot> = {}) =>
  slotOf({ orderId, attempts: [attemptOf(hash)], place: orderId === "first" ? 1 : 2, ...changes });

/** Hosts that show the marker of both children, or none. */
const hosts = (isMarked: boolean, height: number, ...receipts: Parameters<typeof seen>[0]) =>
  bothHosts({
    ...heightAt(height),
    markers: new Map([
      ["first", isMarked],
      ["second", isMarked],
    ]),
    orders: new Map([
      ["first", factsOf()],
      ["second", factsOf()],
    ]),
    receipts: seen(receipts),
  });

const laneOf = (view: Partial<LaneView<Sol>>, changes: Partial<LaneState<Sol>> = {}) =>
  stateOf({
    view: viewOf({ lane: { chain: "sol", wallet: "A1", holder: "run", jobs: 2 }, ...view }),
    ...changes,
  });

/** Makes moves until the lane rests or signs, and returns the orders' lives and the last move. */
function worked(state: LaneState<Sol>) {
  const lives = new Map<string, object>();
  const settled: string[] = [];
  const ended: unknown[] = [];
  let { view } = state;
  for (let moves = 0; moves < 10; moves++) {
    const move = solLane.nextMove({ ...state, view });
    if (move.kind !== "write") return { lives, settled, ended, move };
    for (const write of move.step) {
      if (write.kind === "put" && write.of === "order") {
        const { intent, life } = write.item;
        lives.set(intent.orderId, life);
        const orders = view.orders.map((each) =>
          each.intent.orderId === intent.orderId ? write.item : each,
        );
        view = { ...view, orders: orders as TradeOrder<Sol>[] };
      }
      if (write.kind === "put" && write.of === "slot") {
        const own = write.item as SolSlot;
        view = { ...view, slots: view.slots.map((each) => (each.place === own.place ? own : each)) };
      }
      if (write.kind === "put" && write.of === "ended") ended.push(write.item);
      if (write.kind === "remove" && write.of === "job") {
        settled.push(write.item.orderId);
        view = { ...view, orders: view.orders.filter(({ intent }) => intent.orderId !== write.item.orderId) };
      }
    }
  }
  throw new Error("The lane makes too many moves");
}

describe("two children of a resting order on Solana", () => {
  it("share the marker that the hosts are asked for", () => {
    const view = viewOf({ orders: [first, second], slots: [slot("first", "a")] });
    const question = solLane.questionAbout(first.intent, view, { nowMs, untilMs: nowMs });
    expect(question.marked).toEqual(["first", "second"]);
    expect([...(question.parents ?? [])]).toEqual([
      ["first", parentId],
      ["second", parentId],
    ]);
  });

  it("share no marker with another slice of their order", () => {
    const ofSlice = (orderId: string, slice: number) =>
      orderOf({ mandate: terms }, { orderId, parent: { ...child().parent, leg: 0, slice } });
    const slices = [ofSlice("first", 1), ofSlice("second", 2)];
    const question = solLane.questionAbout(first.intent, viewOf({ orders: slices }), {
      nowMs,
      untilMs: nowMs,
    });
    expect([...(question.parents ?? [])]).toEqual([
      ["first", `${parentId}.1`],
      ["second", `${parentId}.2`],
    ]);
    // The first slice has its marker, and the second one none.
    const snapshots = bothHosts({
      ...heightAt(131),
      markers: new Map([
        ["first", true],
        ["second", false],
      ]),
      orders: new Map([["second", factsOf()]]),
    });
    expect(worked(laneOf({ orders: slices }, { snapshots })).move).toMatchObject({
      kind: "sign",
      request: { orderId: "second" },
    });
  });

  it("do not wait for each other, unless they are of the same leg", () => {
    const slots = [slot("first", "a")];
    const snapshots = hosts(false, 131);
    expect(worked(laneOf({ orders: [first, second], slots }, { snapshots })).move).toMatchObject({
      kind: "sign",
      request: { orderId: "second" },
    });
    const same = childOf("second", 0);
    expect(worked(laneOf({ orders: [first, same], slots }, { snapshots })).move.kind).not.toBe("sign");
    const other = orderOf({}, { orderId: "second" });
    expect(worked(laneOf({ orders: [first, other], slots }, { snapshots })).move.kind).not.toBe("sign");
    // The messages of the same leg are too old.
    const times = { snapshots: hosts(false, 251), nowMs: nowMs + 30_000 };
    const late = laneOf({ orders: [first, same], slots }, times);
    expect(worked(late).move).toMatchObject({ kind: "sign", request: { orderId: "second" } });
  });

  it("sign nothing once a host shows the marker, and end if both do", () => {
    const view = { orders: [childOf("first", 0, endedAs("filled")), second], slots: [] };
    const [marked] = hosts(true, 131);
    expect(worked(laneOf(view, { snapshots: [marked, hosts(false, 131)[1]] })).move.kind).not.toBe("sign");
    const { lives } = worked(laneOf(view, { snapshots: [marked, marked] }));
    expect(lives.get("second")).toMatchObject({ status: "expired", reasonCode: "REPLACED" });
  });

  it("end REPLACED once their own messages are too old, and settle before the one that filled", () => {
    const view = {
      orders: [childOf("first", 0, endedAs("filled")), second],
      slots: [slot("first", "a", { state: "mined", receipts: [filled("a")] }), slot("second", "b")],
    };
    const young = worked(laneOf(view, { snapshots: hosts(true, 250, filled("a")) }));
    expect([young.lives.get("second"), young.settled]).toMatchObject([{ status: "open" }, []]);
    const old = worked(laneOf(view, { snapshots: hosts(true, 251, filled("a")) }));
    expect(old.lives.get("second")).toMatchObject({ status: "expired", reasonCode: "REPLACED" });
    expect(old.settled).toEqual(["second", "first"]);
  });

  it("wait while only one host has the sibling's fill", () => {
    const slots = [slot("first", "a"), slot("second", "b")];
    const [a] = hosts(true, 251, filled("a"));
    const [b] = hosts(true, 251);
    const { lives, settled } = worked(laneOf({ orders: [first, second], slots }, { snapshots: [a, b] }));
    expect([lives.get("second"), settled]).toMatchObject([{ status: "open" }, []]);
  });

  it("do not keep a receipt that hosts have dropped for a sibling's", () => {
    const view = {
      orders: [childOf("first", 0, endedAs("filled")), second],
      slots: [slot("first", "a", { state: "mined", receipts: [filled("a")] }), slot("second", "b")],
    };
    const { lives } = worked(laneOf(view, { snapshots: hosts(true, 251, filled("b")) }));
    expect(lives.get("first")).toMatchObject({ status: "expired", reasonCode: "REPLACED" });
    expect(lives.get("second")).toMatchObject({ status: "filled" });
  });

  it("end as replaced, not as failed, if their messages have failed at the marker", () => {
    const slots = [
      slot("first", "a", { state: "mined", receipts: [filled("a")] }),
      slot("second", "b", { receipts: [failed("b")] }),
    ];
    const snapshots = hosts(true, 131, filled("a"), failed("b"));
    const { lives } = worked(laneOf({ orders: [first, second], slots }, { snapshots }));
    expect(lives.get("second")).toMatchObject({ status: "expired", reasonCode: "REPLACED" });
  });

  it("are cleared only if they are cancelled", () => {
    const slots = [slot("first", "a")];
    const snapshots = hosts(false, 131);
    const atMs = nowMs + 30_000;
    expect(worked(laneOf({ orders: [first], slots }, { snapshots, nowMs: atMs })).move.kind).toBe("rest");
    const cancelled = new Set(["first"]);
    const { move } = worked(laneOf({ orders: [first], slots, cancelled }, { snapshots, nowMs: atMs }));
    expect(move).toMatchObject({ kind: "sign", request: { purpose: "clear" } });
  });

  it("sign no message later than 8 seconds after their first one", () => {
    const slots = [slot("first", "a", { attempts: [attemptOf("a", { sentAtMs: nowMs })] })];
    const snapshots = [snapshotOf(), snapshotOf()].map((each) => ({
      ...each,
      orders: new Map([["first", factsOf()]]),
      markers: new Map([["first", false]]),
      blockhash: { hash: "newer", lastValidBlockHeight: 300 },
    })) as unknown as LaneState<Sol>["snapshots"];
    const moveAt = (ms: number) =>
      worked(laneOf({ orders: [first], slots }, { snapshots, nowMs: nowMs + ms })).move.kind;
    expect([moveAt(7999), moveAt(8000)]).toEqual(["sign", "rest"]);
  });

  it("record what a child without effect has paid when it settles", () => {
    const ledger = {
      chain: "sol",
      wallet: "A1",
      userID: "alice",
      orderId: "first",
      validUntil: 0,
      messages: [{ hash: "a", purpose: "swap", signatures: 1, most: 9n }],
      revision: 1,
    } as const;
    const children = new Map([["first", { ledger, ended: undefined }]]);
    const life = { ...endedAs("expired").life, networkFee: 25_000n };
    const order = childOf("first", 0, { life });
    const slots = [slot("first", "a", { state: "lapsed", receipts: [failed("a")] })];
    const view = { orders: [order], slots, children } as unknown as Partial<LaneView<Sol>>;
    const { ended: written } = worked(laneOf(view, { snapshots: hosts(false, 251, failed("a")) }));
    const dead = [{ child: "first", how: "failed", block: 120, final: true, paid: 25_000n }];
    const expiresAt = terms.expiresAt + 86_400;
    expect(written).toEqual([{ orderId: parentId, dead, revision: 1, expiresAt }]);
  });
});
