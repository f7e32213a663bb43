import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import { forEachConcurrently } from "../../../lib/core/concurrency.ts";
import type { Effect, Effects, LaneView, Procedure } from "../../../lib/orders/effects.ts";
import type { TradeStep } from "../../../lib/orders/table-step.ts";
import type { TradeOrder } from "../../../lib/orders/trade-order.ts";
import type { Table } from "../../../lib/table/table.ts";
import { walletKey } from "../../../lib/table/wallet-keys.ts";
import { runProcedure } from "../../../lib/trading/execution/run-procedure.ts";
import { tableEffects } from "../../../lib/trading/execution/table-effects.ts";
import { packed } from "../../../lib/trading/items/items.ts";
import { policyKey, tradingStopKey } from "../../../lib/trading/items/keys.ts";
import { readSigning } from "../../../lib/trading/items/signing-view.ts";
import { readLane, readPlacing } from "../../../lib/trading/items/views.ts";
import { writeStep } from "../../../lib/trading/items/write-step.ts";
import { settingsKey } from "../../../lib/users/item-keys.ts";
import { type Engine, engineStart, startTable } from "../../support/dynamodb.ts";
import { putItems } from "../../support/items.ts";
import { playHistory } from "../model/history.ts";
import type { Answer, Process } from "../model/process.ts";
import { chain, World } from "../model/world.ts";

let engine: Engine;

beforeAll(async () => {
  engine = await startTable();
}, engineStart);
afterAll(() => engine.stop());

const byId = (orders: readonly TradeOrder<Evm>[]) =>
  orders.toSorted((a, b) => (a.intent.orderId < b.intent.orderId ? -1 : 1));

/** Reduces the model's view to the data that the table returns: only users with jobs. */
function ofJobs(view: LaneView<Evm>): LaneView<Evm> {
  const users = new Set(view.jobs.map(({ userID }) => userID));
  const hasJob = ({ userID, token }: { userID: string; token: string }) =>
    view.jobs.some((job) => job.userID === userID && job.token === token);
  return {
    ...view,
    orders: byId(view.orders),
    jobs: view.jobs.toSorted((a, b) => (a.orderId < b.orderId ? -1 : 1)),
    books: view.books.filter(hasJob).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
    retired: new Set([...view.retired].filter((user) => users.has(user)).toSorted()),
    maxGasPrices: new Map([...view.maxGasPrices].filter(([user]) => users.has(user)).toSorted()),
  };
}

const keyOf = ({ userID, token }: { userID: string; token: string }) => `${userID} ${token}`;

/** Creates a world that also writes each step to a real table, and checks that both give the same views. */
function mirroredWorld(table: Table, done: { effects: number }) {
  let known = "";
  return class extends World {
    protected override async carryOut(process: Process, effect: Effect): Promise<Answer> {
      const real = await this.onTable(effect);
      const answer = await super.carryOut(process, effect);
      if (real === undefined) return answer;
      done.effects++;
      expect(comparable(effect, real.answer)).toEqual(comparable(effect, answer));
      return answer;
    }

    override async tamper(step: TradeStep): Promise<void> {
      await writeStep(table, step);
      await super.tamper(step);
    }

    private async onTable(effect: Effect): Promise<{ answer: unknown } | undefined> {
      if (effect.do !== "write" && !effect.do.startsWith("read")) return undefined;
      await this.copyUsers();
      return { answer: await this.perform(effect) };
    }

    private perform(effect: Effect): Promise<unknown> {
      function* only(): Procedure<unknown> {
        return yield effect;
      }
      return runProcedure(only(), {
        ...tableEffects(table),
        // Names a job that is finished or belongs to another wallet, which must change nothing.
        readLane: (ask) => readLane(table, { ...ask, job: this.table.all("order").at(-1)?.intent }),
        readPlacing: (ask) => readPlacing(table, ask),
        readSigning: async (ask) => ({
          ...(await readSigning(table, ask)).view,
          chainLimits: this.chainLimits,
        }),
      });
    }

    /** Copies changes by users and operators to the real table. */
    private async copyUsers(): Promise<void> {
      const wallets = this.table.all("wallet").map(({ userID, wallet, retiredAt }) => ({
        ...walletKey(userID, chain, wallet),
        ...(retiredAt !== undefined && { retiredAt }),
      }));
      const settings = [...this.maxGasPrices].map(([userID, wei]) => ({
        ...settingsKey(userID, chain),
        maxGasPrice: Number(wei) / 1e9,
      }));
      const policies = this.table
        .all("policy")
        .map((record) => ({ ...policyKey(record), ...(packed(record) as object) }));
      const now = JSON.stringify([wallets, settings, policies, this.isStopped]);
      if (now === known) return;
      known = now;
      await putItems(table, [
        ...wallets,
        ...settings,
        ...policies,
        ...(this.isStopped ? [tradingStopKey(chain)] : []),
      ]);
      if (!this.isStopped)
        await table.client.send(new DeleteCommand({ TableName: table.name, Key: tradingStopKey(chain) }));
    }
  };
}

function comparable({ do: name }: Effect, answer: unknown): unknown {
  if (name === "readLane") return ofJobs(answer as LaneView<Evm>);
  if (name === "readLanes")
    return (answer as Effects["readLanes"]["answer"]).toSorted((a, b) => (a.wallet < b.wallet ? -1 : 1));
  if (name === "readSigning") {
    // MACs are no part of the table.
    const { isClaimGenuine: _, ...view } = answer as Effects["readSigning"]["answer"];
    return view;
  }
  if (name !== "readPlacing") return answer;
  const view = answer as Effects["readPlacing"]["answer"];
  return { ...view, laneOrders: byId(view.laneOrders as TradeOrder<Evm>[]) };
}

/** Number of histories to play; `FULL=1` plays more. */
const histories = process.env.FULL ? 40 : 1;

/** Finds the histories with the greatest variety of events. */
async function richest(): Promise<number[]> {
  const found: { seed: number; size: number }[] = [];
  for (let seed = 1; seed <= 50 * histories; seed++) {
    const coverage = new Set<string>();
    await playHistory(seed, coverage);
    found.push({ seed, size: coverage.size });
  }
  return found
    .toSorted((a, b) => b.size - a.size)
    .slice(0, histories)
    .map(({ seed }) => seed);
}

describe("the real table and the model", () => {
  it(`agrees with the model in those of ${histories * 50} histories that have the most varied events`, async () => {
    const done = { effects: 0 };
    await forEachConcurrently(await richest(), { concurrency: 4 }, async (seed) =>
      playHistory(seed, new Set(), { of: mirroredWorld(await engine.newTable(), done) }),
    );
    expect(done.effects).toBeGreaterThan(80 * histories);
  });
});
