import type { Sol } from "../../../../lib/chains/sol/rules/family.ts";
import { labelOf, type Process } from "../process.ts";
import { blockMs, type SolWorld } from "./sol-world.ts";

export type Move = (world: SolWorld) => void | Promise<void>;

export const movable = (world: SolWorld) => world.processes.filter(({ isFrozen }) => !isFrozen);

export const anyHost = ({ random }: SolWorld) => (random.chance(0.5) ? 0 : 1);

export const anyLane = (world: SolWorld): string | undefined =>
  world.random.pick(world.table.all("lane"))?.wallet;

/** Runs a process to its end or, with this probability, into a fault. */
export async function runOn(world: SolWorld, process: Process<Sol>, faults: number): Promise<void> {
  const { random } = world;
  const faultAt = random.chance(faults) ? random.below(process.name === "work" ? 24 : 6) : -1;
  for (let steps = 0; steps < 120 && world.processes.includes(process) && !process.isFrozen; steps++)
    await world.step(process, steps === faultAt ? (random.chance(0.5) ? "before" : "after") : "none");
}

/** Runs a process until it reaches an effect or ends. */
export async function runUntil(
  world: SolWorld,
  process: Process<Sol> | undefined,
  label: string,
): Promise<boolean> {
  for (let steps = 0; steps < 60 && process !== undefined && world.processes.includes(process); steps++) {
    if (labelOf((process.signer ?? process).effect) === label) return true;
    await world.step(process);
  }
  return false;
}

/**
 * Mines several times.
 *
 * @param blocks Number of blocks each time.
 */
export async function mine(
  world: SolWorld,
  times = 1 + world.random.below(3),
  blocks?: number,
): Promise<void> {
  for (let mined = 0; mined < times; mined++) {
    world.nowMs += blockMs;
    await world.chain.mine(Math.floor(world.nowMs / 1000), world.random.chance(0.5), blocks);
  }
}

/** Mines until all messages signed so far have expired. */
export const outlive = (world: SolWorld): Promise<void> => {
  const { lifetime, blocksAtOnce } = world.chain.scale;
  return mine(world, Math.ceil(lifetime / blocksAtOnce));
};

/** Wakes a lane whose invocation may have been lost. */
export async function wake(world: SolWorld, faults: number): Promise<void> {
  const event = world.nextEvent(world.table.all("lane"));
  if (event === undefined) return;
  const skewMs = world.random.chance(0.1) ? (world.random.below(21) - 10) * 60_000 : 0;
  const started = world.startWork(event.wallet, skewMs, undefined, event);
  if (started !== undefined) await runOn(world, started, faults);
}
