import { type LocalSolRelay, startSolRelay } from "trading-terminal-devnet/sol/sol-relay";
import { slotMs } from "trading-terminal-devnet/sol/test-surfnet";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { RestData } from "../../../lib/client/index.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { openSolDesk, type SolDesk } from "../../support/sol-desk.ts";
import { solDeskForTests } from "../../support/sol-reader.ts";

const db = tableForTests();

const { chain, hosts } = solDeskForTests();
let relay: LocalSolRelay;
/** Transactions that the relay has sent to the chain. */
let relayed: string[];
/** Transactions that the hosts received. */
let published: string[];

beforeAll(async () => {
  const node = {
    request: chain.request,
    issuedIn: () => undefined,
    named: () => [],
    async replyTo({ method, params }: { method: string; params: readonly unknown[] }) {
      relayed.push(String(params[0]));
      return { result: await chain.request(method, params) };
    },
  };
  relay = await startSolRelay({ node, slotMs, tipAccounts: chain.deployment.tipAccounts });
});
afterAll(() => relay.close());
beforeEach(() => {
  relay.faults = {};
  [relayed, published] = [[], []];
  for (const host of hosts)
    host.lie = (method, result, [raw]) => {
      if (method === "sendTransaction") published.push(String(raw));
      return result;
    };
});

async function open(): Promise<SolDesk> {
  const { tipAccounts } = chain.deployment;
  const configuration = { relay: { url: relay.url, tipAccounts, leastTip: "0.000001" } };
  return openSolDesk({ table: db.table, chain, hosts }, { configuration });
}

async function place(desk: SolDesk): Promise<string> {
  const placed = await desk.ask({ amount: "1", mevProtection: true });
  if (!("order" in placed)) throw new Error("The order was not placed");
  return placed.order.orderId;
}

const read = async (desk: SolDesk, orderId: string) => (await desk.read(orderId)) as RestData<"getOrder">;

describe("a private order on sol", () => {
  it("sends a private order on sol only to the relay, and pays its tip", async () => {
    const desk = await open();
    const orderId = await place(desk);
    await desk.work();
    await desk.settle();
    const { order, attempts } = await read(desk, orderId);
    expect(order).toMatchObject({ status: "filled", filledAmount: "1", networkFee: "0.000165" });
    expect(attempts).toMatchObject([{ submission: "private", outcome: "mined", tip: "0.000048" }]);
    expect(new Set(relayed).size).toBe(1);
    expect(published).toEqual([]);
    expect(desk.landings).toEqual([{ path: "private", signed: 1, landed: 1 }]);
  });

  it("fills a private order through a relay that takes it without answering", async () => {
    relay.faults = { silent: 1 };
    const desk = await open();
    const orderId = await place(desk);
    await desk.work();
    await desk.settle();
    expect((await read(desk, orderId)).order).toMatchObject({ status: "filled" });
    expect(published).toEqual([]);
  });

  it("keeps an order private while the relay is silent, and finally expires it", async () => {
    relay.faults = { stalled: 1 };
    const desk = await open();
    const orderId = await place(desk);
    const waiting = { stage: "waiting", reasonCode: "RELAY_UNAVAILABLE" };
    // Two hosts may take some time to agree on a busy machine.
    await vi.waitFor(async () => {
      await desk.work();
      expect((await read(desk, orderId)).order).toMatchObject(waiting);
    }, 30_000);
    // Checks that nothing more is signed.
    desk.aheadMs = 120_000;
    await desk.settle();
    const { order, attempts } = await read(desk, orderId);
    expect(order).toMatchObject({
      status: "expired",
      reasonCode: "RELAY_UNAVAILABLE",
      settled: true,
      filledAmount: "0",
      networkFee: "0",
    });
    for (const attempt of attempts)
      expect(attempt).toMatchObject({ submission: "private", outcome: "expired" });
    expect([relayed, published]).toEqual([[], []]);
    expect(await desk.coins()).toBe(10n ** 10n);
    expect(attempts.length).toBeGreaterThan(0);
    expect(desk.landings).toEqual([{ path: "private", signed: attempts.length, landed: 0 }]);
  });
});
