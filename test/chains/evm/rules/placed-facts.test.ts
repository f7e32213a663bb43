import { describe, expect, it } from "vitest";
import type { Evm } from "../../../../lib/chains/evm/rules/family.ts";
import type { EvmReceipt, EvmWalletFacts } from "../../../../lib/chains/evm/rules/host-snapshot.ts";
import type { EvmIntent } from "../../../../lib/chains/evm/rules/intent.ts";
import {
  evmFactsIn,
  evmFactsText,
  placedEvmSnapshots,
} from "../../../../lib/chains/evm/rules/placed-facts.ts";
import type { LaneView } from "../../../../lib/orders/effects.ts";
import type { PlacedFacts } from "../../../../lib/orders/placed-facts.ts";
import type { TradeOrder } from "../../../../lib/orders/trade-order.ts";
import { laneView, orderFacts, routeFacts, seconds } from "../../../support/lane-states.ts";
import { intent, slot, tradeOrder, v2, v3 } from "../../../support/trading.ts";

const setup = "Xw3-_a9Qk0Z";
const hash = `0x${"b1".repeat(32)}`;
const host = (changes: Partial<EvmWalletFacts> = {}): EvmWalletFacts => ({
  latest: { number: 24_567_890, hash, time: seconds },
  nonce: { latest: 7, pending: 7 },
  coins: 10n ** 19n,
  baseFee: 1_036_280_682n,
  order: orderFacts(),
  ...changes,
});
type Hosts = PlacedFacts<EvmWalletFacts>["hosts"];
const sale = intent({ side: "sell", amount: 4_960n * 10n ** 18n });
const ofSale = (held: bigint) =>
  host({ order: orderFacts({ held, routes: [routeFacts({ allowance: 5n, wantsZeroFirst: true })] }) });

describe("evmFactsIn", () => {
  it.each<[string, EvmIntent, Hosts]>([
    ["a buy", intent(), [host(), host()]],
    [
      "a buy by two routes",
      intent(),
      [host({ order: orderFacts({ routes: [routeFacts(v3), routeFacts(v2)] }) }), host()],
    ],
    ["a sale", sale, [ofSale(10n ** 30n), ofSale(0n)]],
    [
      "a host that names a floor",
      intent(),
      [
        host({ order: orderFacts({ fees: { ...orderFacts().fees, floor: 5n } }) }),
        host({ coins: 2n ** 256n - 1n }),
      ],
    ],
  ])("reads the text that evmFactsText has written for %s", (_, of, hosts) => {
    const facts = { setup, jobs: 1, hosts };
    expect(evmFactsIn(evmFactsText(facts, of), of)).toEqual(facts);
  });

  it("leaves out routes that the order may not use", () => {
    const routes = [routeFacts(v3), routeFacts(v2)];
    const one = host({ order: orderFacts({ routes }) });
    const of = intent({ routes: [v2] });
    const read = evmFactsIn(evmFactsText({ setup, jobs: 1, hosts: [one, one] }, of), of);
    expect(read?.hosts.map(({ order }) => order.routes)).toEqual([[routes[1]], [routes[1]]]);
  });

  const text = evmFactsText({ setup, jobs: 1, hosts: [host(), host({ coins: 1n })] }, intent());

  const { gasLimit } = routeFacts();

  it("keeps a typical job below 1 KB", () => {
    const routes = [routeFacts(v3), routeFacts(v2)];
    const both = [
      host({ order: orderFacts({ routes }) }),
      host({ coins: 1n, order: orderFacts({ routes }) }),
    ] as const;
    expect(evmFactsText({ setup, jobs: 1, hosts: both }, intent()).length).toBeLessThan(600);
  });

  it.each([
    ["nothing", ""],
    ["a third host", `${text}|1`],
    ["a part of a host", text.slice(0, -2)],
    ["a negative amount", text.replace("1036280682", "-1036280682")],
    ["a fraction", text.replace("1036280682", "0.1")],
    ["a word", text.replace("1036280682", "constructor")],
    ["a missing amount", text.replace("1036280682", "")],
    ["a number beyond those of JavaScript", text.replace("24567890", "9007199254740993")],
    ["an endless number", text.replace("1036280682", "9".repeat(79))],
    ["an approval without gas", text.replaceAll(`,${gasLimit.approve},`, ",0,")],
    ["a swap without gas", text.replaceAll(`,${gasLimit.swap},`, ",0,")],
    ["a route that the order does not have", text.replaceAll(",1,4960", ",7,4960")],
  ])("rejects stored facts with %s", (_, other) => {
    expect(other).not.toBe(text);
    expect(evmFactsIn(other, intent())).toBeUndefined();
  });
});

describe("placedEvmSnapshots", () => {
  const createdMs = Date.parse(tradeOrder().placed.createdAt);
  type Scene = {
    of?: EvmIntent;
    hosts?: Hosts;
    facts?: string;
    order?: Partial<TradeOrder<Evm>>;
    others?: readonly TradeOrder<Evm>[];
    jobs?: number;
    view?: Partial<LaneView<Evm>>;
    ageMs?: number;
    setup?: string;
  };
  function seen(scene: Scene = {}) {
    const { of = intent(), hosts = [host(), host()], others = [], ageMs = 500 } = scene;
    const order = tradeOrder({ intent: of, ...scene.order });
    const facts = scene.facts ?? evmFactsText({ setup, jobs: scene.jobs ?? 1 + others.length, hosts }, of);
    const view = laneView(order);
    const jobs = [
      ...others.map(({ intent: { chain, wallet, orderId, userID, token } }) => ({
        chain,
        wallet,
        orderId,
        userID,
        token,
      })),
      ...view.jobs.map((job) => ({ ...job, facts })),
    ];
    return placedEvmSnapshots(
      { ...view, jobs, orders: [...others, order], ...scene.view },
      scene.setup ?? setup,
      createdMs + ageMs,
    );
  }
  const receipt = { hash: "0x1", block: { number: 9, hash: "0x9", time: 1 } } as EvmReceipt;
  const mined = slot({ place: 6, orderId: "other", state: "mined", receipt });
  const other = (status: TradeOrder<Evm>["life"]["status"]) =>
    tradeOrder({ intent: intent({ orderId: "other" }), revision: 4, life: { ...tradeOrder().life, status } });

  it.each([0, 500, 2000])("returns each host's facts after %i ms", (ageMs) => {
    const snapshots = seen({ ageMs, hosts: [host(), host({ coins: 3n })] });
    expect(snapshots?.map((each) => each?.coins)).toEqual([10n ** 19n, 3n]);
    expect(snapshots?.[0]).toMatchObject({ nonce: { latest: 7, pending: 7 }, latest: host().latest });
    expect(snapshots?.[1]?.orders).toEqual(new Map([[intent().orderId, orderFacts()]]));
  });

  it("includes the blocks of the wallet's earlier orders, but not their finality", () => {
    const [snapshot] = seen({ others: [other("filled")], view: { slots: [mined] } }) ?? [];
    expect(snapshot?.receipts).toEqual(new Map([["0x1", receipt]]));
    expect(snapshot?.finalized.number).toBeLessThan(receipt.block.number);
  });

  it("returns the facts by which the placing has planned the order's first transaction", () => {
    expect(slot().place).toBe(host().nonce.latest);
    expect(seen({ view: { slots: [slot()] } })).toBeDefined();
  });

  it("returns facts for a sale of all that the wallet holds", () => {
    expect(seen({ of: sale, hosts: [ofSale(sale.amount), ofSale(sale.amount)] })).toBeDefined();
  });

  it.each<[string, Scene]>([
    ["they are older than two seconds", { ageMs: 2001 }],
    ["they seem to come from the future", { ageMs: -1 }],
    ["nobody knows how old they are", { order: { placed: { ...tradeOrder().placed, createdAt: "soon" } } }],
    ["the configuration has changed", { setup: "other" }],
    ["the job has none", { facts: "" }],
    ["a run has touched the order", { order: { revision: 2 } }],
    ["the order has a transaction", { view: { slots: [slot({ state: "signed" })] } }],
    ["the order's plan is for another nonce", { view: { slots: [slot({ place: 8 })] } }],
    [
      "one host knows another next nonce than that of the order's plan",
      { view: { slots: [slot()] }, hosts: [host(), host({ nonce: { latest: 8, pending: 8 } })] },
    ],
    ["a run has planned the order", { order: { revision: 2 }, view: { slots: [slot()] } }],
    [
      "another order's transaction is planned",
      { others: [other("cancelled")], view: { slots: [slot({ orderId: "other" })] } },
    ],
    ["another order is open", { others: [other("open")] }],
    ["another order has expired", { others: [other("expired")] }],
    ["an earlier order has gone meanwhile", { jobs: 2 }],
    [
      "a transaction of the wallet is out",
      { others: [other("cancelled")], view: { slots: [slot({ ...mined, state: "signed" })] } },
    ],
    [
      "one host does not know the block of an earlier transaction",
      {
        others: [other("filled")],
        view: { slots: [mined] },
        hosts: [host(), host({ nonce: { latest: 6, pending: 7 } })],
      },
    ],
    [
      "the wallet holds less than the order sells",
      { of: sale, hosts: [ofSale(sale.amount), ofSale(sale.amount - 1n)] },
    ],
  ])("returns no facts if %s", (_, scene) => {
    expect(seen(scene)).toBeUndefined();
  });
});
