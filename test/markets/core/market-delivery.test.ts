import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  composer,
  type MarketMessage,
  type Markets,
  phaseOf,
  phases,
} from "../../../lib/markets/core/market-delivery.ts";
import type { MarketRecord } from "../../../lib/markets/core/market-record.ts";
import type { FollowedToken } from "../../../lib/markets/core/market-subscription.ts";
import { price } from "../../support/executions.ts";

const time = "2026-11-21T09:05:00.000Z";
const heads = { base: { block: 57, time }, eth: { block: 9, time } };

const token = (name: string, chain: "base" | "sol" = "base"): FollowedToken => ({ chain, token: name });
const record = (name: string, block = 1): MarketRecord => ({
  ...token(name),
  chain: "base",
  flags: [],
  revision: 0,
  block,
  asOf: time,
});
const at = (changedAtMs: number, name = "0xa") => ({ record: record(name), changedAtMs });

const markets = (changes: Partial<Markets> = {}): Markets => ({
  atMs: 10_000,
  heads,
  coins: [],
  records: [],
  fast: { sinceMs: 9000, least: "changes" },
  slow: { sinceMs: 5000, least: "changes", phase: 0 },
  newConnections: [],
  listSinceMs: 0,
  ...changes,
});

const fast = { connectionId: "c1", every: 1, tokens: [token("0xa"), token("0xb")] } as const;
/** Connections in every phase. */
const slow = Array.from({ length: phases }, (_, phase) => {
  const ids = Array.from({ length: 100 }, (_, index) => `s${index}=`);
  return {
    connectionId: `${ids.find((id) => phaseOf(id) === phase)}`,
    every: 5,
    tokens: fast.tokens,
  } as const;
});

const tokensIn = (message: MarketMessage | undefined) => message?.records.map((each) => each.record.token);

describe("composer", () => {
  it("selects a connection's own changed tokens, and the heads of their chains", () => {
    const records = [at(9001), at(9000, "0xb"), at(9500, "0xc")];
    expect(composer(markets({ records }))(fast)).toEqual({
      heads: { base: heads.base },
      coins: [],
      records: [{ record: record("0xa"), hasMinutes: false }],
    });
  });

  it("distinguishes equal addresses on two chains", () => {
    const message = composer(markets({ records: [at(9001)] }));
    expect(message({ ...fast, tokens: [token("0xa", "sol")] })).toBeUndefined();
  });

  it("includes minute candles for tokens that are followed with candles", () => {
    const tokens = [{ ...token("0xa"), candles: true }, token("0xb")] as const;
    const message = composer(markets({ records: [at(9001), at(9001, "0xb")] }))({ ...fast, tokens });
    expect(message?.records.map(({ hasMinutes }) => hasMinutes)).toEqual([true, false]);
  });

  it("selects changed coins for each connection, even without tokens", () => {
    const [eth, avax] = [price({ chain: "eth" }), price({ chain: "avax" })];
    const coins = [
      { price: eth, changedAtMs: 9001 },
      { price: avax, changedAtMs: 9000 },
    ];
    const message = composer(markets({ coins }))({ ...fast, tokens: [] });
    expect(message).toEqual({ heads: {}, coins: [eth], records: [] });
  });

  it("selects nothing if nothing has changed, unless heads are due", () => {
    expect(composer(markets({ records: [at(9000)] }))(fast)).toBeUndefined();
    const due = markets({ fast: { sinceMs: 9000, least: "heads" } });
    expect(composer(due)(fast)).toEqual({ heads: { base: heads.base }, coins: [], records: [] });
    expect(composer(due)({ ...fast, tokens: [token("0xa", "sol")] })).toBeUndefined();
    expect(slow.map((each) => composer(due)(each))).toEqual(Array(phases).fill(undefined));
  });

  it("selects everything when it is due, and for each new connection", () => {
    const records = [at(1), at(1, "0xb"), at(1, "0xc")];
    const all = markets({ records, fast: { sinceMs: 9000, least: "everything" } });
    expect(tokensIn(composer(all)(fast))).toEqual(["0xa", "0xb"]);
    expect(slow.map((each) => composer(all)(each))).toEqual(Array(phases).fill(undefined));
    const newConnections = slow.map(({ connectionId }) => connectionId);
    const ofNew = composer(markets({ records, newConnections }));
    expect(slow.map((each) => tokensIn(ofNew(each)))).toEqual(Array(phases).fill(["0xa", "0xb"]));
    expect(ofNew(fast)).toBeUndefined();
  });

  it("serves connections with the slow pace in their phase, with the changes since their own last delivery", () => {
    const records = [at(5001), at(5000, "0xb")];
    for (const phase of slow.keys()) {
      const message = composer(markets({ records, slow: { sinceMs: 5000, least: "changes", phase } }));
      const selected = slow.map((each) => tokensIn(message(each)));
      expect(selected).toEqual(slow.map((_, index) => (index === phase ? ["0xa"] : undefined)));
      expect(message(fast)).toBeUndefined();
    }
  });

  it("brings each connection the last state of its tokens, however many deliveries fail", () => {
    const second = fc.record({ changed: fc.subarray(["0xa", "0xb", "0xc"]), isLost: fc.boolean() });
    fc.assert(
      fc.property(
        fc.array(second, { maxLength: 30 }),
        fc.constantFrom(fast, ...slow),
        (seconds, recipient) => {
          const newest = new Map<string, { record: MarketRecord; changedAtMs: number }>();
          const seen = new Map<string, number>();
          const sinceMs = { fast: 0, slow: slow.map(() => 0) };
          const calm = Array.from({ length: phases }, () => ({ changed: [] as string[], isLost: false }));
          for (const [index, { changed, isLost }] of [...seconds, ...calm].entries()) {
            const atMs = (index + 1) * 1000;
            for (const name of changed) newest.set(name, { record: record(name, index), changedAtMs: atMs });
            if (isLost) continue;
            const phase = index % phases;
            const message = composer(
              markets({
                records: [...newest.values()],
                fast: { sinceMs: sinceMs.fast, least: "changes" },
                slow: { sinceMs: sinceMs.slow[phase] ?? 0, least: "changes", phase },
              }),
            )(recipient);
            for (const each of message?.records ?? []) seen.set(each.record.token, each.record.block);
            sinceMs.fast = atMs;
            sinceMs.slow[phase] = atMs;
          }
          newest.delete("0xc");
          expect(seen).toEqual(new Map([...newest].map(([name, each]) => [name, each.record.block])));
        },
      ),
    );
  });
});

describe("phaseOf", () => {
  it("spreads connections evenly over the phases", () => {
    const counts = Array.from({ length: phases }, () => 0);
    for (let index = 0; index < 1000; index++) {
      const phase = phaseOf(btoa(`${index * 7919}`));
      counts[phase] = (counts[phase] ?? 0) + 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(100);
  });
});
