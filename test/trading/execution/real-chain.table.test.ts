import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { coinDecimals, unitsFrom } from "../../../lib/trading/core/decimal-text.ts";
import { readListed } from "../../../lib/trading/items/listed-executions.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { startTestChain, type TestChain } from "../../support/local-chain.ts";
import { openDesk, type TradingDesk } from "../../support/trading-desk.ts";

const db = tableForTests();
const userID = "alice";

let chain: TestChain;
let desk: TradingDesk;

beforeAll(async () => {
  chain = await startTestChain();
  desk = await openDesk(db.table, chain, { userID });
});
afterAll(() => chain.close());

describe("an order on a real chain", () => {
  it("buys what was quoted, sells all of it, and reports both to the unit", async () => {
    const { orderId: buy } = await desk.place({ amount: "0.5" });
    expect(await desk.watchAndWork()).toBe(true);
    expect(await desk.watchAndWork()).toBe(false);
    await desk.settle();
    expect(await desk.read(buy)).toMatchObject({
      order: { status: "filled", settled: true, stage: "done", receivedAmount: "4960.273038901078125544" },
      attempts: [{ purpose: "swap", nonce: 0, submission: "public", outcome: "mined" }],
      report: { spent: { token: "native", amount: "0.5" }, slippage: 0, approvalLeft: "0" },
    });
    expect(await desk.held()).toBe(4_960_273_038_901_078_125_544n);

    const before = await desk.coins();
    const { orderId: sell } = await desk.place({ side: "sell", percent: 100 });
    await desk.watchAndWork();
    await desk.settle();
    const sold = await desk.read(sell);
    expect(sold).toMatchObject({
      order: { status: "filled", settled: true, percent: 100, filledAmount: "4960.273038901078125544" },
      attempts: [
        { purpose: "approve", nonce: 1, outcome: "mined" },
        { purpose: "swap", nonce: 2, outcome: "mined" },
      ],
      report: { approvalLeft: "0" },
    });
    expect(await desk.held()).toBe(0n);
    const wei = (text = "") => unitsFrom(text, coinDecimals, "amount");
    const { receivedAmount, networkFee } = sold.order;
    expect((await desk.coins()) - before).toBe(wei(receivedAmount) - wei(networkFee));
    const { executions } = await readListed(db.table, { userID, kind: "position" }, { filter: {}, limit: 9 });
    expect(executions).toMatchObject([{ status: "closed", settled: true, amount: "0", cost: "0" }]);
  });
});
