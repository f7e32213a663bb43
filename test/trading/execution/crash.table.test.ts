import { beforeAll, describe, expect, it } from "vitest";
import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import type { ShownEvmAttempt } from "../../../lib/chains/evm/rules/shown-details.ts";
import { forEachConcurrently } from "../../../lib/core/concurrency.ts";
import { greatest } from "../../../lib/orders/bigints.ts";
import { formatAmount, unitsFrom } from "../../../lib/orders/decimal-text.ts";
import { shownOrder, type TradeOrder } from "../../../lib/orders/trade-order.ts";
import { openPolicy } from "../../../lib/orders/wallet-policy.ts";
import { getItems } from "../../../lib/table/batch-get.ts";
import { type Item, queryRange } from "../../../lib/table/table.ts";
import { contentOf } from "../../../lib/trading/items/items.ts";
import { dayKey, jobsAndSlotsOf, laneKey, tradeKey } from "../../../lib/trading/items/keys.ts";
import { homeShard } from "../../../lib/trading/items/lane-places.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { putPolicy } from "../../support/placed-orders.ts";
import {
  causedBy,
  type Fault,
  failOne,
  faultsOf,
  isChanging,
  loseAnswers,
  survives,
} from "./support/effect-faults.ts";
import { coinsAtStart, LaneBench, tokensAtStart } from "./support/lane-bench.ts";

const db = tableForTests();

beforeAll(() => loseAnswers(db.table));

/** A client's actions on an order, and the outcomes that may follow. */
type Story = {
  side: "buy" | "sell";
  /** Cancels the order after this many runs. */
  cancelAfter?: number;
  outcomes: readonly TradeOrder<Evm>["life"]["status"][];
  /** Kinds of faults that interrupt the story. */
  faults: readonly Fault[];
};

const { FULL } = process.env;
const allFaults: readonly Fault[] = ["not arrived", "died after", "answer lost"];
/**
 * A lost effect leaves the same state as a run that dies after the previous effect. `FULL=1` covers lost effects too,
 * which takes a minute.
 */
const mostFaults = FULL ? allFaults : allFaults.slice(1);
const someFaults = FULL ? allFaults : allFaults.slice(1, 2);

/** Plays the story to its end despite the fault: clients repeat requests, and the sweep wakes the lane. */
async function play({ side, cancelAfter }: Story, bench: LaneBench): Promise<string> {
  const request = bench.request({ side });
  let isPlaced = false;
  while (!isPlaced)
    await survives(async () => {
      isPlaced = "order" in (await bench.place(request));
    });
  for (let runs = 1; runs < 20; runs++) {
    const isWhole = await survives(() => bench.work());
    if (runs === cancelAfter) while (!(await survives(() => bench.cancel(request.orderId))));
    if (!isWhole) bench.nowMs += 31_000;
    if (bench.isDone) return request.orderId;
    bench.mine(runs % 2 === 0 ? 5 : 1);
  }
  throw new Error("The order did not end");
}

/** Creates a lane whose user has a daily limit. */
async function openBench(): Promise<LaneBench> {
  const bench = await new LaneBench(db.table).open();
  const { lane, userID } = bench;
  await putPolicy(db.table, {
    ...lane,
    userID,
    policy: { ...openPolicy, maxPerDay: 10n ** 9n },
    revision: 1,
  });
  return bench;
}

/** Expects that the order has ended exactly once, clients can see it, and no other items are left. */
async function expectSettled(bench: LaneBench, orderId: string, { side, outcomes }: Story): Promise<void> {
  const { table, userID, lane } = bench;
  const items = new Map(
    (await bench.itemsOf([userID])).map((item) => [item.SK.replace(/#\d{13}#/, "#"), item]),
  );
  const of = ({ SK }: { SK: string }) => items.get(SK);
  const order = contentOf("order", of(tradeKey(userID, orderId)) as Item<object>);
  const { life, details } = order;
  expect(outcomes).toContain(life.status);
  expect(life.settled).toBe(true);
  expect(await queryRange(table, jobsAndSlotsOf(lane))).toEqual([]);
  expect(await getItems(table, [laneKey(lane, homeShard(lane))])).toEqual([]);
  const { coins, tokens } = bench.chain.belongings(lane.wallet);
  const [gotCoins, gotTokens] =
    side === "buy" ? [-life.spent, life.received ?? 0n] : [life.received ?? 0n, -life.spent];
  expect({ coins, tokens: tokens.get("MOON") }).toEqual({
    coins: coinsAtStart + gotCoins - life.networkFee,
    tokens: tokensAtStart + gotTokens,
  });
  expect(details?.report === undefined).toBe(life.status !== "filled");
  expect(items.get(`ORDER#${orderId}`)).toMatchObject(shownOrder(order));
  expect(items.get(`ORDERAT#${orderId}`)).toMatchObject(shownOrder(order));
  const isSigned = details?.attempts.some(({ purpose }) => purpose === "swap");
  const fees = new Map<number, bigint>();
  for (const { nonce, gasLimit, maxFeePerGas } of (details?.attempts ?? []) as ShownEvmAttempt[]) {
    const most = BigInt(gasLimit) * unitsFrom(maxFeePerGas, 9, "maxFeePerGas");
    fees.set(nonce, greatest(fees.get(nonce) ?? 0n, most));
  }
  const paid = [...fees.values()].reduce((sum, most) => sum + most, 0n);
  const counts = await getItems<object>(table, [dayKey({ ...lane, userID, day: "2026-11-21" })]);
  expect(counts.map((count) => contentOf("day", count).spent)).toEqual(
    paid > 0n ? [paid + (isSigned && side === "buy" ? order.amount : 0n)] : [],
  );
  const positions = [...items].filter(([name]) => name.startsWith("POSITION"));
  const isOpened = life.status === "filled" && side === "buy";
  expect(positions).toHaveLength(isOpened ? 2 : 0);
  for (const [, position] of positions)
    expect(position).toMatchObject({
      status: "open",
      settled: true,
      amount: formatAmount(life.received ?? 0n, 18),
    });
}

const stories: Record<string, Story> = {
  "a buy": { side: "buy", outcomes: ["filled"], faults: mostFaults },
  "a sale that needs an approval": { side: "sell", outcomes: ["filled"], faults: someFaults },
  "a buy that is cancelled after it was sent": {
    side: "buy",
    cancelAfter: 1,
    outcomes: ["cancelled", "filled"],
    faults: someFaults,
  },
};

describe("orders on a real table with a failing effect", () => {
  it.each(Object.entries(stories))(
    "ends an order exactly once if any effect of %s fails",
    async (_, story) => {
      const whole = await openBench();
      const names = failOne(whole, undefined);
      await expectSettled(whole, await play(story, whole), story);
      const effects = [...names];
      const faults = effects.flatMap((effect, index) =>
        faultsOf(effect)
          .filter((how) => story.faults.includes(how))
          // Effects that change nothing resemble each other, so one is enough.
          .filter(() => FULL || isChanging(effect) || effects.indexOf(effect) === index)
          .map((how) => ({ number: index + 1, how })),
      );
      expect(new Set(faults.map(({ number }) => effects[number - 1])).size).toBeGreaterThan(3);
      await forEachConcurrently(faults, { concurrency: 8 }, async (fault) => {
        const bench = await openBench();
        failOne(bench, fault);
        try {
          await expectSettled(bench, await play(story, bench), story);
        } catch (error) {
          throw causedBy(effects, fault, error);
        }
      });
    },
  );
});
