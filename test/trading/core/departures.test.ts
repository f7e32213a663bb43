import { describe, expect, it } from "vitest";
import { type Book, emptyBook } from "../../../lib/trading/core/book.ts";
import { judgeDepartures } from "../../../lib/trading/core/departures.ts";
import { nothingHeld } from "../../../lib/trading/core/holding.ts";
import type { LaneState } from "../../../lib/trading/core/lane-core.ts";
import { afterStep } from "../../../lib/trading/core/lane-steps.ts";

const lane = { chain: "eth", wallet: "0xA1", jobs: 0, holder: "run" } as const;
const tokens = Array.from({ length: 60 }, (_, index) => `0x${index}`);
const { closedAt: _, ...open } = nothingHeld;

const book = (token: string): Book => ({
  ...emptyBook({ ...lane, userID: "ann", token }, { symbol: "T/ETH", decimals: 18 }),
  base: { ...open, ordinal: 1, amount: 5n, cost: 2n, entry: { amount: 5n, cost: 2n } },
});

describe("tokens that leave a wallet together", () => {
  it("close all positions, in transactions of at most 100 items", () => {
    const held = new Map(tokens.map((token) => [token, 0n]));
    const view = { lane, orders: [], books: tokens.map(book), missed: tokens };
    let state = { view, snapshots: [{ held }, { held }], holder: "run", nowMs: 0 } as unknown as LaneState;
    const sizes: number[] = [];
    // As on Solana, where both hosts answer about final slots.
    const core = { departures: { seenIn: () => [], areFinal: () => true } };
    for (let step = judgeDepartures(core, state).step; step.length > 0; ) {
      // A position is stored twice.
      sizes.push(step.length + step.filter(({ of }) => of === "position").length);
      state = { ...state, view: afterStep(state.view, step) };
      step = judgeDepartures(core, state).step;
    }
    expect(sizes.every((size) => size <= 100)).toBe(true);
    expect(state.view.books.map(({ base }) => base.closedAt)).not.toContain(undefined);
  });
});
