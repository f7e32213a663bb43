import { describe, expect, it } from "vitest";
import { attemptsOf } from "../../../../lib/chains/sol/rules/attempts.ts";
import type { Sol } from "../../../../lib/chains/sol/rules/family.ts";
import type { TradeOrder } from "../../../../lib/orders/trade-order.ts";
import { Random } from "../random.ts";
import { SolChain } from "./sol-chain.ts";
import { owners, placeNew } from "./sol-clients.ts";
import { checkEnd, comeToRest } from "./sol-history.ts";
import { runOn } from "./sol-play.ts";
import { chain, SolWorld, startMs, theSolSystem } from "./sol-world.ts";

const haltMs = 2 * 3_600_000;

/** Time between an order's attempts. */
const stepMs = 8000;

/** Places and signs an order, and then halts the chain for two hours while runs continue. */
async function halted(seed: number, { isCancelled }: { isCancelled: boolean }) {
  const random = new Random(seed);
  const model = new SolChain(random, startMs / 1000);
  const world = new SolWorld(random, theSolSystem, model, startMs);
  for (const [userID, wallet] of owners) world.table.put("wallet", { chain, wallet, userID });
  let { userID, wallet, orderId } = await placeNew(world);
  const work = async () => {
    const run = world.startWork(wallet);
    if (run !== undefined) await runOn(world, run, 0);
  };
  await work();
  // Tries again if the wallet cannot pay for the order.
  while (world.table.get("ledger", { orderId }) === undefined) {
    ({ userID, wallet, orderId } = await placeNew(world));
    await work();
  }
  const order = () => world.orderNamed(userID, orderId);
  if (isCancelled) {
    const cancelling = world.start({ name: "cancel", procedure: world.system.cancel(userID, orderId) });
    if (cancelling !== undefined) await runOn(world, cancelling, 0);
  }
  const seen = new Set<string>();
  for (let passedMs = 0; passedMs < haltMs; passedMs += stepMs) {
    world.nowMs += stepMs;
    await work();
    seen.add(`${order()?.life.status} ${order()?.life.settled}`);
  }
  const { intent } = order() as TradeOrder<Sol>;
  return { world, model, order, seen, orderId, intent };
}

type Halted = Awaited<ReturnType<typeof halted>>;

const messagesOf = ({ world, orderId }: Halted) => world.table.get("ledger", { orderId })?.messages ?? [];

/** Ends the halt, and checks that orders, positions and chain agree to the unit. */
async function end({ world, order }: Halted) {
  await comeToRest(world);
  await checkEnd(world);
  expect(order()?.life.settled).toBe(true);
  return order()?.life;
}

describe("an order on Solana during a two-hour halt", () => {
  const seeds = Array.from({ length: 20 }, (_, index) => index + 1);

  it.each(seeds)(
    "keeps an order open during a halt, with no more signatures than attempts, and fills it afterwards (%i)",
    async (seed) => {
      const after = await halted(seed, { isCancelled: false });
      expect(after.seen).toEqual(new Set(["open false"]));
      expect(messagesOf(after).length).toBeLessThanOrEqual(attemptsOf(after.intent));
      expect(messagesOf(after).length).toBeGreaterThan(0);
      await after.model.mine(Math.floor(after.world.nowMs / 1000), true);
      expect(await end(after)).toMatchObject({ status: "filled" });
    },
  );

  it.each(seeds)("expires an order without a fill if a halt has lost its messages (%i)", async (seed) => {
    const after = await halted(seed, { isCancelled: false });
    // Stops trading, so that no run sends the messages again.
    after.world.isStopped = true;
    after.model.drop();
    for (let blocks = 0; blocks <= after.model.scale.lifetime; blocks++)
      after.model.mine(Math.floor(after.world.nowMs / 1000), true);
    expect(await end(after)).toMatchObject({ status: "expired", spent: 0n, networkFee: 0n });
  });

  it.each(seeds)(
    "postpones a cancellation until the halt is over, and then ends the order only once (%i)",
    async (seed) => {
      const after = await halted(seed, { isCancelled: true });
      expect(after.seen).toEqual(new Set(["open false"]));
      expect(messagesOf(after).filter(({ purpose }) => purpose === "clear")).toHaveLength(1);
      expect(["cancelled", "filled"]).toContain((await end(after))?.status);
    },
  );
});
