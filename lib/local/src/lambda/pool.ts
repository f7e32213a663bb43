import { type InvokeResult, stopping } from "./invoke.ts";
import type { Sandbox } from "./sandbox.ts";
import type { Starts, Turn } from "./starts.ts";

/** Sandboxes of one function. At most `size` events run at a time; others wait in order of arrival. */
export type Pool = {
  invoke(payload: string): Promise<InvokeResult>;
  /**
   * Replaces the function that creates sandboxes. Events in a sandbox finish there; events that still wait get a new
   * sandbox. Resolves once the last old sandbox has ended.
   */
  replace(create: () => Sandbox): Promise<void>;
  stop(): Promise<void>;
};

/** @param starts limits starts across all pools */
export function createPool(create: () => Sandbox, size: number, starts: Starts): Pool {
  let current = { create, idle: [] as Sandbox[] };
  const running = new Set<Sandbox>();
  const waiting: (() => void)[] = [];
  /** Controllers that wake events waiting for their turn to start a sandbox. */
  const forIdle = new Set<AbortController>();
  let places = size;
  let stopped = false;

  async function enter(): Promise<void> {
    if (places > 0) places--;
    else await new Promise<void>((proceed) => waiting.push(proceed));
  }

  /** Frees a place, or passes it directly to the longest-waiting event, so that no newcomer overtakes it. */
  function leave(): void {
    const proceed = waiting.shift();
    if (proceed === undefined) places++;
    else proceed();
  }

  function takeIdle(): Sandbox | undefined {
    for (let sandbox = current.idle.pop(); sandbox !== undefined; sandbox = current.idle.pop()) {
      if (sandbox.usable) return sandbox;
    }
    return undefined;
  }

  /** Takes the most recently used idle sandbox or creates one, whichever is possible first. */
  async function take(): Promise<{ sandbox: Sandbox; generation: typeof current } | undefined> {
    while (!stopped) {
      const idle = takeIdle();
      if (idle !== undefined) return { sandbox: idle, generation: current };
      const freed = new AbortController();
      forIdle.add(freed);
      const turn = await starts.enter(freed.signal);
      forIdle.delete(freed);
      if (turn === undefined) continue;
      if (!stopped && current.idle.length === 0) return { sandbox: begin(turn), generation: current };
      turn.leave();
    }
    return undefined;
  }

  function begin(turn: Turn): Sandbox {
    try {
      const sandbox = current.create();
      running.add(sandbox);
      void sandbox.loaded.then(turn.leave);
      void sandbox.ended.then(() => running.delete(sandbox));
      return sandbox;
    } catch (error) {
      turn.leave();
      throw error;
    }
  }

  function wake(): void {
    const [first] = forIdle;
    first?.abort();
  }

  return {
    async invoke(payload) {
      await enter();
      try {
        const taken = await take();
        if (taken === undefined) return stopping();
        const { sandbox, generation } = taken;
        const result = await sandbox.invoke(payload);
        if (generation === current) {
          generation.idle.push(sandbox);
          wake();
        } else sandbox.stop();
        return result;
      } finally {
        leave();
      }
    },
    async replace(create) {
      const old = [...running];
      const { idle } = current;
      current = { create, idle: [] };
      for (const sandbox of idle) sandbox.stop();
      await Promise.all(old.map(({ ended }) => ended));
    },
    async stop() {
      stopped = true;
      for (const freed of forIdle) freed.abort();
      for (const sandbox of running) sandbox.stop();
      await Promise.all([...running].map(({ ended }) => ended));
    },
  };
}
