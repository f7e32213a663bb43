import { expect, it } from "vitest";
import { WakeQueue } from "../../../lib/trading/execution/wake-queue.ts";

const lane = (wallet: number) => ({ chain: "eth", wallet: String(wallet) }) as const;

it("wakes each lane once, 32 at a time, and reports when all are woken", async () => {
  const gates: (() => void)[] = [];
  const woken: string[] = [];
  const queue = new WakeQueue(({ wallet }) => {
    woken.push(wallet);
    return new Promise<void>((resolve) => gates.push(resolve));
  });
  await queue.emptied();
  for (let wallet = 0; wallet < 40; wallet++) queue.add(lane(wallet));
  queue.add(lane(39));
  expect(woken).toHaveLength(32);
  let isEmptied = false;
  const emptied = queue.emptied().then(() => {
    isEmptied = true;
  });
  for (let count = 1; count <= 40; count++) {
    expect(isEmptied).toBe(false);
    gates.shift()?.();
    await new Promise(setImmediate);
    expect(woken).toHaveLength(Math.min(40, 32 + count));
  }
  await emptied;
  queue.add(lane(0));
  expect(woken).toHaveLength(41);
});
