import type { LaneKey } from "../../../lib/orders/intent.ts";
import { wallets } from "./clients.ts";
import { labelOf, type Process } from "./process.ts";
import type { World } from "./world.ts";

export const seconds = (world: World) => Math.floor(world.nowMs / 1000);
export const anyHost = ({ random }: World) => (random.chance(0.5) ? 0 : 1);
export const anyWallet = ({ random }: World) => random.pick(wallets) as string;
export const movable = (world: World) => world.processes.filter(({ isFrozen }) => !isFrozen);

export async function stepAny(world: World): Promise<void> {
  const process = world.random.pick(movable(world));
  if (process !== undefined) await world.step(process);
}

/** Runs a process to its end or, with this probability, into a fault. */
export async function runOn(world: World, process: Process, faults: number): Promise<void> {
  const { random } = world;
  const faultAt = random.chance(faults) ? random.below(process.name === "work" ? 24 : 6) : -1;
  for (let steps = 0; steps < 80 && world.processes.includes(process) && !process.isFrozen; steps++)
    await world.step(process, steps === faultAt ? (random.chance(0.5) ? "before" : "after") : "none");
}

export async function mine(world: World): Promise<void> {
  world.nowMs += 1000 * (1 + world.random.below(15));
  await world.chain.mine(seconds(world), world.random.chance(0.5));
}

/** Wakes a lane whose invocation may have been lost. */
export async function wake(world: World, faults: number): Promise<void> {
  const event = world.nextEvent(world.table.all("lane"));
  if (event === undefined) return;
  const isSkewed = world.random.chance(0.1);
  const skewMs = isSkewed ? (world.random.below(21) - 10) * 60_000 : 0;
  const started = world.startWork(event, skewMs);
  if (started !== undefined) await runOn(world, started, faults);
}

/** Plays a quiet time with new blocks and runs on lanes. */
export async function calm(world: World, length = 2 + world.random.below(8)): Promise<void> {
  for (let rounds = length; rounds > 0; rounds--) {
    for (const lane of world.table.all("lane")) {
      const started = world.startWork(world.eventFor(lane));
      if (started !== undefined) await runOn(world, started, 0.1);
    }
    world.nowMs += 12_000;
    await world.chain.mine(seconds(world), true);
  }
}

/** Runs a process until it reaches an effect or ends. */
export async function runUntil(world: World, process: Process | undefined, label: string): Promise<boolean> {
  for (let steps = 0; steps < 60 && process !== undefined && world.processes.includes(process); steps++) {
    if (labelOf((process.signer ?? process).effect) === label) return true;
    await world.step(process);
  }
  return false;
}

/** Picks a lane with work, if there is one. */
export const anyLane = (world: World): LaneKey | undefined => world.random.pick(world.table.all("lane"));
