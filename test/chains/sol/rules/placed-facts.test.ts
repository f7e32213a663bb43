import bs58 from "bs58";
import { describe, expect, it } from "vitest";
import { solLane } from "../../../../lib/chains/sol/lane.ts";
import type { Sol } from "../../../../lib/chains/sol/rules/family.ts";
import type { SolPayingRoute, SolWalletFacts } from "../../../../lib/chains/sol/rules/host-snapshot.ts";
import type { SolIntent } from "../../../../lib/chains/sol/rules/intent.ts";
import { solFactsIn, solFactsText } from "../../../../lib/chains/sol/rules/placed-facts.ts";
import type { LaneView } from "../../../../lib/orders/effects.ts";
import type { PlacedFacts } from "../../../../lib/orders/placed-facts.ts";
import { type TradeOrder, unstarted } from "../../../../lib/orders/trade-order.ts";
import { factsOf, intentOf, jupiterRoute, nowMs, orderOf, slotOf, stateOf, viewOf } from "../fixtures.ts";

type Hosts = PlacedFacts<SolWalletFacts>["hosts"];

const setup = "Xw3-_a9Qk0Z";
const addressOf = (byte: number) => bs58.encode(new Uint8Array(32).fill(byte));
const hash = addressOf(7);
const [table, vault] = [addressOf(8), addressOf(9)];

type Changes = Partial<SolWalletFacts> & { facts?: Parameters<typeof factsOf>[0] };
const host = ({ facts, ...changes }: Changes = {}): SolWalletFacts => ({
  slot: 451_234_567,
  coins: 1_000_000_000n,
  blockhash: { hash, lastValidBlockHeight: 429_876_543 },
  order: factsOf(facts),
  ...changes,
});
const paying = (route: SolPayingRoute, changes: Changes = {}) =>
  host({ ...changes, facts: { ...changes.facts, routes: [route] } });

const curve = { table, vault, isMayhem: true };
const pumpPool = { table, vault, isMayhem: false, hasCreator: true, hasCashback: false };
const onCurve = { venue: "pump", pool: "curve" } as const;
const onPump = { venue: "pumpswap", pool: "pump pool" } as const;
const ofCurve = intentOf({ routes: [onCurve, onPump] });
const ofPump = intentOf({ routes: [onPump] });
const ofSale = intentOf({ side: "sell", amount: 60n });
const selling = (held: bigint) => host({ facts: { held } });
const textOf = (hosts: Hosts, jobs = 1) => solFactsText({ setup, jobs, hosts });

describe("solFactsIn", () => {
  it.each<[string, SolIntent, Hosts]>([
    ["a buy", intentOf(), [host(), host()]],
    ["hosts at different slots", intentOf(), [host(), host({ slot: 451_234_570, coins: 2n ** 64n - 1n })]],
    ["a sale", ofSale, [selling(60n), selling(0n)]],
    [
      "a trade on a curve",
      ofCurve,
      [paying({ ...onCurve, curve, amountOut: 90n }), paying({ ...onCurve, curve, amountOut: 91n })],
    ],
    [
      "a buy of all that is left on a curve",
      ofCurve,
      [
        paying({ ...onCurve, curve: { ...curve, rest: 90n }, amountOut: 90n }),
        paying({ ...onCurve, curve: { ...curve, isMayhem: false }, amountOut: 90n }),
      ],
    ],
    [
      "a trade in PumpSwap's pool",
      ofPump,
      [
        paying({ ...onPump, pumpPool, amountOut: 90n }),
        paying({ ...onPump, pumpPool: { ...pumpPool, hasCashback: true }, amountOut: 90n }),
      ],
    ],
  ])("reads the text that solFactsText has written for %s", (_, of, hosts) => {
    expect(solFactsIn(textOf(hosts), of)).toEqual({ setup, jobs: 1, hosts });
  });

  it("keeps a job below 1 KB", () => {
    const route = { ...onPump, pumpPool, amountOut: 2n ** 63n };
    expect(textOf([paying(route), paying(route, { coins: 1n })]).length).toBeLessThan(600);
  });

  const text = textOf([host(), host({ coins: 1n })]);
  const onCurveText = textOf([
    paying({ ...onCurve, curve, amountOut: 90n }),
    paying({ ...onCurve, curve, amountOut: 90n }),
  ]);

  it.each([
    ["nothing", ""],
    ["a third host", `${text}|1`],
    ["a part of a host", text.slice(0, text.lastIndexOf(","))],
    ["one more value", `${text},1`],
    ["a negative amount", text.replace("1000000000", "-1000000000")],
    ["a fraction", text.replace("1000000000", "0.1")],
    ["a word", text.replace("1000000000", "constructor")],
    ["a missing amount", text.replace("1000000000", "")],
    ["more lamports than 64 bits", text.replace("1000000000", String(2n ** 64n))],
    ["a height beyond the numbers of JavaScript", text.replace("429876543", "9007199254740993")],
    ["a blockhash of 31 bytes", text.replaceAll(hash, bs58.encode(new Uint8Array(31).fill(7)))],
    ["a blockhash that is no base58", text.replaceAll(hash, "0OIl")],
    ["tokens of a buy", text.replace(",1000000000,,", ",1000000000,5,")],
    ["the state of a curve", onCurveText],
  ])("rejects stored facts with %s", (_, other) => {
    expect(other).not.toBe(text);
    expect(solFactsIn(other, intentOf())).toBeUndefined();
  });

  it.each([
    ["no state of the curve", text],
    ["another flag", onCurveText.replaceAll(`${vault},1,`, `${vault},2,`)],
    ["an invented vault", onCurveText.replaceAll(vault, "vault")],
    ["a negative rest", onCurveText.replace(/$/, "-1")],
  ])("rejects stored facts about a curve with %s", (_, other) => {
    expect(other).not.toBe(onCurveText);
    expect(solFactsIn(other, ofCurve)).toBeUndefined();
  });

  it("rejects facts for an order whose best route is Jupiter's", () => {
    expect(solFactsIn(text, intentOf({ routes: [jupiterRoute, ...intentOf().routes] }))).toBeUndefined();
  });

  it("rejects a sale without its tokens", () => {
    expect(solFactsIn(text, ofSale)).toBeUndefined();
  });
});

describe("placed snapshots of Solana", () => {
  type Scene = {
    of?: SolIntent;
    hosts?: Hosts;
    facts?: string;
    order?: Partial<TradeOrder<Sol>>;
    others?: readonly TradeOrder<Sol>[];
    jobs?: number;
    view?: Partial<LaneView<Sol>>;
    ageMs?: number;
    setup?: string;
  };
  function seen(scene: Scene = {}) {
    const { of = intentOf(), hosts = [host(), host()], others = [], ageMs = 500 } = scene;
    const order = orderOf({ amount: of.amount, ...scene.order }, of);
    const facts = scene.facts ?? textOf(hosts, scene.jobs ?? 1 + others.length);
    const [job] = viewOf().jobs;
    const jobs = [...others.map(({ intent }) => intent), { ...job, facts }] as LaneView<Sol>["jobs"];
    const view = viewOf({ jobs, orders: [...others, order], ...scene.view });
    const { snapshots: _, ...state } = stateOf({ view, nowMs: nowMs + ageMs, isPatient: true });
    return solLane.placedSnapshots(state, scene.setup ?? setup);
  }
  const other = (status: TradeOrder["life"]["status"]) =>
    orderOf({ revision: 4, life: { ...unstarted, status } }, { orderId: "other", token: "FEEZ" });
  const living = (lastValidBlockHeight: number) => host({ blockhash: { hash, lastValidBlockHeight } });

  it.each([0, 500, 2000])("give each host's facts after %i ms", (ageMs) => {
    const life = 429_876_543;
    const [a, b] = seen({ ageMs, hosts: [living(life), living(life + 2)] }) ?? [];
    expect(a).toMatchObject({
      coins: 1_000_000_000n,
      height: { slot: 451_234_567, blockHeight: life - 150 },
    });
    expect(a?.blockhash).toEqual({ hash, lastValidBlockHeight: life });
    expect(b?.blockhash).toEqual({ hash, lastValidBlockHeight: life + 2 });
    expect(b?.orders).toEqual(new Map([["order1", factsOf()]]));
  });

  it("serve a sale of all that the order names", () => {
    expect(seen({ of: ofSale, hosts: [selling(60n), selling(60n)] })).toBeDefined();
  });

  it.each<[string, Scene]>([
    ["they are three seconds old", { ageMs: 3000 }],
    ["they are older than two seconds", { ageMs: 2001 }],
    ["they seem to come from the future", { ageMs: -1 }],
    ["the configuration has changed", { setup: "other" }],
    ["the job has none", { facts: "" }],
    ["a run has touched the order", { order: { revision: 2 } }],
    ["the order has a message", { view: { slots: [slotOf()] } }],
    [
      "a message of the wallet is not settled",
      { view: { slots: [slotOf({ orderId: "other", state: "mined" })] } },
    ],
    ["another order is open", { others: [other("open")] }],
    ["another order has expired", { others: [other("expired")] }],
    ["another order is not settled", { others: [other("filled")] }],
    ["an earlier order has gone meanwhile", { jobs: 2 }],
    ["the hosts are at slots far apart", { hosts: [host(), host({ slot: 451_234_567 + 41 })] }],
    [
      "the hosts name different blockhashes",
      { hosts: [host(), host({ blockhash: { hash: table, lastValidBlockHeight: 429_876_543 } })] },
    ],
    ["a host lies about the life of the blockhash", { hosts: [host(), living(429_876_543 + 151)] }],
    ["the hosts see different balances", { hosts: [host(), host({ coins: 999_999_999n })] }],
    [
      "a rent is too high to be true",
      { hosts: [host(), host({ facts: { rents: { ...factsOf().rents, marker: 897_841n } } })] },
    ],
    [
      "a message would have no compute units",
      { hosts: [host({ facts: { computeUnitLimit: 0 } }), host({ facts: { computeUnitLimit: 0 } })] },
    ],
    ["the base fee is above its limit", { hosts: [host({ facts: { baseFeeLamports: 5001n } }), host()] }],
    [
      "a host pays less than the minimum",
      { hosts: [host(), paying({ ...intentOf().routes[0], amountOut: 79n } as SolPayingRoute)] },
    ],
    ["the wallet cannot pay", { hosts: [host({ coins: 1n }), host({ coins: 1n })] }],
    ["the wallet holds less than the order sells", { of: ofSale, hosts: [selling(59n), selling(59n)] }],
    ["trading has stopped", { view: { isStopped: true } }],
    ["the order is being cancelled", { view: { cancelled: new Set(["order1"]) } }],
    ["its deadline has passed", { of: intentOf({ validUntil: nowMs / 1000 }) }],
  ])("are not used if %s", (_, scene) => {
    expect(seen(scene)).toBeUndefined();
  });
});
