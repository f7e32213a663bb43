import { expect, it } from "vitest";
import type { Look } from "../../../lib/orders/block.ts";
import { placeRequest } from "../../support/place-request.ts";
import { genesis } from "./history.ts";
import { ModelChain } from "./model-chain.ts";
import { Random } from "./random.ts";
import { rewritten } from "./rewrites.ts";
import { theSystem } from "./system.ts";
import { chain, World } from "./world.ts";

const startMs = Date.UTC(2026, 10, 21, 20);
const [wallet, userID] = ["0xA1", "alice"];
const [blockSeconds, minuteSeconds] = [12, 60];
const lease = { run: "r", epoch: 1, build: "b", startedAtMs: startMs, heartbeatMs: startMs };

/**
 * Trades for ten minutes while only the sweep wakes lanes, with an order every 2 minutes and a block every 12 seconds.
 *
 * @returns For each order, the seconds from the finality of its transaction until it settled.
 */
async function tradeWithoutReader(
  renewsLease: boolean,
  lookOf: (look: Look | undefined, host: number) => Look | undefined,
): Promise<Map<string, number>> {
  const random = new Random(1);
  const model = new ModelChain(random, genesis, startMs / 1000);
  const world = new World(random, theSystem, model, startMs);
  world.table.put("wallet", { chain, wallet, userID });
  world.maxGasPrices.set(userID, 100n);
  const sweep = () =>
    rewritten(theSystem.sweep(chain), {
      answer: (effect, answer) =>
        effect.do === "look" ? lookOf(answer as Look | undefined, effect.host) : answer,
    });
  const finalAt = new Map<string, number>();
  const settledAt = new Map<string, number>();

  const finishAll = async () => {
    for (;;) {
      const lane = world.wakes.shift();
      if (lane !== undefined) world.startWork(lane);
      const [process] = world.processes;
      if (process === undefined) return;
      await world.step(process);
    }
  };

  const place = async () => {
    const orderId = world.newId("order");
    const terms = { side: "buy", token: "MOON", amount: 500n, slippage: 10, isPrivate: false } as const;
    const validUntil = Math.floor(world.nowMs / 1000) + 600;
    const fees = { maxGasPrice: 200n, gasPreset: "medium", nowMs: world.nowMs } as const;
    const names = { wallet, userID, orderId, key: orderId, fingerprint: orderId };
    world.place(placeRequest({ ...names, ...terms, ...fees, validUntil }), () => undefined);
    await finishAll();
  };

  const note = (second: number) => {
    const asked = { chain, wallet, hashes: [], orders: [] } as const;
    const final = model.hostSnapshot(0, asked)?.finalized.number ?? 0;
    for (const { intent, life } of world.table.all("order")) {
      const mined =
        world.invariants.swapOf(intent.orderId)?.receipt?.block.number ?? Number.POSITIVE_INFINITY;
      if (final >= mined && !finalAt.has(intent.orderId)) finalAt.set(intent.orderId, second);
      if (life.settled && !settledAt.has(intent.orderId)) settledAt.set(intent.orderId, second);
    }
  };

  for (let second = 0; second < 20 * minuteSeconds; second += blockSeconds) {
    if (renewsLease) world.readerLease = { ...lease, heartbeatMs: world.nowMs };
    if (second % 120 === 0 && second < 600) await place();
    world.nowMs += blockSeconds * 1000;
    model.mine(Math.floor(world.nowMs / 1000), true);
    // The lane knows the block before it is final, and waits for nothing else.
    if (second % 120 === 0 && second < 600) world.startWork({ chain, wallet });
    await finishAll();
    note(second);
    if (second % minuteSeconds === 0) world.start({ name: "sweep", procedure: sweep() });
    await finishAll();
    note(second);
  }
  expect(world.table.all("lane")).toEqual([]);
  return new Map([...settledAt].map(([orderId, second]) => [orderId, second - (finalAt.get(orderId) ?? 0)]));
}

const stuck = (look: Look | undefined) => look && { ...look, final: { number: 0, time: 0 } };

it.each<[string, boolean, Parameters<typeof tradeWithoutReader>[1]]>([
  ["is gone", false, (look) => look],
  ["renews its lease, but no host answers it", true, (look) => look],
  [
    "sees a host that is stuck, and so does the sweep",
    true,
    (look, host) => (host === 0 ? stuck(look) : look),
  ],
  ["renews its lease, but hosts refuse all looks", true, () => undefined],
])(
  "settles every order within five minutes of finality while the reader %s",
  async (_, renewsLease, lookOf) => {
    const lateness = [...(await tradeWithoutReader(renewsLease, lookOf)).values()];
    expect(lateness).toHaveLength(5);
    expect(Math.max(...lateness)).toBeLessThanOrEqual(5 * minuteSeconds);
  },
);
