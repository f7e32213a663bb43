import { describe, expect, it } from "vitest";
import {
  deathOf,
  deepNumbers,
  fillBlockOf,
  type NonceWord,
  type SignedNonce,
} from "../../../../lib/chains/evm/rules/death.ts";
import type { Block } from "../../../../lib/orders/block.ts";

const signed: SignedNonce = { nonce: 5, deadline: 1000, swaps: ["s1", "s2"], clears: ["c1"] };

const block = (number: number, time = 1000 + number, fork = ""): Block => ({
  number,
  hash: `b${number}${fork}`,
  time,
});

const word = (changes: Partial<NonceWord> = {}): NonceWord => ({
  head: block(12),
  final: 0,
  receipts: new Map(),
  ...changes,
});

const receipt = (hash: string, status: "ok" | "failed" = "failed", at = block(10)): Partial<NonceWord> => ({
  receipts: new Map([[hash, { block: at, status }]]),
});

const death = (a: Partial<NonceWord> | undefined, b = a) =>
  deathOf("eth", signed, [a && word(a), b && word(b)]);
const died = (how: string) => ({ how, block: { number: 10, hash: "b10" } });

describe("deathOf", () => {
  it.each<[string, Partial<NonceWord>, string]>([
    ["its failed swap", receipt("s2"), "failed"],
    ["its clear", receipt("c1", "ok"), "cleared"],
    ["its nonce unused in a block past the deadline", { state: { block: block(10), nonce: 5 } }, "unused"],
    ["the blocks up to its deadline, none of which has it", { missed: block(10) }, "unused"],
    ["another program's transaction at its nonce", { taken: { block: block(10), hash: "x" } }, "foreign"],
  ])("takes %s in a lasting block of both hosts as proof", (_, seen, how) => {
    expect(death(seen)).toEqual(died(how));
    expect(death(seen, {})).toBeUndefined();
    expect(death({}, seen)).toBeUndefined();
    expect(deathOf("eth", signed, [word(seen), undefined])).toBeUndefined();
    expect(deathOf("eth", signed, [undefined, word(seen)])).toBeUndefined();
  });

  it.each<[string, Partial<NonceWord>]>([
    ["nothing but a past deadline", { head: block(500) }],
    ["a receipt of a swap that filled", receipt("s1", "ok")],
    ["an unused nonce in a block at the deadline", { state: { block: block(10, 1000), nonce: 5 } }],
    ["the blocks before its deadline, none of which has it", { missed: block(10, 1000) }],
    ["a nonce that is used past the deadline", { state: { block: block(10), nonce: 6 } }],
    ["its own swap at its nonce", { taken: { block: block(10), hash: "s1" } }],
    ["a failed swap under one further block", receipt("s1", "failed", block(11))],
    ["a receipt of another transaction", receipt("x")],
  ])("takes %s for no proof", (_, seen) => {
    expect(death(seen)).toBeUndefined();
  });

  it("requires the same proof in the same block from both hosts", () => {
    expect(death(receipt("s1"), receipt("s1", "failed", block(10, 1010, "'")))).toBeUndefined();
    expect(death(receipt("s1"), receipt("c1", "ok"))).toBeUndefined();
  });

  it("finds no death while one host has a fill", () => {
    const both = new Map([...(receipt("s1").receipts ?? []), ...(receipt("s2", "ok").receipts ?? [])]);
    expect(death(receipt("s1"), { receipts: both })).toBeUndefined();
  });

  it("requires each host's own head far enough above the block", () => {
    expect(death(receipt("s1"), { ...receipt("s1"), head: block(11) })).toBeUndefined();
  });

  it("waits 10 seconds on base, and for finality on bsc and avax", () => {
    const on = (chain: "base" | "bsc" | "avax", changes: Partial<NonceWord>) => {
      const seen = word({ ...receipt("s1"), ...changes });
      return deathOf(chain, signed, [seen, seen]) !== undefined;
    };
    expect([1019, 1020].map((time) => on("base", { head: block(99, time), final: 99 }))).toEqual([
      false,
      true,
    ]);
    for (const chain of ["bsc", "avax"] as const)
      expect([9, 10].map((final) => on(chain, { head: block(99), final }))).toEqual([false, true]);
  });
});

describe("deepNumbers", () => {
  it("lists blocks that both hosts have, as deep as a proof must be", () => {
    const words = [word({ head: block(99), final: 90 }), word({ head: block(97), final: 93 })];
    expect((["eth", "bsc", "avax"] as const).map((chain) => deepNumbers(chain, words))).toEqual([
      [95],
      [90],
      [90],
    ]);
    expect(deepNumbers("base", words)).toEqual([92, 87, 77]);
  });
});

describe("fillBlockOf", () => {
  const filled = (a: Partial<NonceWord>, b: Partial<NonceWord>) => fillBlockOf(signed, [word(a), word(b)]);

  it("returns the block in which both hosts have a swap of the ledger", () => {
    expect(filled(receipt("s2", "ok"), receipt("s2", "ok"))).toEqual({ number: 10, hash: "b10" });
  });

  it("returns nothing for one host, two blocks, a failed swap or a clear", () => {
    expect(filled(receipt("s1", "ok"), {})).toBeUndefined();
    expect(filled(receipt("s1", "ok"), receipt("s1", "ok", block(10, 1010, "'")))).toBeUndefined();
    expect(filled(receipt("s1"), receipt("s1"))).toBeUndefined();
    expect(filled(receipt("c1", "ok"), receipt("c1", "ok"))).toBeUndefined();
  });
});
