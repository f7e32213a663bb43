import { beforeEach, describe, expect, it, vi } from "vitest";
import { solBuy, writesOfCredit } from "../../../lib/tools/documents/assumptions.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { openSolDesk, tooOldMs } from "../../support/sol-desk.ts";
import { solDeskForTests } from "../../support/sol-reader.ts";
import { addMint, addPool } from "../../support/sol-tokens.ts";
import type { Caller } from "../../support/trading-desk.ts";
import { countingUnits, type UnitCounter } from "./support/write-units.ts";

const db = tableForTests();

const { chain, hosts } = solDeskForTests();
/** Hides final blocks until set to true. */
let isFinal = false;
/** Calls to both hosts since the last count, except the query for the cluster, which each process makes only once. */
const asked: string[] = [];
const takeCalls = () => asked.splice(0).filter((method) => method !== "getGenesisHash").length;

type Statuses = { value: ({ confirmationStatus: string } | null)[] };

beforeEach(() => {
  for (const host of hosts)
    host.lie = (method, result) => {
      asked.push(method);
      if (method !== "getSignatureStatuses" || isFinal) return result;
      const { value, ...rest } = result as Statuses;
      return { ...rest, value: value.map((each) => each && { ...each, confirmationStatus: "confirmed" }) };
    };
});

describe("a buy on sol", () => {
  it("uses as many write units and calls to hosts as docs/costs.md shows", async () => {
    const placeOrder = countingUnits(db.table);
    const executeOrders = countingUnits(db.table);
    const signTransaction = countingUnits(db.table);
    const tables: Partial<Record<Caller, UnitCounter>> = { placeOrder, executeOrders, signTransaction };
    const tableOf = (caller: Caller) => tables[caller]?.table ?? db.table;
    // A user id as long as Cognito's.
    const desk = await openSolDesk({ table: db.table, chain, hosts }, { userID: "a".repeat(36), tableOf });
    desk.wrap = (effects) => ({
      ...effects,
      hostSnapshot(ask) {
        // Counts only the last round, because hosts that disagree on a busy machine are queried again.
        if (ask.host === 0) asked.splice(0);
        return effects.hostSnapshot?.(ask);
      },
    });
    const work = async () => {
      await desk.work();
      return { writes: executeOrders.take(), calls: takeCalls() };
    };
    takeCalls();
    const placed = await desk.ask({ amount: "0.5" });
    if (!("order" in placed)) throw new Error("The order was not placed");
    const { orderId, createdAt } = placed.order;
    const calls = [takeCalls()];
    // Takes the lowest count, because hosts that disagree are queried again. A token that was bought lately takes fewer.
    for (const _ of [1, 2]) {
      const token = await addMint(chain, 6);
      await addPool(chain, { mint: token, coins: 500n * 10n ** 9n, tokens: 5n * 10n ** 12n });
      await desk.ask({ token, amount: "0.5", dryRun: true });
      calls.push(takeCalls());
    }
    /** Works until the order looks like the given one, and returns the usage of the last run. */
    const workUntil = (shown: object) =>
      vi.waitFor(async () => {
        const usage = await work();
        expect((await desk.read(orderId)).order).toMatchObject(shown);
        return usage;
      }, 30_000);
    // Lets the first run begin at the time of the order, however slow this machine is.
    desk.aheadMs = Date.parse(createdAt) - Date.now();
    const swap = await work();
    const [{ txHash } = { txHash: "" }] = (await desk.read(orderId)).attempts;
    expect(await chain.inBlock(txHash)).toBeDefined();
    const waiting = await work();
    isFinal = true;
    const { writes, calls: endCalls } = await workUntil({ status: "filled", settled: true });
    // Leaves out the row of a trade that earns, which the costs list separately.
    const end = { writes: writes - writesOfCredit.executeOrders, calls: endCalls };
    expect({
      placeOrder: { writes: placeOrder.take(), calls: Math.min(...calls) },
      executeOrders: { swap, waiting, end },
      signTransaction: { writes: signTransaction.take() },
    }).toEqual(solBuy);
  });

  it.each([
    ["nothing before it signs", 0, []],
    [
      "for everything if the facts are three seconds old",
      tooOldMs,
      ["getLatestBlockhash", "simulateTransaction"],
    ],
  ])("asks hosts %s in its first run", async (_, ageMs, expected) => {
    const desk = await openSolDesk({ table: db.table, chain, hosts });
    const placed = await desk.ask({ amount: "0.5" });
    if (!("order" in placed)) throw new Error("The order was not placed");
    let before: string[] = [];
    desk.wrap = (effects) => ({
      ...effects,
      sign(ask) {
        before = asked.splice(0);
        return effects.sign?.(ask) ?? { later: "there is no signer" };
      },
    });
    asked.splice(0);
    desk.aheadMs = Date.parse(placed.order.createdAt) + ageMs - Date.now();
    await desk.work();
    expect((await desk.read(placed.order.orderId)).attempts).toMatchObject([{ purpose: "swap" }]);
    expect(before.filter((method) => expected.length === 0 || expected.includes(method)).sort()).toEqual(
      expected.flatMap((method) => [method, method]),
    );
    expect(asked.filter((method) => method === "sendTransaction")).toHaveLength(2);
  });
});
