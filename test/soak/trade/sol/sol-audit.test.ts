import { describe, expect, it } from "vitest";
import {
  account,
  attempt,
  bought,
  chain,
  cleared,
  deadline,
  good,
  landed,
  moon,
  report,
  seconds,
  sold,
  soldOut,
  transactions,
  wallet,
  withBalance,
  withChain,
  withOrder,
  withPosition,
  withTransaction,
  wrapped,
} from "./made-up-sol-facts.ts";
import { problemsOfEra, problemsOfSol } from "./sol-audit.ts";
import type { SolTradeFacts } from "./sol-facts.ts";

const again = landed("again", { orderId: "buy", slot: 6 });

describe("problemsOfSol", () => {
  it("reports no problem if orders, positions and the Solana chain agree", () => {
    expect(problemsOfSol(good)).toEqual([]);
  });

  it.each<[problem: string, facts: SolTradeFacts]>([
    [
      "order buy of ann on sol never ended: it is open, sent",
      withOrder(bought, { order: { status: "open", stage: "sent" } }),
    ],
    ["order buy of ann on sol never settled", withOrder(bought, { order: { settled: false } })],
    [
      "order cleared of ann on sol is filled, and no block has its swap",
      withOrder(cleared, { order: { status: "filled" } }),
    ],
    [
      "order buy of ann on sol is expired, and a block has its swap",
      withOrder(bought, { order: { status: "expired", reasonCode: "NOT_INCLUDED" } }),
    ],
    ["sol: the marker of buy was made 2 times", withChain({ transactions: [...transactions, again] })],
    [
      "order buy of ann on sol does not name its swap again",
      withChain({ transactions: [...transactions, again] }),
    ],
    [
      "order buy of ann on sol names an attempt twice",
      withOrder(bought, { attempts: [attempt("bought"), attempt("bought")] }),
    ],
    [
      "order buy of ann on sol has more than 24 attempts to swap",
      withOrder(bought, { attempts: Array.from({ length: 25 }, (_, index) => attempt(String(index))) }),
    ],
    [
      "order cleared of ann on sol has more than 1 attempts to clear",
      withOrder(cleared, { attempts: ["1", "2"].map((hash) => attempt(hash, { purpose: "clear" })) }),
    ],
    [
      "order sell of ann on sol has swap sold as expired instead of mined",
      withOrder(sold, { attempts: [attempt("sold", { outcome: "expired" })] }),
    ],
    [
      "order buy of ann on sol has swap failed as mined instead of reverted",
      withOrder(bought, { attempts: [attempt("failed"), attempt("bought")] }),
    ],
    [
      "order sell of ann on sol has swap lost as pending instead of expired",
      withOrder(sold, { attempts: [attempt("sold"), attempt("lost", { outcome: "pending" })] }),
    ],
    [
      "order cleared of ann on sol has swap cleared instead of clear",
      withOrder(cleared, { attempts: [attempt("cleared")] }),
    ],
    [
      "order buy of ann on sol has filledAmount 0.9 instead of 1",
      withOrder(bought, { order: { filledAmount: "0.9" } }),
    ],
    [
      "order sell of ann on sol has receivedAmount 0.6 instead of 0.8",
      withOrder(sold, { order: { receivedAmount: "0.6" } }),
    ],
    [
      "order buy of ann on sol has txHash failed instead of bought",
      withOrder(bought, { order: { txHash: "failed" } }),
    ],
    [
      "order sell of ann on sol has spent in its report 1 instead of 8000",
      withOrder(sold, { report: report("1", "0.8") }),
    ],
    [
      "order sell of ann on sol has received in its report 1 instead of 0.8",
      withOrder(sold, { report: report("8000", "1") }),
    ],
    [
      "order sell of ann on sol has total fee in its report 0 instead of 0.000008",
      withOrder(sold, { report: report("8000", "0.8", { networkFee: { total: "0" } }) }),
    ],
    [
      "order sell of ann on sol has rent in its report 0 instead of 0.00089784",
      withOrder(sold, { report: report("8000", "0.8", { rent: "0" }) }),
    ],
    [
      "order sell of ann on sol has block in its report 4 instead of 5",
      withOrder(sold, { report: report("8000", "0.8", { block: 4 }) }),
    ],
    [
      "order buy of ann on sol has networkFee 0.000007 instead of 0.000013",
      withOrder(bought, { order: { networkFee: "0.000007" } }),
    ],
    [
      "order cleared of ann on sol has rent undefined instead of 0.00089784",
      withOrder(cleared, { order: { rent: undefined } }),
    ],
    [
      "order buy of ann on sol received less than 9001",
      withOrder(bought, { order: { minAmountOut: "9001" } }),
    ],
    ["order sell of ann on sol spent more than 7999", withOrder(sold, { order: { amount: "7999" } })],
    [
      "order buy of ann on sol was filled too late",
      withTransaction("bought", { time: seconds(deadline) + 66 }),
    ],
    [
      "order buy of ann on sol may pay 0.000005 besides base fees, and has 0.000004999",
      withOrder(bought, { budget: 4999n }),
    ],
    [
      "order sell of ann on sol may pay 0.000008 besides base fees, and has 0.000005",
      withTransaction("sold", { baseFee: 0n }),
    ],
    [
      "order sell of ann on sol has a marker that does not agree with its transactions",
      withChain({ marked: new Set(["buy", "cleared"]) }),
    ],
    [
      "order sold-out of ann on sol has a marker that does not agree with its transactions",
      withChain({ marked: new Set([...chain.marked, "sold-out"]) }),
    ],
    [
      "order sold-out of ann on sol was genuine, and the signer refused it",
      withOrder(soldOut, { order: { reasonCode: "SIGNING_REFUSED" } }),
    ],
    [
      "order cleared of ann on sol is REVERTED without a cause on the chain",
      withOrder(cleared, { order: { reasonCode: "REVERTED" } }),
    ],
    [
      "sol: the swap 5 of W is no order's",
      withChain({ transactions: [...transactions, landed("5", { orderId: "other" })] }),
    ],
    [
      "sol: the swap sold changed its wallet by 799094168 instead of 799094169",
      withTransaction("sold", { coins: 799_094_168n }),
    ],
    ["sol: W has 1 units of native more than its orders say", withTransaction("moved", { coins: -5001n })],
    [`sol: W has 3 units of ${moon} more than its orders say`, withBalance(moon, 3n)],
    ["sol: W has 4 units of other more than its orders say", withBalance("other", 4n)],
    [
      `sol: D may still move tokens of ${moon} from ${wallet}`,
      withChain({ accounts: [{ ...account, delegate: "D" }] }),
    ],
    [`sol: ${wallet} has the account A of wrapped coin left`, withChain({ accounts: [wrapped] })],
    [
      `sol: ${wallet} has the stray account A of ${moon}`,
      withChain({ accounts: [{ ...account, isAssociated: false }] }),
    ],
    ["position p of ann never settled", withPosition({ settled: false })],
    [`ann sol W ${moon} has 0 positions instead of 1`, { ...good, positions: [] }],
    ["position p of ann has status open instead of closed", withPosition({ status: "open" })],
    ["position p of ann has amount 1 instead of 0", withPosition({ amount: "1" })],
    ["position p of ann has realizedPnl 0 instead of -0.088888889", withPosition({ realizedPnl: "0" })],
    ["position p of ann has networkFees 1 instead of 0.000021", withPosition({ networkFees: "1" })],
    ["position p of ann has movedOut undefined instead of 1000", withPosition({ movedOut: undefined })],
  ])("reports that %s", (problem, facts) => {
    expect(problemsOfSol(facts)).toContain(problem);
  });

  it("expects a closed position after another program moved its tokens away", () => {
    const gone: SolTradeFacts = {
      ...good,
      orders: [bought, cleared, soldOut],
      soldOut: new Map([["sold-out", 5]]),
      positions: [
        { ...good.positions[0], realizedPnl: "0", movedOut: "9000", networkFees: "0.000013" } as never,
      ],
    };
    expect(problemsOfSol(gone).filter((problem) => problem.includes("position"))).toEqual([]);
  });
});

describe("problemsOfEra", () => {
  const { attempts: _, report: __, ...ordered } = bought;

  it("compares orders without attempts and ignores those that are not final", () => {
    expect(problemsOfEra([ordered], chain)).toEqual([]);
  });

  it.each([
    ["order buy of ann on sol has filledAmount 1 instead of 0.9", { toPools: 900_000_000n }],
    ["sol, before a crash: the swap bought changed its wallet by -1 instead of -1002944120", { coins: -1n }],
  ])("reports that %s", (problem, changes) => {
    expect(problemsOfEra([ordered], withTransaction("bought", changes).chain)).toContain(problem);
  });

  it("reports an order that took effect twice, even if nobody saw it", () => {
    const twice = ["1", "2"].map((hash) => landed(hash, { orderId: "unseen", coins: -5000n }));
    expect(problemsOfEra([], { ...chain, transactions: twice })).toEqual([
      "sol, before a crash: the marker of unseen was made 2 times",
    ]);
  });
});
