import { describe, expect, it } from "vitest";
import type { ShownPosition, TradeFacts } from "./facts.ts";
import {
  attempt,
  bought,
  chain,
  cleared,
  deadline,
  fillAgain,
  good,
  position,
  report,
  sold,
  soldOut,
  transactions,
  usdx,
  wallet,
  withAccount,
  withChain,
  withOrder,
  withPosition,
  withTransaction,
} from "./made-up-facts.ts";
import { problemsOfTrade } from "./trade-audit.ts";

describe("problemsOfTrade", () => {
  it("reports no problem if orders, positions and EVM chains agree", () => {
    expect(problemsOfTrade(good)).toEqual([]);
  });

  it.each<[problem: string, facts: TradeFacts]>([
    [
      "order buy of ann on eth never ended: it is open, sent",
      withOrder(bought, { order: { status: "open", stage: "sent" } }),
    ],
    ["order buy of ann on eth never settled", withOrder(bought, { order: { settled: false } })],
    ["order buy of ann on eth has ended in stage sent", withOrder(bought, { order: { stage: "sent" } })],
    [
      "order sold-out of ann on eth ended for no reason",
      withOrder(soldOut, { order: { reasonCode: undefined } }),
    ],
    ["order buy of ann on eth is filled, and no block has its swap", withOrder(bought, { attempts: [] })],
    [
      "order buy of ann on eth is expired, and a block has its swap",
      withOrder(bought, { order: { status: "expired", reasonCode: "NOT_INCLUDED" } }),
    ],
    [
      "order buy of ann on eth has swaps at the nonces 0, 5",
      withOrder(bought, { attempts: [attempt(0), attempt(5)] }),
    ],
    [
      "order buy of ann on eth names an attempt twice",
      withOrder(bought, { attempts: [attempt(0), attempt(0)] }),
    ],
    [
      "order buy of ann on eth has swap 0x0 as replaced instead of mined",
      withOrder(bought, { attempts: [attempt(0, { outcome: "replaced" })] }),
    ],
    [
      "order cleared of ann on eth has swap 0x1 at nonce 1 instead of clear at 1",
      withOrder(cleared, { attempts: [attempt(1)] }),
    ],
    [
      "order buy of ann on eth has filledAmount 0.9 instead of 1",
      withOrder(bought, { order: { filledAmount: "0.9" } }),
    ],
    [
      "order sell of ann on eth has receivedAmount 0.6 instead of 0.5",
      withOrder(sold, { order: { receivedAmount: "0.6" } }),
    ],
    [
      "order buy of ann on eth has txHash 0xold instead of 0x0",
      withOrder(bought, { order: { txHash: "0xold" } }),
    ],
    [
      "order sell of ann on eth has spent in its report 1 instead of 2000",
      withOrder(sold, { report: report("1", "0.5", "0.000000000000000007") }),
    ],
    [
      "order sell of ann on eth has received in its report 1 instead of 0.5",
      withOrder(sold, { report: report("2000", "1", "0.000000000000000007") }),
    ],
    [
      "order sell of ann on eth has total fee in its report 0 instead of 0.000000000000000007",
      withOrder(sold, { report: report("2000", "0.5", "0") }),
    ],
    [
      "order cleared of ann on eth has networkFee 0 instead of 0.000000000000000002",
      withOrder(cleared, { order: { networkFee: "0" } }),
    ],
    [
      "order buy of ann on eth received less than 2601",
      withOrder(bought, { order: { minAmountOut: "2601" } }),
    ],
    ["order sell of ann on eth spent more than 1999", withOrder(sold, { order: { amount: "1999" } })],
    [
      "order buy of ann on eth was filled too late",
      withOrder(bought, { order: { validUntil: "2026-11-21T20:00:59.000Z" } }),
    ],
    [
      "order sold-out of ann on eth was genuine, and the signer refused it",
      withOrder(soldOut, { order: { reasonCode: "SIGNING_REFUSED" } }),
    ],
    [
      "order cleared of ann on eth is NONCE_TAKEN without a cause on the chain",
      withOrder(cleared, { order: { status: "rejected", reasonCode: "NONCE_TAKEN" } }),
    ],
    [
      "order sold-out of ann on eth is NOT_INCLUDED without a cause on the chain",
      withOrder(soldOut, { order: { status: "expired", reasonCode: "NOT_INCLUDED" } }),
    ],
    [
      "order sold-out of ann on eth is REVERTED without a cause on the chain",
      withOrder(soldOut, { order: { reasonCode: "REVERTED" } }),
    ],
    [
      "order buy of ann on eth was filled 2 times",
      {
        ...withChain({ transactions: [...transactions, fillAgain] }),
        orders: withOrder(bought, { attempts: [attempt(0), attempt(5)] }).orders,
      },
    ],
    ["eth: the swap 0x5 of 0xA is no order's", withChain({ transactions: [...transactions, fillAgain] })],
    ["eth: the swap 0x4 of 0xA is of cleared and sell", withOrder(cleared, { attempts: [attempt(4)] })],
    ["eth: the swap 0x2 of 0xA is of cleared and foreign", withOrder(cleared, { attempts: [attempt(2)] })],
    ["eth: 0xA has -1 units of native more than its orders say", withTransaction(2, { fee: 6n })],
    [
      `eth: 0xA has 3 units of ${usdx} more than its orders say`,
      withAccount({ after: new Map([...(chain.accounts.get(wallet)?.after ?? []), [usdx, 3n]]) }),
    ],
    ["eth: a transaction of 0xA still waits in a pool", withAccount({ nonce: { latest: 5, pending: 6 } })],
    ["eth: 0xA has sent 6 transactions, not 5", withAccount({ nonce: { latest: 6, pending: 6 } })],
    ["eth: 1 units of coin and tokens were left in routers", withChain({ stray: 1n })],
    [
      "eth: 0xB may still take 5 units of 0xT from 0xA",
      withChain({ allowances: [{ wallet, token: "0xT", router: "0xB", units: 5n }] }),
    ],
    ["SLOT#3 is left in the table", { ...good, leftovers: ["SLOT#3"] }],
    ["position p of ann never settled", withPosition({ settled: false })],
    [`ann eth 0xA ${usdx} has 0 positions instead of 1`, { ...good, positions: [] }],
    [`ben eth 0xA ${usdx} has 1 positions instead of 0`, withPosition({ userID: "ben" })],
    ["position p of ann has status open instead of closed", withPosition({ status: "open" })],
    ["position p of ann has amount 1 instead of 0", withPosition({ amount: "1" })],
    ["position p of ann has cost 1 instead of 0", withPosition({ cost: "1" })],
    [
      "position p of ann has realizedPnl -0.5 instead of -0.269230769230769231",
      withPosition({ realizedPnl: "-0.5" }),
    ],
    [
      "position p of ann has networkFees 1 instead of 0.000000000000000008",
      withPosition({ networkFees: "1" }),
    ],
    ["position p of ann has movedOut undefined instead of 600", withPosition({ movedOut: undefined })],
    [
      `position p of ann has openedAt ${deadline} instead of 2026-11-21T20:01:00.000Z`,
      withPosition({ openedAt: deadline }),
    ],
  ])("reports that %s", (problem, facts) => {
    expect(problemsOfTrade(facts)).toContain(problem);
  });

  it("accepts a position whose fills the chain reverted", () => {
    const takenBack = { ...position, positionId: "q", amount: "0", cost: "0", networkFees: "0" };
    expect(problemsOfTrade({ ...good, positions: [position, takenBack] })).toEqual([]);
  });

  it("accepts a smaller position between fills if each bought token is accounted for", () => {
    const problemsOf = (changes: Partial<ShownPosition>) =>
      problemsOfTrade({ ...good, positions: [{ ...position, ...changes }] }).filter((problem) =>
        /bought|moved out/.test(problem),
      );
    const closed = { movedOut: "2600", reason: "MOVED_OUT", cost: "0", realizedPnl: "0" } as const;
    expect(problemsOf(closed)).toEqual([]);
    expect(problemsOf({ ...closed, movedOut: "2601" })).toHaveLength(1);
    expect(problemsOf({ ...closed, movedOut: "601" })).toEqual([]);
    expect(problemsOf({ ...closed, status: "open" })).toHaveLength(1);
  });

  it("expects a closed position after another program moved its tokens away", () => {
    const gone: TradeFacts = {
      ...good,
      orders: [bought, cleared, soldOut],
      soldOut: new Map([["sold-out", 3]]),
      positions: [{ ...position, realizedPnl: "0", movedOut: "2600", networkFees: "0.000000000000000001" }],
    };
    const problems = problemsOfTrade(gone);
    expect(problems.filter((problem) => problem.includes("position"))).toEqual([]);
  });
});
