import { describe, expect, it } from "vitest";
import type { Evm } from "../../lib/chains/evm/rules/family.ts";
import { type Book, emptyBook } from "../../lib/orders/book.ts";
import { judgeDepartures, mostOwners } from "../../lib/orders/departures.ts";
import { nothingHeld } from "../../lib/orders/holding.ts";
import type { LaneState } from "../../lib/orders/lane-core.ts";
import { afterStep } from "../../lib/orders/lane-steps.ts";

const lane = { chain: "eth", wallet: "0xA1", jobs: 0, holder: "run" } as const;
const tokens = Array.from({ length: 60 }, (_, index) => `0x${index}`);
const { closedAt: _, ...open } = nothingHeld;

const book = (token: string, userID = "ann"): Book => ({
  ...emptyBook({ ...lane, userID, token }, { symbol: "T/ETH", decimals: 18 }),
  base: { ...open, ordinal: 1, amount: 5n, cost: 2n, entry: { amount: 5n, cost: 2n } },
});

describe("tokens that leave a wallet", () => {
  // Simulates Solana, where both hosts answer about final slots.
  const core = { departures: { seenIn: () => [], areFinal: () => true } };

  it("shrinks the positions of all users who share a wallet in one transaction", () => {
    const [token = ""] = tokens;
    const held = new Map([[token, 1n]]);
    const books = Array.from({ length: mostOwners }, (_, index) => book(token, `user${index}`));
    const view = { lane, orders: [], books, missed: [token] };
    const state = { view, snapshots: [{ held }, { held }], holder: "run", nowMs: 0 } as unknown as LaneState;
    const { step } = judgeDepartures(core, state);
    expect(step.length + step.filter(({ of }) => of === "position").length).toBeLessThanOrEqual(100);
    const left = afterStep(state.view, step).books.map(({ base }) => base.amount);
    expect(left.reduce((sum, amount) => sum + amount)).toBe(1n);
  });

  it("closes all positions of an emptied wallet in transactions of at most 100 items", () => {
    const held = new Map(tokens.map((token) => [token, 0n]));
    const view = { lane, orders: [], books: tokens.map((token) => book(token)), missed: tokens };
    let state = { view, snapshots: [{ held }, { held }], holder: "run", nowMs: 0 } as unknown as LaneState;
    const sizes: number[] = [];
    for (let step = judgeDepartures(core, state).step; step.length > 0; ) {
      // Each position is stored twice.
      sizes.push(step.length + step.filter(({ of }) => of === "position").length);
      state = { ...state, view: afterStep(state.view, step) };
      step = judgeDepartures(core, state).step;
    }
    expect(sizes.every((size) => size <= 100)).toBe(true);
    expect(state.view.books.map(({ base }) => base.closedAt)).not.toContain(undefined);
  });
});

describe("a token that was reported missing", () => {
  const [token = ""] = tokens;
  const core = { departures: { seenIn: () => [{ number: 9, hash: "0x9" }], areFinal: () => true } };
  const note = {
    token,
    held: "3",
    revisions: { ann: book(token).revision },
    seenIn: [{ number: 8, hash: "0x8" }],
  };
  const stateWith = (...snapshots: (object | undefined)[]) => {
    const view = { lane: { ...lane, watch: { departures: [note] } }, orders: [] };
    const missed = { books: [book(token)], missed: [token] };
    return { view: { ...view, ...missed }, snapshots, holder: "run", nowMs: 0 } as unknown as LaneState<Evm>;
  };

  it("makes no new note of a missing token right after its position has shrunk", () => {
    const held = new Map([[token, 2n]]);
    const state = stateWith({ held }, { held });
    const { step, noted } = judgeDepartures(core, state);
    expect(noted).toEqual([]);
    const view = afterStep(state.view, step);
    expect(view.books[0]?.base.amount).toBe(3n);
    expect(judgeDepartures(core, { ...state, view })).toEqual({ step: [], noted: [] });
  });

  it("keeps the note of a missing token while a host is silent, but not if the token itself does not answer", () => {
    const held = new Map([[token, 2n]]);
    for (const silent of [undefined, {}])
      expect(judgeDepartures(core, stateWith({ held }, silent)).noted).toEqual([note]);
    for (const silent of [
      [{ held }, { held: new Map() }],
      [{ held: new Map() }, { held }],
    ])
      expect(judgeDepartures(core, stateWith(...silent))).toEqual({ step: [], noted: [] });
  });

  it("keeps a position while one of two hosts shows the whole balance in a final block", () => {
    const sure = { departures: { seenIn: () => [], areFinal: () => true } };
    const [all, none] = [new Map([[token, 5n]]), new Map([[token, 0n]])];
    for (const [a, b] of [
      [all, none],
      [none, all],
    ])
      expect(judgeDepartures(sure, stateWith({ held: a }, { held: b }))).toEqual({ step: [], noted: [] });
  });

  it("ignores balances that may be older than a fill settled in the same run", () => {
    const held = new Map(tokens.map((each) => [each, 0n]));
    const state = stateWith({ held }, { held });
    const others = tokens.slice(0, 2);
    const orders = [{ intent: { orderId: "o1", token } }];
    const view = {
      ...state.view,
      orders,
      jobs: [],
      books: others.map((each) => book(each)),
      missed: others,
    } as never;
    const settle = { kind: "remove", of: "job", item: { ...lane, orderId: "o1" }, when: { orderId: "o1" } };
    const after = afterStep(view, [settle as never]) as LaneState<Evm>["view"];
    expect(after.orders).toEqual([]);
    const sure = { departures: { seenIn: () => [], areFinal: () => true } };
    const { step, noted } = judgeDepartures(sure, { ...state, view: after });
    const shrunk = step.flatMap((write) =>
      write.kind === "put" && write.of === "book" ? [write.item.token] : [],
    );
    expect(shrunk).toEqual([others[1]]);
    expect(noted).toEqual([]);
  });
});
