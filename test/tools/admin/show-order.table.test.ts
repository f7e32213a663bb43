import { describe, expect, it } from "vitest";
import { waitingFor } from "../../../lib/orders/lane-reservation.ts";
import { executionKey } from "../../../lib/trading/items/keys.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { itemsNamed, putItems } from "../../support/items.ts";
import { LaneBench } from "../../trading/execution/support/lane-bench.ts";
import { run } from "./support/admin.ts";

const db = tableForTests();

const show = (userID: string, orderId: string) =>
  run({ table: db.table } as never, ["show-order", userID, orderId]);

/** Parses the facts below each title, by name. */
function sheetOf(out: string): Record<string, Record<string, string>> {
  const sections: [string, Record<string, string>][] = [];
  for (const line of out.trimEnd().split("\n")) {
    const [, name, value] = /^ {2}(\S+(?: at \d+)?) +(.*)$/.exec(line) ?? [];
    if (name === undefined) sections.push([line, {}]);
    else Object.assign(sections.at(-1)?.[1] ?? {}, { [name]: value });
  }
  return Object.fromEntries(sections);
}

async function placed() {
  const bench = await new LaneBench(db.table).open();
  const request = bench.request({ side: "sell" });
  await bench.place(request);
  const shown = async () => sheetOf((await show(bench.userID, request.orderId)).out);
  return { bench, request, shown };
}

describe("show-order", () => {
  it("shows an order from its placement to its settlement", async () => {
    const { bench, request, shown } = await placed();
    const queued = await shown();
    expect(queued).toMatchObject({
      order: {
        orderId: request.orderId,
        side: "sell",
        status: "open",
        stage: "queued",
        clientOrderId: "k-1",
      },
      // The placing reserves a new lane, and plans its first transaction.
      intent: { user: bench.userID, approveNonces: "0", swapNonce: "none", gasPreset: "medium" },
      lane: {
        job: "in the lane until it settles",
        jobs: "1",
        holder: waitingFor(request.orderId),
      },
      ledger: { signed: "nothing" },
    });
    expect(Object.keys(queued)).toEqual(["order", "intent", "lane", "slot 0", "ledger"]);

    await bench.work();
    const approving = await shown();
    expect(approving).toMatchObject({
      order: { stage: "approving" },
      intent: { approveNonces: "0" },
      "slot 0": { state: "signed", call: "approve" },
      "attempt 1": { purpose: "approve", nonce: "0", outcome: "pending" },
      ledger: { approveNonces: "0", swapNonce: "none" },
    });
    expect(approving.ledger?.["fees at 0"]).toMatch(/^at most .* gwei, tip /);

    for (let blocks = 0; blocks < 40 && !bench.isDone; blocks++) {
      bench.mine();
      await bench.work();
    }
    const settled = await shown();
    expect(settled).toMatchObject({
      order: { status: "filled", settled: "true" },
      lane: { job: "none: it has settled", jobs: "none: the lane has ended" },
      "attempt 1": { purpose: "approve", outcome: "mined" },
      report: {
        received: expect.stringMatching(/^[\d.]+ ETH$/),
        networkFee: expect.stringMatching(/^total [\d.]+ ETH, /),
        block: expect.stringMatching(/^\d+ at 20/),
      },
    });
    expect(settled).not.toHaveProperty("slot 0");
  });

  it("shows whether the signer has recorded the cancellation", async () => {
    const { bench, request, shown } = await placed();
    expect((await shown()).ledger).toMatchObject({ cancelled: "no" });
    await bench.cancel(request.orderId);
    expect((await shown()).ledger?.cancelled).toMatch(/^yes/);
  });

  it("shows the holder of a lane and the end of its lease", async () => {
    const { bench, shown } = await placed();
    const { reached, goOn } = bench.stopAt("sign", 1);
    const work = bench.work();
    await reached;
    const { lane, ...rest } = await shown();
    expect(lane).toMatchObject({ leaseUntil: new Date(bench.nowMs + 30_000).toISOString() });
    expect(lane?.holder).toMatch(/^[0-9a-f-]{36}$/);
    expect(rest).toMatchObject({ "slot 0": { state: "planned" } });
    goOn();
    await work;
  });

  it("never shows the bytes of a transaction", async () => {
    const { bench, request } = await placed();
    await bench.work();
    const raws = (await itemsNamed(db.table, `BYTES#eth#${bench.lane.wallet}`)).map(({ raw }) => raw);
    expect(raws).toHaveLength(1);
    const { out } = await show(bench.userID, request.orderId);
    for (const raw of raws) expect(out).not.toContain(raw);
  });

  it("shows the record of another engine's order", async () => {
    await putItems(db.table, [
      {
        ...executionKey("bob", "order", "o-1"),
        orderId: "o-1",
        userID: "bob",
        status: "open",
        symbol: "A\u0007",
      },
    ]);
    expect(sheetOf((await show("bob", "o-1")).out)).toEqual({
      "order of another engine": { orderId: "o-1", status: "open", symbol: "A\u{FFFD}" },
    });
  });

  it("fails if the user has no such order", async () => {
    const { request } = await placed();
    expect(await show("bob", request.orderId)).toEqual({
      code: 1,
      out: "",
      err: `error: User bob has no order ${request.orderId}\n`,
    });
  });
});
